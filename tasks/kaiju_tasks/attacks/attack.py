"""An attack: a change to a stub tree that an agent could hand in instead of an implementation."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.command import Command


class Family(StrEnum):
    """What an attack goes for."""

    ENDING = "ending early"
    RUNNER = "touching the runner"
    FORGING = "forging results"
    SEEING = "seeing what is hidden"
    RECOGNISING = "recognising the grader"
    CHANCE = "random forgery"
    SMUGGLING = "smuggling files"
    FAULTS = "provoking a fault"


@dataclass(frozen=True, slots=True)
class Lures:
    """Things outside that no sandbox may reach. An attack that looks for them is told where they are."""

    file: str = "/nowhere"
    """A readable file on the host."""
    socket: str = "/nowhere"
    """A listening Unix socket, by path; its name stands for an abstract one, too."""
    port: int = 9
    """A listening TCP port of the loopback interface."""
    variable: str = "KAIJU_NOTHING"
    """An environment variable of a process on the host."""

    def named_in(self, code: str) -> str:
        """The code with the lures for `{file}`, `{socket}`, `{port}` and `{variable}`."""
        for name in ("file", "socket", "port", "variable"):
            code = code.replace(f"{{{name}}}", str(getattr(self, name)))
        return code


@dataclass(frozen=True, slots=True)
class Layout:
    """What an attack knows of the task: what any agent knows."""

    roots: tuple[str, ...]
    """Folders or single files that hold the library."""
    packages: tuple[str, ...]
    """What a user of the library imports."""
    lures: Lures = Lures()


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A change that makes no sense for this library."""

    reason: str


Change = Callable[[Files, Layout], Files | NotApplicable]
"""From a task's stub tree to the tree that is handed in."""
OnDisk = Callable[[Path, Layout], None]
"""What cannot be a regular file (links, pipes), made in a workspace folder."""


def nothing(folder: Path, layout: Layout) -> None:
    """For attacks that are regular files only."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One way to cheat."""

    name: str
    summary: str
    """What it does, in a line."""
    apply: Change
    family: Family
    on_disk: OnDisk = nothing


Naive = Callable[[Suite, Files, Module], Command]
"""A careless grader: a command over the agent's whole tree with the module's tests laid into it, whose exit
status 0 is taken for a pass. What it does not pay for was no attack."""
