"""Checks of a cut: visible tests and modules run exactly as an episode and a grading will run them."""

from collections.abc import Mapping
from dataclasses import dataclass

import anyio

from kaiju_grading.outcome import Outcome
from kaiju_grading.preparation import Split
from kaiju_grading.suite import Module
from kaiju_tasks.prepare.cut import Cut
from kaiju_tasks.prepare.workshop import Workshop


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
    report = await workshop.test(work, tuple(sorted(cut.visible)), tests)
    return frozenset(test.id for test in tests if report.outcomes.get(test.id) is not Outcome.PASSED)


async def check_modules(
    workshop: Workshop, split: Split, cut: Cut, modules: tuple[Module, ...]
) -> ModuleCheck:
    """Run each module with exactly the files that a grading mounts."""
    library = {**split.config, **split.library, **cut.shared}
    failed: set[str] = set()

    async def one(module: Module) -> float:
        work = {**library, **{path: cut.heldout[path] for path in module.mounted}}
        began = anyio.current_time()
        report = await workshop.test(work, module.files, module.tests)
        failed.update(test.id for test in module.tests if report.outcomes.get(test.id) is not Outcome.PASSED)
        return anyio.current_time() - began

    seconds = await workshop.each(modules, one)
    names = (module.name for module in modules)
    return ModuleCheck(dict(zip(names, seconds, strict=True)), frozenset(failed))
