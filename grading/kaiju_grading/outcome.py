"""What one test did in one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kaiju_grading.suite import Test


class Outcome(StrEnum):
    """Every ending told apart. Only PASSED is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    """The test itself ran and failed."""
    ERROR = "error"
    """Set-up or tear-down failed, or the file could not be collected."""
    SKIPPED = "skipped"
    EXPECTED_FAILURE = "expected_failure"
    """xfail in either direction."""
    CRASHED = "crashed"
    """It began and never ended: exit, signal, memory."""
    TIMED_OUT = "timed_out"
    ABSENT = "absent"
    """Pinned, never begun."""
    DOUBLED = "doubled"
    """Reported more than once, or with parts missing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a test computed where a question stands."""

    plain: str | None = None
    """Plain data (`plain.py`); None: opaque, of a type with its own idea of equality, or too large."""


@dataclass(frozen=True, slots=True)
class TestReport:
    """One run, read from its result channel; nothing printed counts."""

    __test__ = False

    outcomes: Mapping[str, Outcome]
    """By pinned id: one entry for every test that was selected."""
    sound: bool
    """Exit status, closing record, selection and records agree. When not, no outcome is a pass."""
    problem: str = ""
    """Why the run is not sound, in the grader's words."""
    collected: tuple[Test, ...] = ()
    """Everything the runner collected, in its order, with ids as reported in this run."""
    observed: Mapping[str, Outcome] = field(default_factory=dict)
    """By reported id, selected or not: what preparation pins from."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    messages: Mapping[str, str] = field(default_factory=dict)
    """By pinned id: failure text. Only visible runs may show it."""
    collect_errors: tuple[str, ...] = ()
    answers: Mapping[str, Mapping[str, tuple[Answer, ...]]] = field(default_factory=dict, repr=False)
    """By pinned id, then by key of the question: more than one where the assertion ran more than once."""
