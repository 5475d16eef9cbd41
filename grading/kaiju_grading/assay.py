"""What a language offers the proof of a task: `languages/<id>/assay.py` has it as ASSAY.

A language may do without, or without single answers: the claims that need them then say "not applicable".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from kaiju_grading.language import TestRun
from kaiju_sandbox.command import Command


class Shake(StrEnum):
    """A circumstance that must not change what a test does."""

    SEED = "other hash seeds"
    ORDER = "another order"
    CLOCK = "a shifted clock"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A small mistake: other bytes in one body of a source file. It need not compile."""

    start: int
    end: int
    text: str
    body: str
    """The function around it, such as `Table.insert`."""
    kind: str
    """What was done: `comparison`, `constant`, `condition`, `early return`."""

    def applied(self, data: bytes) -> bytes:
        return data[: self.start] + self.text.encode() + data[self.end :]


@dataclass(frozen=True, slots=True)
class Named:
    """Names of one file."""

    declared: frozenset[str] = field(default_factory=frozenset)
    """Functions, types, members and constants; nothing that is local to a function."""
    used: frozenset[str] = field(default_factory=frozenset)
    """What it could have from elsewhere: imported names, members, names that it does not declare."""


class Assay(Protocol):
    """Pure functions of sources, and one of a run."""

    @property
    def shakes(self) -> frozenset[Shake]:
        """Circumstances that its runner can be put in."""
        ...

    def shaken(self, run: TestRun, shake: Shake, seed: int) -> Command:
        """The run in one of these."""
        ...

    def quiet(self, reference: bytes, stub: bytes) -> tuple[str, ...]:
        """Functions of a stub file whose bodies are not the reference's and do not fail loudly."""
        ...

    def names(self, source: bytes) -> Named:
        """Of a library file or a test file."""
        ...

    def mutants(self, source: bytes) -> Iterable[Mutant]:
        """Small mistakes in a library file, in the order of the text."""
        ...

    def is_source(self, path: str) -> bool:
        """Whether a file is of this language."""
        ...
