"""A task, and the part of it that an agent may see: two types, two folders."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kaiju_grading.files import Files


@dataclass(frozen=True, slots=True)
class TaskView:
    """What may reach an agent. Holds no path: nothing here leads to the tests."""

    id: str
    language: str
    name: str
    version: str
    description: str
    licence: str
    instruction: str = field(repr=False)
    pages: Mapping[str, str] = field(repr=False)
    """Specification: Markdown by file name, `index.md` first."""
    workspace: Files = field(repr=False)
    roots: tuple[str, ...]
    modules: int
    visible_tests: int
    commands: Mapping[str, str]
    digest: str


@dataclass(frozen=True, slots=True)
class Task:
    """The grader's handle on a task folder. Parts are read when asked for."""

    path: Path
    view: TaskView
