"""Strengths: what the modules of a task leave a forger to guess, from what was recorded of it.

Nothing is built or run for it; of a task that was measured nowhere there is nothing to tell.
"""

from kaiju_grading.questions import Pool
from kaiju_grading.strength import Strength, module_cells, module_strength, weigh
from kaiju_grading.suite import Cell, Module, Suite
from kaiju_tasks import canaries, inventory
from kaiju_tasks.canaries import Canaries
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.format import Part, read_json
from kaiju_tasks.inventory import Inventory, ModuleEntry
from kaiju_tasks.task import Task


class StrengthEntry(Part):
    """The strength of one module (`kaiju_grading.strength`)."""

    module: str
    runs: int
    bits: float
    blindfold: float
    weak: bool
    asked: int
    """Cells of the module that are asked; the others are flipped."""

    @classmethod
    def of(cls, module: Module, found: Strength) -> "StrengthEntry":
        return cls(
            module=module.name,
            runs=found.runs,
            bits=found.bits,
            blindfold=found.blindfold,
            weak=found.weak,
            asked=found.asked,
        )

    def __str__(self) -> str:
        told = f"{self.module}: {self.bits:g} bits in {self.runs} runs, {self.asked} asked"
        return f"{told}, weak ({self.blindfold:g} unless they can be compared)" if self.weak else told


def strengths(task: Task) -> dict[str, tuple[StrengthEntry, ...]]:
    """Every module, by environment digest. Raises TaskFormatError."""
    if not (task.path / inventory.FILE).exists():
        return {}
    recorded = read_json(Inventory, _read(task, inventory.FILE), f"{task.view.id}/{inventory.FILE}")
    altered = read_json(Canaries, _read(task, canaries.FILE), f"{task.view.id}/{canaries.FILE}")
    cells = {name: tuple(one.as_cell() for one in found) for name, found in altered.environments.items()}
    return {
        name: tuple(_entry(module, cells.get(name, ())) for module in recording.modules)
        for name, recording in recorded.environments.items()
    }


def weak_modules(suite: Suite) -> tuple[str, ...]:
    """Those that leave too little, each with what it leaves."""
    entries = (StrengthEntry.of(module, module_strength(suite.cells, module)) for module in suite.modules)
    return tuple(str(entry) for entry in entries if entry.weak)


def asked_tests(suite: Suite) -> str:
    """How many tests are asked what they computed, of those that can be altered."""
    pool = Pool.of(suite.cells)
    weighed = [weigh(module_cells(suite.cells, module), pool) for module in suite.modules]
    asked = sum(len(cell.tests) for one in weighed for cell in one.asked)
    flipped = sum(len(cell.tests) for one in weighed for cell in one.flipped)
    return f"{asked} of {asked + flipped} altered tests"


def _entry(entry: ModuleEntry, cells: tuple[Cell, ...]) -> StrengthEntry:
    tests = tuple(test.as_test() for test in entry.tests)
    module = Module(entry.name, entry.files, tests, helpers=entry.helpers)
    return StrengthEntry.of(module, module_strength(cells, module))


def _read(task: Task, name: str) -> bytes:
    try:
        return (task.path / name).read_bytes()
    except OSError as error:
        raise TaskFormatError(f"{task.view.id}/{name}", "", error.strerror, "a file") from error
