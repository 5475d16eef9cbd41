"""The commands that a visible run and a grading of the reference make, as native runs."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

import anyio.to_thread

from kaiju_clients.bench.native import Ground, NativeFailed, NativeRun
from kaiju_clients.errors import UsageError
from kaiju_grading import languages
from kaiju_grading.compose import held_tree, module_tree, visible_tree
from kaiju_grading.files import Files
from kaiju_grading.harness import library_of, lookups, table
from kaiju_grading.language import Compilation, Language, Programs, TestRun
from kaiju_grading.plan import Draw, RunPlan, plan_series
from kaiju_grading.stage import Stage
from kaiju_grading.steps import follow
from kaiju_grading.suite import Module, Suite
from kaiju_grading.visible import PART
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings
from kaiju_tasks.errors import TaskError
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of


@dataclass(frozen=True, slots=True)
class Built:
    """What is run one after the other before any test."""

    library: NativeRun
    tests: tuple[NativeRun, ...]
    """The steps of compiling tests; none where they run from source."""

    @property
    def all(self) -> tuple[NativeRun, ...]:
        return self.library, *self.tests


@dataclass(frozen=True, slots=True)
class NativeTest:
    """A run of tests, and what reads its result."""

    run: NativeRun
    test: TestRun


@dataclass(frozen=True, slots=True)
class Yardsticks:
    """What the server runs for one task, ready to run without it."""

    suite: Suite
    seen: Built
    """Before the visible tests."""
    visible: NativeTest
    held: Built
    """Before the modules."""
    pairs: tuple[NativeTest, ...]
    """All runs of every module."""

    @property
    def visible_runs(self) -> tuple[NativeRun, ...]:
        """One after the other: what a visible run makes."""
        return *self.seen.all, self.visible.run

    @property
    def pair_runs(self) -> tuple[NativeRun, ...]:
        """Some at a time, after those of `held`: what a grading makes."""
        return tuple(test.run for test in self.pairs)

    @property
    def compiled(self) -> bool:
        """Whether tests are compiled."""
        return bool(self.held.tests)

    def clear(self) -> None:
        """Make ready for another round: all but the programs and their input is gone."""
        for run in (*self.visible_runs, *self.held.all, *self.pair_runs):
            run.clear()


def reference(settings: Settings, task_id: str) -> Suite:
    """The suite of a task. Raises UsageError for one that cannot be played here."""
    try:
        task = Store(settings.tasks_dir).task(task_id)
        return suite_of(task, environment_of(task, settings))
    except TaskError as error:
        raise UsageError(f"--task: {error}") from error


async def lay_out(suite: Suite, ground: Ground) -> Yardsticks:
    """Stage every command of the reference on the ground; compiled tests are compiled there, natively.

    Raises NativeFailed when they do not compile.
    """
    layout = _Layout(suite, languages.get(suite.language), ground)
    library = await layout.ready(layout.language.build(library_of(suite, suite.reference)), "build")
    seen, visible = await layout.visible()
    held, pairs = await layout.modules()
    return Yardsticks(suite, Built(library, seen), visible, Built(library, held), pairs)


@dataclass(frozen=True, slots=True)
class _Layout:
    suite: Suite
    language: Language
    ground: Ground

    async def ready(self, command: Command, name: str) -> NativeRun:
        return await anyio.to_thread.run_sync(self.ground.ready, command, name)

    async def tests(self, test: TestRun, name: str) -> NativeTest:
        return NativeTest(await self.ready(self.language.test(test), name), test)

    async def visible(self) -> tuple[tuple[NativeRun, ...], NativeTest]:
        """The steps that compile the visible tests, and their run."""
        suite, paths = self.suite, tuple(sorted(self.suite.visible))
        work = visible_tree(suite, suite.reference)
        steps, programs = await self._compiled(work, {PART: paths}, "visible")
        work = work if programs is None else programs.files[PART]
        run = TestRun(work, suite.environment, paths, suite.visible_tests, suite.options, messages=True)
        return steps, await self.tests(run, "visible")

    async def modules(self) -> tuple[tuple[NativeRun, ...], tuple[NativeTest, ...]]:
        """The steps that compile the held-out tests, and all runs of every module."""
        suite = self.suite
        parts = {module.name: module.mounted for module in suite.modules}
        work = held_tree(suite, suite.reference, lookups(suite.cells))
        steps, programs = await self._compiled(work, parts, "modules")
        draw = Draw(secrets.token_bytes(32), suite.task_digest, "bench", Stage.DRAFT)
        runs = [
            await self.tests(self._run(module, plan, programs), f"module-{number}-{turn}")
            for number, module in enumerate(suite.modules)
            for turn, plan in enumerate(plan_series(suite, module, draw).runs)
        ]
        return steps, tuple(runs)

    def _run(self, module: Module, plan: RunPlan, programs: Programs | None) -> TestRun:
        suite = self.suite
        if programs is None:
            work, values = module_tree(suite, suite.reference, module, plan.sites), dict[str, str]()
        else:
            work, values = programs.files[module.name], table(lookups(suite.cells), plan.sites)
        return TestRun(work, suite.environment, module.files, plan.tests, suite.options, values=values)

    async def _compiled(
        self, work: Files, parts: Mapping[str, tuple[str, ...]], name: str
    ) -> tuple[tuple[NativeRun, ...], Programs | None]:
        """Follow the language's own steps; no programs where tests run from source."""
        suite, made = self.suite, list[NativeRun]()
        sources = tuple(sorted(suite.reference))
        steps = self.language.compile(Compilation(work, sources, parts, suite.environment, suite.options))
        if steps is None:
            return (), None

        async def run(command: Command) -> Result:
            made.append(await self.ready(command, f"{name}-compile-{len(made)}"))
            return await anyio.to_thread.run_sync(made[-1].run)

        programs = await follow(steps, run)
        if programs.failed:
            raise NativeFailed(f"compiling natively: {next(iter(programs.failed.values()))[-500:]}")
        return tuple(made), programs
