"""The `docker` backend: one fresh, hardened container for each command, on a daemon of this machine."""

import importlib.resources
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from kaiju_sandbox import docker_end, docker_proof, placement, staging
from kaiju_sandbox.backend import Check
from kaiju_sandbox.command import REPORT_VARIABLE, Command, Layer
from kaiju_sandbox.docker_channel import Channel
from kaiju_sandbox.docker_container import CHANNEL, Container
from kaiju_sandbox.docker_engine import Engine
from kaiju_sandbox.docker_run import Run
from kaiju_sandbox.docker_seccomp import profile
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import make_public_folder
from kaiju_sandbox.leftovers import Owner, orphans, owned_name
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.namespace.bubblewrap import scratch_sizes
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings
from kaiju_sandbox.slots import Slots
from kaiju_sandbox.staging import Staging, remove_tree

KIND = "docker"
"""Begins the names of containers and of the folders that hold their pipes."""
OWNER, STATE = "kaiju.owner", "kaiju.state"
"""Labels of every container: whose it is, and which state folder its server uses."""
START_SECONDS = 60.0


def create(settings: Settings) -> "Docker":
    """The backend; nothing is asked of the daemon yet."""
    return Docker(settings)


class Docker:
    """See `kaiju_sandbox.backend.Backend`."""

    name = "docker"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.engine = Engine(settings.docker_host)
        source = importlib.resources.files("kaiju_sandbox").joinpath("docker_init.py").read_text()
        self._entrypoint = ("python3", "-I", "-S", "-X", "utf8", "-c", source)
        self._seccomp = profile()
        self._slots = Slots(settings)
        self._proving = anyio.Lock()
        self._proven = False

    async def check(self) -> tuple[Check, ...]:
        """See `Backend.check`."""
        return await docker_proof.check(self.engine, self.settings.docker_image, self._prove)

    async def run(self, command: Command, limits: Limits) -> Result:
        """See `Backend.run`."""
        placement.check(command)
        check_docker(command)
        async with self._proving:
            if not self._proven:
                await self._prove()
        async with self._slots.take() as slot:
            inputs = Staging(self.settings.staging_dir, slot.uid)
            try:
                trees = await anyio.to_thread.run_sync(inputs.fill, command)
                async with self._private() as private:
                    user = slot.uid or os.geteuid()
                    with open_channel(private, command, limits) as pipes:
                        binds = places(command, trees) | {CHANNEL: pipes.folder, "/etc": etc(private, user)}
                        container = self._container(user, binds, scratch_sizes(command, limits))
                        return await self._carry_out(container, command, limits, pipes)
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(inputs.remove)

    async def sweep(self) -> int:
        """See `Backend.sweep`."""
        filters = {"label": [f"{STATE}={self._state_label}"]}
        containers = await self.engine.call("containers", all=True, filters=filters)
        dead = [entry["Id"] for entry in containers if is_dead(entry["Labels"].get(OWNER, ""))]
        for container in dead:
            await self.engine.remove(container)
        folders = list(orphans(self.settings.staging_dir, KIND))
        for folder in folders:
            await anyio.to_thread.run_sync(remove_tree, folder)
        return (
            len(dead)
            + len(folders)
            + await anyio.to_thread.run_sync(staging.sweep, self.settings.staging_dir)
        )

    async def _carry_out(
        self, container: Container, command: Command, limits: Limits, pipes: Channel
    ) -> Result:
        run = Run(pipes, limits, partial(self.engine.remove, container.name))
        state: Mapping[str, Any] = {}
        async with self.engine.container(container.creation(limits)) as name:
            ready = False
            with anyio.move_on_after(START_SECONDS):
                ready = await run.ready()
            if not ready:
                raise SandboxFault(f"container {name} did not become ready: {await self.engine.state(name)}")
            pipes.unlink()
            await run.follow(outputs(command))
            if run.silent:
                state = await self.engine.state(name)
        return docker_end.result(run, container.scratch, state)

    async def _prove(self) -> str:
        """The version of the image's Python. Raises BackendUnavailable."""
        await docker_proof.inspect(self.engine, self.settings.docker_image)
        async with self._private() as private:
            with Channel(private / "channel", ()) as pipes:
                container = self._container(
                    os.geteuid() or self.settings.first_uid, {CHANNEL: pipes.folder}, {}
                )
                version = await docker_proof.witness(self.engine, container, pipes)
        self._proven = True
        return version

    @asynccontextmanager
    async def _private(self) -> AsyncIterator[Path]:
        """A fresh folder that only this process's user can enter, and that is removed afterwards."""
        make_public_folder(self.settings.staging_dir)
        folder = self.settings.staging_dir / owned_name(KIND)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(remove_tree, folder)

    @property
    def _state_label(self) -> str:
        return str(self.settings.state_dir.resolve())

    def _container(self, user: int, binds: Mapping[str, Path], scratch: Mapping[str, int]) -> Container:
        return Container(
            name=owned_name("kaiju"),
            image=self.settings.docker_image,
            entrypoint=self._entrypoint,
            user=user,
            labels={OWNER: Owner.current().label, STATE: self._state_label},
            seccomp=self._seccomp,
            binds=binds,
            scratch=scratch,
        )


