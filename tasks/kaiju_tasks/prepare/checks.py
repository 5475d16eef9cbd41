"""Checks of a cut: visible tests and modules run exactly as an episode and a grading will run them."""

from collections.abc import Mapping
from dataclasses import dataclass

import anyio

from kaiju_grading.compose import apply_sites
from kaiju_grading.harness import lookups, table
from kaiju_grading.outcome import Outcome
from kaiju_grading.preparation import Split
from kaiju_grading.suite import Cell, Module
from kaiju_grading.visible import PART
from kaiju_tasks.prepare.cut import Cut
from kaiju_tasks.prepare.workshop import Assembly, Trial, Workshop


@dataclass(frozen=True, slots=True)
class ModuleCheck:
    """One run of every module on the reference."""

    seconds: Mapping[str, float]
    """Wall time by module name."""
    failed: frozenset[str]
    """Ids that do not pass among their module's tests alone."""


async def failing_visible(workshop: Workshop, split: Split, cut: Cut) -> frozenset[str]:
    """Visible ids that do not pass on the reference with only `shared/` and `visible/` in reach."""
    if not cut.visible_tests:
        return frozenset()
    tests = tuple(test for path in sorted(cut.visible_tests) for test in cut.visible_tests[path])
    work = {**split.config, **split.library, **cut.shared, **cut.visible}
    paths = tuple(sorted(cut.visible))
    assembly = Assembly(work, split.library, {PART: paths})
    report = await workshop.test(assembly, Trial(PART, paths, tests))
    return frozenset(test.id for test in tests if report.outcomes.get(test.id) is not Outcome.PASSED)


async def check_modules(
    workshop: Workshop, split: Split, cut: Cut, cells: tuple[Cell, ...], modules: tuple[Module, ...]
) -> ModuleCheck:
    """Run each module with exactly the files that a grading mounts."""
    library = {**split.config, **split.library, **cut.shared}
    looked_up = lookups(cells)
    values = table(looked_up, ())
    together = {**library, **apply_sites(cut.heldout, looked_up)}
    parts = {module.name: module.mounted for module in modules}
    failed: set[str] = set()

    def assembly(module: Module) -> Assembly:
        if looked_up:
            return Assembly(together, split.library, parts)
        work = {**library, **{path: cut.heldout[path] for path in module.mounted}}
        return Assembly(work, split.library, {module.name: module.mounted})

    async def one(module: Module) -> float:
        assembled = assembly(module)
        await workshop.compile(assembled)
        began = anyio.current_time()
        report = await workshop.test(assembled, Trial(module.name, module.files, module.tests, values=values))
        failed.update(test.id for test in module.tests if report.outcomes.get(test.id) is not Outcome.PASSED)
        return anyio.current_time() - began

    seconds = await workshop.each(modules, one)
    names = (module.name for module in modules)
    return ModuleCheck(dict(zip(names, seconds, strict=True)), frozenset(failed))
