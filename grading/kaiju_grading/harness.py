"""A harness: what turns a library and the plan of a run into the run that a sandbox makes.

Tests that run from source get a tree composed for each run. Compiled tests are compiled once for a library,
with every alterable value replaced by a lookup; all runs share these programs and differ in their tables.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import anyio

from kaiju_grading.compose import held_tree, library_tree, module_tree, veil
from kaiju_grading.files import Files, digest
from kaiju_grading.language import Compilation, Language, Library, Programs, TestRun
from kaiju_grading.plan import RunPlan
from kaiju_grading.sandboxes import Sandboxes
from kaiju_grading.steps import follow
from kaiju_grading.suite import Cell, Module, Site, Suite


class DoesNotCompile(Exception):
    """The tests of a module do not compile against a library; the text may quote held-out tests."""


def lookups(cells: Iterable[Cell]) -> tuple[Site, ...]:
    """Every edit that compiled tests have in all runs, sorted: lookups, once for each slot, and what lets a
    comparison ask."""
    edits = {
        (site.path, site.start, site.end, site.choice.slot if site.choice else ""): site
        for cell in cells
        for site in _edits(cell)
    }
    return tuple(edits[edit] for edit in sorted(edits))


def _edits(cell: Cell) -> Iterator[Site]:
    yield from (site for site in cell.sites if site.choice is not None)
    if any(site.choice is not None for site in cell.asked):
        yield from cell.asked


def table(looked_up: Iterable[Site], altered: Iterable[Site]) -> dict[str, str]:
    """The values of a run by slot: real ones, and those of the altered sites. What is asked is left out."""
    altered = tuple(altered)
    asked = {site.choice.slot for site in altered if site.choice and site.question}
    values = {site.choice.slot: site.choice.real for site in looked_up if site.choice}
    values |= {site.choice.slot: site.choice.altered for site in altered if site.choice}
    return {slot: value for slot, value in values.items() if slot not in asked}


def own_cells(suite: Suite, module: Module) -> tuple[Cell, ...]:
    """Those with a test of the module: its runs are not told what the tests of others expect."""
    own = {test.id for test in module.tests}
    return tuple(cell for cell in suite.cells if not own.isdisjoint(cell.tests))


def library_of(suite: Suite, files: Files) -> Library:
    """The library `files` in its workspace."""
    return Library(library_tree(suite, files), tuple(sorted(files)), suite.environment, suite.options)


@dataclass(slots=True)
class Harness:
    """The held-out tests of one suite, ready to be run against libraries. Safe for concurrent calls."""

    suite: Suite
    language: Language
    sandboxes: Sandboxes
    compiled: dict[str, Programs | None] = field(default_factory=dict, repr=False)
    lock: anyio.Lock = field(default_factory=anyio.Lock, repr=False)

    async def test_run(self, files: Files, module: Module, plan: RunPlan) -> TestRun:
        """The run of `plan` over the library `files`. Raises DoesNotCompile, SandboxError while compiling."""
        suite = self.suite
        programs = await self._programs(files)
        if programs is None:
            sites = tuple(dict.fromkeys((*plan.sites, *veil(suite, module))))
            work, values = module_tree(suite, files, module, sites), dict[str, str]()
        elif module.name in programs.failed:
            raise DoesNotCompile(programs.failed[module.name])
        else:
            work = programs.files[module.name]
            values = table(lookups(own_cells(suite, module)), plan.sites)
        return TestRun(work, suite.environment, module.files, plan.tests, suite.options, values=values)

    async def _programs(self, files: Files) -> Programs | None:
        """The compiled tests of every module; None where tests run from source."""
        async with self.lock:
            name = digest(files)
            if name not in self.compiled:
                steps = self.language.compile(self._compilation(files))
                self.compiled[name] = None if steps is None else await follow(steps, self.sandboxes.build)
            return self.compiled[name]

    def _compilation(self, files: Files) -> Compilation:
        suite = self.suite
        parts: Mapping[str, tuple[str, ...]] = {module.name: module.mounted for module in suite.modules}
        work = held_tree(suite, files, lookups(suite.cells))
        return Compilation(work, tuple(sorted(files)), parts, suite.environment, suite.options)
