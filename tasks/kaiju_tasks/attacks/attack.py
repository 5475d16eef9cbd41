"""An attack: a change to a stub tree that an agent could hand in instead of an implementation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.files import Files


@dataclass(frozen=True, slots=True)
class Layout:
    """What an attack knows of the task: what any agent knows."""

    roots: tuple[str, ...]
    """Folders or single files that hold the library."""
    packages: tuple[str, ...]
    """What a user of the library imports."""


Change = Callable[[Files, Layout], Files]
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
    on_disk: OnDisk = nothing
