"""Probing: bits sent from one sandbox to the next through one channel, with its wall down and up."""

import math
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.to_thread

from kaiju_clients.bench.walls.channels import Channel, Wall
from kaiju_clients.records import Record
from kaiju_sandbox.backends.namespace import NamespaceBackend
from kaiju_sandbox.command import Command, File, Layer, Tree
from kaiju_sandbox.interpreter import Interpreter
from kaiju_sandbox.limits import MIB, Limits
from kaiju_sandbox.namespace.doctor import in_memory
from kaiju_sandbox.namespace.walls import Walls
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

SHARED, PROGRAMS = "/kaiju/shared", "/kaiju/marks"
MARKS = Path("kaiju_clients", "bench", "walls", "marks")
"""The package of the programs, by the name that they know each other by."""
START = f"import sys; sys.path.append({PROGRAMS!r}); from {'.'.join(MARKS.parts)}.program import main; main()"
LARGE, SMALL_FILES = 32 * MIB, 70
MEMORY = Path("/dev/shm")  # noqa: S108 - looked at, then used for a private folder
LIMITS = Limits(wall=120, cpu=60, memory=512 * MIB)
SOURCES = Path(__file__).with_name("marks")


class Carried(Record):
    """What came through a channel. Half of the bits is chance: who hears nothing guesses."""

    bits: int
    right: int
    seconds: float
    """Of writer and reader."""

    @property
    def rate(self) -> float:
        """Bits a second that a channel with so many errors carries, at best (Shannon)."""
        right = max(self.right / self.bits, 0.5)
        unsure = -sum(share * math.log2(share) for share in (right, 1 - right) if share)
        return self.bits * (1 - unsure) / self.seconds


class Probe(Record):
    """One channel."""

    channel: str
    wall: str
    without: Carried | None
    """With the wall down. None where there is none, or no disk to measure it on."""
    with_it: Carried | None


@dataclass(frozen=True, slots=True)
class Place:
    """Backends with their walls, the Python of sandboxes, and folders for what they share."""

    settings: Settings
    python: Interpreter
    disk: Path | None
    memory: Path | None
    backends: dict[Walls, NamespaceBackend] = field(default_factory=dict)

    def behind(self, walls: Walls) -> NamespaceBackend:
        """Preparing one takes longer than a probe."""
        return self.backends.setdefault(walls, NamespaceBackend(self.settings, walls))


@contextmanager
def places(settings: Settings, python: Interpreter) -> Iterator[Place]:
    """Temporary folders, on a disk and in memory as far as there is both."""
    with ExitStack() as stack:
        found: dict[bool, Path] = {}
        for parent in (MEMORY, settings.layers_dir, Path(tempfile.gettempdir())):
            if os.access(parent, os.W_OK) and in_memory(parent) not in found:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=parent, prefix=".walls-")))
                folder.chmod(0o755)
                found[in_memory(parent)] = folder
        yield Place(settings, python, found.get(False), found.get(True))


async def probe(place: Place, channel: Channel, rounds: int) -> Probe:
    """Both halves, in turns."""
    halves: dict[bool, list[Carried]] = {False: [], True: []}
    for _ in range(rounds):
        for up in (False, True):
            passage = _passage(place, channel, up=up)
            if passage is not None:
                halves[up].append(await passage.carry())
    return Probe(
        channel=channel.name,
        wall=channel.wall.value,
        without=_sum(halves[False]),
        with_it=_sum(halves[True]),
    )


def _sum(carried: list[Carried]) -> Carried | None:
    if not carried:
        return None
    return Carried(
        bits=sum(one.bits for one in carried),
        right=sum(one.right for one in carried),
        seconds=sum(one.seconds for one in carried),
    )


def _passage(place: Place, channel: Channel, *, up: bool) -> "Passage | None":
    """None for a half that there is not."""
    if channel.wall is Wall.NONE and not up:
        return None
    on_disk = channel.on_disk or (channel.wall is Wall.LAYERS and not up)
    folder = place.disk if on_disk else place.memory
    if folder is None:
        return None
    walls = Wall.NONE.down if up else channel.wall.down
    if channel.down is Wall.WARMTH:
        walls = replace(walls, warmth=False)
    return Passage(
        channel=channel,
        backend=place.behind(walls),
        python=place.python,
        folder=folder / secrets.token_hex(8),
        together=channel.wall is Wall.TURNS and not up,
    )


@dataclass(frozen=True, slots=True)
class Passage:
    """One try: fresh files, fresh bits."""

    channel: Channel
    backend: NamespaceBackend
    python: Interpreter
    folder: Path
    together: bool

    async def carry(self) -> Carried:
        bits = "".join(secrets.choice("01") for _ in range(self.channel.bits))
        await anyio.to_thread.run_sync(self._lay_out)
        before = await self._run("look", "0" * len(bits)) if self.channel.looks_before else None
        began = time.perf_counter()
        found = await (self._both if self.together else self._one_by_one)(bits, before)
        seconds = time.perf_counter() - began
        answer = found.stdout.decode(errors="replace").strip().rjust(len(bits), "?")
        guessed = len(bits) // 2 if "?" in answer else 0
        right = sum(one == other for one, other in zip(bits, answer, strict=False))
        return Carried(bits=len(bits), right=guessed or right, seconds=seconds)

    async def _one_by_one(self, bits: str, before: Result | None) -> Result:
        await self._run("leave", bits)
        return await self._run("find", "0" * len(bits), before)

    async def _both(self, bits: str, before: Result | None) -> Result:
        found = []

        async def find() -> None:
            found.append(await self._run("find", "0" * len(bits), before))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._run, "leave", bits)
            tasks.start_soon(find)
        return found[0]

    async def _run(self, verb: str, bits: str, before: Result | None = None) -> Result:
        python = (self.python.layer,) if self.python.layer else ()
        command = Command(
            (self.python.path, "-I", "-S", "-c", START, self.channel.program, verb, bits),
            env={"SIDE_BY_SIDE": "1"} if self.together else {},
            stdin=(before.stdout if before is not None else b"") or b"[]",
            inputs=(
                *python,
                Layer(SHARED, self.folder),
                Tree(PROGRAMS, programs()),
            ),
        )
        return await self.backend.run(command, LIMITS)

    def _lay_out(self) -> None:
        """Files that nobody has read yet."""
        (self.folder / "files").mkdir(parents=True)
        for number in range(SMALL_FILES):
            (self.folder / "files" / str(number)).write_bytes(b"x")
        with (self.folder / "large").open("wb") as file:
            file.write(b"\xff" * LARGE)
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        for path in (self.folder, *self.folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


def programs() -> dict[str, File]:
    return {str(MARKS / path.name): File(path.read_bytes()) for path in SOURCES.glob("*.py")}
