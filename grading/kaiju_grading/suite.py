"""A suite: everything the grader needs of a task. Never shown to an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kaiju_grading.files import Files
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits


@dataclass(frozen=True, slots=True)
class Test:
    """One pinned test. `unit` and `ordinal` find it even when an alteration changes a value in its id."""

    __test__ = False

    id: str
    """As the runner reports it on the unaltered files, byte for byte."""
    unit: str
    """What can be altered or cut as one piece of source: the id without its parameters.

    Its parts are joined by `::`, the outermost first: file, class (or what the language has), function.
    """
    ordinal: int = 0
    """Position among all tests that the runner collects for this unit on the reference, from 0."""

    @property
    def key(self) -> tuple[str, int]:
        return self.unit, self.ordinal

    @property
    def group(self) -> str:
        """What holds its unit: a class, else the file."""
        return self.unit.rpartition("::")[0]

    def within(self, name: str) -> bool:
        """Whether `name` is its unit, or a class or file around it."""
        return self.unit == name or self.unit.startswith(name + "::")


class SiteKind(StrEnum):
    """What kind of assertion an alteration changes."""

    EQUAL = "=="
    BOOL = "bool"
    RAISES = "raises"
    IN = "in"
    IS = "is"
    HELPER = "helper"


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that compiled tests look up at run time: all runs use one program."""

    slot: str
    """Names the value in the table of a run; one place in the held-out files, one slot."""
    real: str
    altered: str


@dataclass(frozen=True, slots=True)
class Question:
    """What an assertion compares a computed value with, kept by the grader alone."""

    key: str
    """Names the answer on the runner's channel; one place in the held-out files, one key."""
    expected: str
    """Plain data (`plain.py`)."""
    echoed: bool = False
    """The test still says this value elsewhere: repeating what stands there may answer it."""
    typed: bool = False
    """The language fixes the type of what is compared: no honest answer is opaque."""


@dataclass(frozen=True, slots=True)
class Site:
    """One proven alteration: replacing these bytes makes every test of its cell fail on the reference.

    With a `question` it asks instead, and the tests pass.

    Where tests are compiled, `choice` is set and `replacement` is the code that looks the value up: it stands
    in every program, and the table of a run says whether it gives the real value or the altered one.
    """

    path: str
    start: int
    """Byte offset in the unaltered file."""
    end: int
    replacement: str
    kind: SiteKind
    weak: bool = False
    """A negation: one bit, whatever the test computes."""
    conditional: bool = False
    """Honest code may pass it altered, by skipping the assertion or with an answer that fits both versions.

    Passing both is then an ordinary failure and accuses nobody.
    """
    choice: Choice | None = None
    question: Question | None = None
    """The replacement hands the computed value to the runner, and holds no expected one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Tests that are altered together, and the alternative ways to alter them."""

    tests: tuple[str, ...]
    """Ids, sorted; each id is in at most one cell."""
    sites: tuple[Site, ...]
    """Flips: each of them alone makes all tests fail."""
    asked: tuple[Site, ...] = ()
    """Questions, put all at once: with them all tests pass, and the grader compares the answers.

    None where there is no flip: an opaque answer would leave nothing to go by.
    """


@dataclass(frozen=True, slots=True)
class Module:
    """A named group of held-out tests: the unit of reward."""

    name: str
    files: tuple[str, ...]
    """Held-out test files that its run mounts beside the shared files, and collects."""
    tests: tuple[Test, ...]
    seconds: float = 1.0
    """Wall time of one run on the reference, as calibrated."""
    helpers: tuple[str, ...] = ()
    """Held-out files that its run mounts and does not collect: base classes, helpers, data."""

    @property
    def mounted(self) -> tuple[str, ...]:
        """Every held-out path of its runs."""
        return self.files + self.helpers


@dataclass(frozen=True, slots=True)
class Suite:
    """A task as the grader sees it."""

    language: str
    task_digest: str
    environment: Environment = field(repr=False)
    roots: tuple[str, ...]
    """Folders (or single files) that hold the library; a submission replaces everything below them."""
    workspace: Files = field(repr=False)
    """The stub with its build files: the tree that a submission is laid over."""
    reference: Files = field(repr=False)
    """The upstream files below the roots: what a control run uses."""
    shared: Files = field(repr=False)
    heldout: Files = field(repr=False)
    visible: Files = field(repr=False)
    modules: tuple[Module, ...]
    visible_tests: tuple[Test, ...]
    cells: tuple[Cell, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    """Settings of the language's runner, pinned in the task."""
    limits: Limits = field(default_factory=Limits)
    """For one run of the slowest module."""
    lint_baseline: tuple[str, ...] = ()
    """`file\\0rule\\0message` of each finding on the stub, with repeats: never charged to the agent."""

    @property
    def reserved(self) -> frozenset[str]:
        """Paths that only the grader may fill."""
        return self.known | frozenset(self.heldout)

    @property
    def known(self) -> frozenset[str]:
        """Those of them that an agent may know: that a file of its own is not taken tells of one."""
        return frozenset(self.shared) | frozenset(self.visible)