def check_docker(command: Command) -> None:
    """Raises ValueError for what this backend alone cannot express."""
    if command.system != "python":
        raise ValueError(f"system: {command.system!r}, expected 'python', the only system image")
    for entry in (*command.inputs, *command.scratch):
        if placement.is_below(entry.target, CHANNEL) or placement.is_below(CHANNEL, entry.target):
            raise ValueError(f"target: {entry.target!r} overlaps {CHANNEL}, which this backend uses")


def is_dead(label: str) -> bool:
    owner = Owner.parse(label)
    return owner is not None and not owner.alive()


def outputs(command: Command) -> tuple[str, ...]:
    """The pipes that lead out of the container, beside the first process's own."""
    report = ("report",) if command.report else ()
    return ("stdout", "stderr", *report, *(("keep",) if command.keep else ()))


def places(command: Command, trees: Mapping[str, Path]) -> dict[str, Path]:
    """Where on the host each input lies, by its target."""
    layers = {entry.target: entry.path.resolve() for entry in command.inputs if isinstance(entry, Layer)}
    return layers | dict(trees)


def etc(private: Path, user: int) -> Path:
    """The whole /etc of a container: two files, and places for three that the engine mounts."""
    folder = private / "etc"
    folder.mkdir()
    folder.chmod(0o755)
    texts = {
        "passwd": f"kaiju:x:{user}:{user}:kaiju:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
        "group": f"kaiju:x:{user}:\nnogroup:x:65534:\n",
        "hosts": "",
        "hostname": "",
        "resolv.conf": "",
    }
    for name, text in texts.items():
        path = folder / name
        path.write_text(text)
        path.chmod(0o644)
    return folder


def open_channel(private: Path, command: Command, limits: Limits) -> Channel:
    """The pipes of one run, with its order beside them. Raises SandboxFault when the disk refuses."""
    order = {
        "argv": command.argv,
        "cwd": command.cwd,
        "env": dict(command.env),
        "stdin": command.stdin is not None,
        "outputs": outputs(command),
        "report_variable": REPORT_VARIABLE,
        "scratch": list(scratch_sizes(command, limits)),
        "keep": command.keep,
        "keep_most": limits.keep,
    }
    try:
        pipes = Channel(private / "channel", outputs(command))
        pipes.put("order.json", json.dumps(order).encode())
        if command.stdin is not None:
            pipes.put("stdin", command.stdin)
    except OSError as error:
        raise SandboxFault(f"{private}: the pipes of a run cannot be made ({error})") from error
    return pipes
