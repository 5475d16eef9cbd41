"""An inventory: the pinned test ids of each module, recorded per environment on reference and stub."""

from typing import Literal

from pydantic import Field

from kaiju_grading.suite import Test
from kaiju_tasks.format import Part, TreePath

FILE = "tests/inventory.json"


class TestEntry(Part):
    """One pinned test."""

    __test__ = False

    id: str
    unit: str
    ordinal: int = Field(ge=0)

    @classmethod
    def of(cls, test: Test) -> "TestEntry":
        return cls(id=test.id, unit=test.unit, ordinal=test.ordinal)

    def as_test(self) -> Test:
        return Test(self.id, self.unit, self.ordinal)


class ModuleEntry(Part):
    """A module: the held-out files that its run collects, those it mounts besides, and its tests."""

    name: str
    files: tuple[TreePath, ...] = Field(min_length=1)
    helpers: tuple[TreePath, ...] = ()
    tests: tuple[TestEntry, ...] = Field(min_length=1)


class Recording(Part):
    """What was seen in one environment."""

    task_digest: str
    """Of the content that was measured; other content is not calibrated."""
    tools: dict[str, str]
    modules: tuple[ModuleEntry, ...] = Field(min_length=1)
    visible: tuple[TestEntry, ...]
    dropped: dict[str, str] = Field(default_factory=dict)
    """Id, unit, file or module that preparation left out, and why."""
    lint_baseline: tuple[str, ...] = ()
    r"""`file\0rule\0message` of each finding on the stub, with repeats."""


class Inventory(Part):
    """tests/inventory.json."""

    format: Literal[1] = 1
    environments: dict[str, Recording]
    """By environment digest."""
