"""A draft: everything that preparation found, and the suite that it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kaiju_grading.files import Files
from kaiju_grading.preparation import Stub
from kaiju_grading.suite import Cell, Suite, Test
from kaiju_sandbox.limits import Limits
from kaiju_tasks.prepare.cut import Cut
from kaiju_tasks.prepare.halves import FoundHalf
from kaiju_tasks.prepare.material import Material
from kaiju_tasks.prepare.modules import Division
from kaiju_tasks.prepare.trials import Trials

SLOWEST_WALL = 30.0
"""Seconds that any module's run gets, however fast it was."""
FACTOR = 10.0
"""How much slower than at calibration a run may be: another machine, a loaded one, code that is slow."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A task before it is written."""

    material: Material
    stub: Stub = field(repr=False)
    trials: Trials = field(repr=False)
    cut: Cut = field(repr=False)
    cells: tuple[Cell, ...] = field(repr=False)
    division: Division
    seconds: Mapping[str, float]
    dropped: Mapping[str, str]
    """Ids that later steps left out, and why."""
    spec: Mapping[str, str] = field(repr=False)
    commands: Mapping[str, str]
    options: Mapping[str, str]
    lint_baseline: tuple[str, ...] = ()
    half: FoundHalf = field(default_factory=FoundHalf)

    @property
    def workspace(self) -> Files:
        return {**self.material.split.config, **self.stub.files}

    @property
    def visible_tests(self) -> tuple[Test, ...]:
        tests = self.cut.visible_tests
        return tuple(test for path in sorted(tests) for test in tests[path])

    @property
    def limits(self) -> Limits:
        """For one run of the slowest module."""
        wall = max(SLOWEST_WALL, round(FACTOR * max(self.seconds.values()), 0))
        return replace(Limits(), wall=wall, cpu=2 * wall)

    @property
    def kept_cells(self) -> tuple[Cell, ...]:
        """Cells of the tests that are in a module."""
        ids = {test.id for module in self.division.modules for test in module.tests}
        parts = (replace(cell, tests=tuple(id for id in cell.tests if id in ids)) for cell in self.cells)
        return tuple(part for part in parts if part.tests)

    def suite(self, task_digest: str = "sha256:draft") -> Suite:
        """The task as the grader sees it."""
        return Suite(
            language=self.material.recipe.content.language,
            task_digest=task_digest,
            environment=self.material.environment,
            roots=self.material.split.roots,
            workspace=self.workspace,
            reference=self.material.reference,
            shared=self.cut.shared,
            heldout=self.cut.heldout,
            visible=self.cut.visible,
            modules=self.division.modules,
            visible_tests=self.visible_tests,
            cells=self.kept_cells,
            options=self.options,
            limits=self.limits,
            lint_baseline=self.lint_baseline,
        )
