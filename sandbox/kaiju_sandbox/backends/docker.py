"""The `docker` backend: one fresh, hardened container for each command, on a daemon of this machine."""

import importlib.resources
import logging
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from kaiju_sandbox import placement, staging
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, Layer
from kaiju_sandbox.docker import end, proof
from kaiju_sandbox.docker.channel import Channel
from kaiju_sandbox.docker.container import CHANNEL, Container
from kaiju_sandbox.docker.engine import Engine
from kaiju_sandbox.docker.order import open_channel, outputs, write_etc
from kaiju_sandbox.docker.proof import Image
from kaiju_sandbox.docker.run import Run
from kaiju_sandbox.docker.seccomp import profile
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import LayerStore, make_public_folder
from kaiju_sandbox.leftovers import Owner, orphans, owned_name
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.placement import scratch_sizes
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings
from kaiju_sandbox.slots import Slots
from kaiju_sandbox.staging import Staging, remove_tree

log = logging.getLogger(__name__)

KIND = "docker"
"""Begins the names of containers and of the folders that hold their pipes."""
OWNER, STATE = "kaiju.owner", "kaiju.state"
"""Labels of every container: whose it is, and which state folder its server uses."""
START_SECONDS = 60.0
SYSTEM_NAME = re.compile(r"[a-z][a-z0-9]*")


def create(settings: Settings) -> Backend:
    """The backend; nothing is asked of the daemon yet."""
    return DockerBackend(settings)


class DockerBackend:
    """See `kaiju_sandbox.backend.Backend`."""

    name = "docker"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine = Engine(settings.docker_host)
        source = importlib.resources.files("kaiju_sandbox.docker").joinpath("init.py").read_text()
        self._entrypoint = ("python3", "-I", "-S", "-X", "utf8", "-c", source)
        self._seccomp = profile()
        self._slots = Slots(settings)
        self._proving = anyio.Lock()
        self._proven: set[Image] = set()
        """Images that a container ran from."""

    async def check(self) -> tuple[Check, ...]:
        """See `Backend.check`."""
        return await proof.check(self._engine, self._image(proof.BASE), self._prove)

    async def run(self, command: Command, limits: Limits) -> Result:
        """See `Backend.run`."""
        placement.check(command)
        check_docker(command)
        image = self._image(command.system)
        async with self._proving:
            if image not in self._proven:
                await self._prove(image)
        async with self._slots.take() as slot:
            inputs = Staging(self._settings.staging_dir, slot.uid)
            try:
                trees = await anyio.to_thread.run_sync(inputs.fill, command)
                async with self._private() as private:
                    user = slot.uid or os.geteuid()
                    with open_channel(private, command, limits) as pipes:
                        binds = places(command, trees) | {
                            CHANNEL: pipes.folder,
                            "/etc": write_etc(private, user),
                        }
                        sizes = scratch_sizes(command, limits)
                        container = self._container(image, user, binds, sizes)
                        return await self._carry_out(container, command, limits, pipes)
            finally:
                with anyio.CancelScope(shield=True):
                    await remove(inputs.folder)

    async def sweep(self) -> int:
        """See `Backend.sweep`."""
        filters = {"label": [f"{STATE}={self._state_label}"]}
        containers = await self._engine.call("containers", all=True, filters=filters)
        dead = [entry["Id"] for entry in containers if is_dead(entry["Labels"].get(OWNER, ""))]
        for container in dead:
            await self._engine.remove(container)
        return len(dead) + await anyio.to_thread.run_sync(sweep_folders, self._settings)

    async def _carry_out(
        self, container: Container, command: Command, limits: Limits, pipes: Channel
    ) -> Result:
        run = Run(pipes, limits, partial(self._engine.remove, container.name))
        state: Mapping[str, Any] = {}
        async with self._engine.container(container.creation(limits)) as name:
            with anyio.move_on_after(START_SECONDS) as clock:
                if not await run.ready():
                    raise SandboxFault(f"container {name} did not start: {await self._engine.state(name)}")
            if clock.cancelled_caught:
                raise SandboxFault(f"container {name} was not ready after {START_SECONDS:.0f} s")
            pipes.unlink()
            await run.follow(outputs(command))
            if run.silent:
                state = await self._engine.state(name)
        return end.result(run, container.scratch, state)

    def _image(self, system: str) -> Image:
        return Image.of(self._settings.docker_image, system)

    async def _prove(self, image: Image) -> str:
        """The version of the image's Python. Raises BackendUnavailable."""
        await proof.walls(self._engine)
        await proof.inspect(self._engine, image)
        async with self._private() as private:
            with Channel(private / "channel", ()) as pipes:
                user = os.geteuid() or self._settings.first_uid
                container = self._container(image, user, {CHANNEL: pipes.folder}, {})
                version = await proof.witness(self._engine, container, pipes)
        self._proven.add(image)
        return version

    @asynccontextmanager
    async def _private(self) -> AsyncIterator[Path]:
        """A fresh folder that only this process's user can enter, and that is removed afterwards.

        Raises SandboxFault when the disk refuses it, or what is put into it.
        """
        folder = self._settings.staging_dir / owned_name(KIND)
        try:
            make_public_folder(folder.parent)
            folder.mkdir(mode=0o700)
            yield folder
        except OSError as error:
            raise SandboxFault(f"{folder}: a run cannot be prepared ({error})") from error
        finally:
            with anyio.CancelScope(shield=True):
                await remove(folder)

    @property
    def _state_label(self) -> str:
        return str(self._settings.state_dir.resolve())

    def _container(
        self, image: Image, user: int, binds: Mapping[str, Path], scratch: Mapping[str, int]
    ) -> Container:
        return Container(
            name=owned_name("kaiju"),
            image=image.name,
            entrypoint=self._entrypoint,
            user=user,
            labels={OWNER: Owner.current().label, STATE: self._state_label},
            seccomp=self._seccomp,
            binds=binds,
            scratch=scratch,
        )


def check_docker(command: Command) -> None:
    """Raises ValueError for what this backend alone cannot express."""
    if not SYSTEM_NAME.fullmatch(command.system):
        raise ValueError(f"system: {command.system!r}, expected lower-case letters and digits")
    for entry in (*command.inputs, *command.scratch):
        if placement.is_below(entry.target, CHANNEL) or placement.is_below(CHANNEL, entry.target):
            raise ValueError(f"target: {entry.target!r} overlaps {CHANNEL}, which this backend uses")


async def remove(folder: Path) -> None:
    """A folder that stays is for the next sweep; it does not change what the run was."""
    try:
        await anyio.to_thread.run_sync(remove_tree, folder)
    except SandboxFault as fault:
        log.warning("%s", fault)


def sweep_folders(settings: Settings) -> int:
    folders = list(orphans(settings.staging_dir, KIND))
    for folder in folders:
        remove_tree(folder)
    return len(folders) + staging.sweep(settings.staging_dir) + LayerStore(settings.layers_dir).sweep()


def is_dead(label: str) -> bool:
    owner = Owner.parse(label)
    return owner is not None and not owner.alive()


def places(command: Command, trees: Mapping[str, Path]) -> dict[str, Path]:
    """Where on the host each input lies, by its target."""
    layers = {entry.target: entry.path.resolve() for entry in command.inputs if isinstance(entry, Layer)}
    return layers | dict(trees)
