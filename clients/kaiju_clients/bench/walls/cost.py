"""What walls cost: one small command, like a run of tests, with a wall down and up, in turns."""

from dataclasses import dataclass, replace

from kaiju_clients.bench.measurement import Measurement, in_turns
from kaiju_clients.bench.walls.channels import Wall
from kaiju_clients.bench.walls.probing import LIMITS, Place
from kaiju_sandbox.backends.namespace import NamespaceBackend
from kaiju_sandbox.command import Command, Layer
from kaiju_sandbox.namespace.walls import Walls

WORK = """
import argparse, ast, asyncio, decimal, difflib, doctest, json, os, subprocess, unittest
for folder, _, names in os.walk("/kaiju/shared"):
    for name in names:
        open(os.path.join(folder, name), "rb").read(1)
for _ in range(10):
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
for _ in range(2000):
    os.close(os.open("/dev/null", os.O_RDONLY))
"""
"""Imports, files, processes and calls."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One of the two ways in which the command runs."""

    backend: NamespaceBackend
    command: Command

    async def run(self) -> None:
        await self.backend.run(self.command, LIMITS)


async def costs(place: Place, rounds: int) -> list[Measurement]:
    """Of every wall that a single command can feel."""
    up = Setting(place.behind(Walls()), _command(place, in_memory=True))
    pairs = {
        wall.value: Setting(place.behind(wall.down), up.command)
        for wall in (Wall.CALLS, Wall.COUNTERS, Wall.WARMTH)
    }
    if place.disk is not None:
        pairs[Wall.LAYERS.value] = replace(up, command=_command(place, in_memory=False))
    pairs["all that a backend has"] = Setting(
        place.behind(Walls(calls=False, counters=False, warmth=False)),
        up.command,
    )
    found = []
    for name, down in pairs.items():
        await in_turns(up.run, down.run, 1)
        timed = await in_turns(up.run, down.run, rounds)
        found.append(Measurement.of(name, "without", timed, None, "ms"))
    return found


def _command(place: Place, *, in_memory: bool) -> Command:
    folder = place.memory if in_memory else place.disk
    shared = (Layer("/kaiju/shared", folder / "cost"),) if folder is not None else ()
    for layer in shared:
        layer.path.mkdir(exist_ok=True)
        for number in range(200):
            (layer.path / str(number)).write_bytes(b"x" * 1000)
    python = (place.python.layer,) if place.python.layer else ()
    return Command((place.python.path, "-I", "-S", "-c", WORK), inputs=(*python, *shared))
