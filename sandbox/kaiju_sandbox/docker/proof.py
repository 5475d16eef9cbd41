"""Proof that a daemon can run our containers: it has the image and shares this machine's files and kernel."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio

from kaiju_sandbox.backend import Check
from kaiju_sandbox.docker.channel import Channel
from kaiju_sandbox.docker.container import CHANNEL, Container
from kaiju_sandbox.docker.engine import Engine, Gone
from kaiju_sandbox.errors import BackendUnavailable, SandboxError, SandboxFault
from kaiju_sandbox.limits import Limits

SECONDS = 30.0
BASE = "python"
"""The system that every image is made from: the first process of a container is a Python program."""
BASE_FOLDER, FOLDERS = "sandbox/docker", "grading/kaiju_grading/languages/{system}/image"
"""Where the Dockerfile of the base lies, and those of the languages whose system needs more than the base."""
LOCAL = "use the daemon of this machine (Docker Desktop and forwarded sockets cannot work)"
WALLS = {"MemoryLimit": "memory", "PidsLimit": "process"}
"""Fields of the daemon's description of itself that must be true, and the limit behind each."""
NAMES = ("docker engine", "docker image", "docker run")
"""Lines of `kaiju doctor`, each standing on the one before."""
WITNESS = f"""
import json, platform
with open("{CHANNEL}/marker") as marker, open("{CHANNEL}/control", "w") as control:
    control.write(json.dumps(dict(marker=marker.read(), python=platform.python_version())) + "\\n")
"""
"""Reads a file of the host and answers through a pipe of the host's kernel. A daemon in a virtual machine may
share the first; only a local one shares both."""


@dataclass(frozen=True, slots=True)
class Image:
    """The image of one system."""

    name: str
    folder: str
    """Where its Dockerfile lies, below the top of a checkout."""

    @classmethod
    def of(cls, template: str, system: str) -> "Image":
        """`template` may hold `{system}`; without it, one image serves every system."""
        own = "{system}" in template and system != BASE
        name = template.replace("{system}", system)
        return cls(name, FOLDERS.format(system=system) if own else BASE_FOLDER)

    @property
    def build(self) -> str:
        """The command that makes it."""
        return f"docker build --tag {self.name} {self.folder}"


async def inspect(engine: Engine, image: Image) -> None:
    """Raises BackendUnavailable when the image cannot be used, with the command that builds it."""
    try:
        description: dict[str, Any] = await engine.call("inspect_image", image.name)
    except Gone as error:
        raise BackendUnavailable("docker", f"image {image.name!r} is missing", image.build) from error
    if description["Config"].get("Volumes"):
        reason = f"image {image.name!r} declares volumes, which a command could fill without limit"
        raise BackendUnavailable("docker", reason, f"build it from a base without VOLUME: {image.build}")


async def witness(engine: Engine, container: Container, pipes: Channel) -> str:
    """The version of the image's Python, told by a container that sees this machine's files.

    Raises BackendUnavailable when the daemon runs elsewhere, or when no container can run.
    """
    marker = secrets.token_hex(16)
    pipes.put("marker", marker.encode())
    creation = container.creation(Limits()) | {"entrypoint": ["python3", "-I", "-S", "-c", WITNESS]}
    try:
        async with engine.container(creation):
            with anyio.move_on_after(SECONDS):
                async for message in pipes.messages():
                    if message.get("marker") == marker:
                        return str(message["python"])
    except SandboxFault as error:
        raise BackendUnavailable("docker", f"no container can see {pipes.folder}: {error}", LOCAL) from error
    raise BackendUnavailable("docker", f"a container did not read a file in {pipes.folder}", LOCAL)


async def walls(engine: Engine) -> str:
    """The daemon in words. Raises BackendUnavailable when it cannot hold a limit."""
    daemon = await engine.call("info")
    missing = [f"no {limit} limit" for field, limit in WALLS.items() if not daemon.get(field)]
    if not any("name=seccomp" in option for option in daemon.get("SecurityOptions") or ()):
        missing.append("no seccomp")
    if missing:
        reason = f"the daemon at {engine.host} has {', '.join(missing)}"
        raise BackendUnavailable("docker", reason, "enable these control groups and seccomp in the kernel")
    words = f"{daemon.get('ServerVersion')}, cgroup v{daemon.get('CgroupVersion')}"
    return (
        words if daemon.get("SwapLimit") else f"{words}, no swap limit: memory can go over by what swap holds"
    )


async def check(engine: Engine, image: Image, prove: Callable[[Image], Awaitable[str]]) -> tuple[Check, ...]:
    """Lines of `kaiju doctor`, up to the first that stands in the way."""
    done: list[Check] = []
    try:
        done.append(Check(NAMES[0], True, await walls(engine)))
        await inspect(engine, image)
        done.append(Check(NAMES[1], True, image.name))
        done.append(Check(NAMES[2], True, f"local, python {await prove(image)}"))
    except BackendUnavailable as error:
        done.append(Check(NAMES[len(done)], False, error.reason, error.remedy))
    except SandboxError as error:
        done.append(Check(NAMES[len(done)], False, str(error), "look into the daemon's log"))
    return tuple(done)
