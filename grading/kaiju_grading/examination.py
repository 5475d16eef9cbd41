"""An examination: every run that it takes to judge one module of one submission."""

from dataclasses import dataclass, field
from functools import partial

from kaiju_grading.control import Exhausted, run_controlled
from kaiju_grading.files import Files
from kaiju_grading.grade import ModuleGrade, ModuleVerdict
from kaiju_grading.harness import DoesNotCompile, Harness
from kaiju_grading.outcome import TestReport
from kaiju_grading.plan import ModulePlan, RunPlan
from kaiju_grading.sandboxes import read_aside
from kaiju_grading.suite import Module
from kaiju_grading.verdict import (
    Judgement,
    Real,
    Run,
    Slots,
    TestVerdict,
    deviations,
    judge_module,
    judge_test,
    may_continue,
    read_real,
    rescues,
    slots_of,
)


@dataclass(frozen=True, slots=True)
class Examined:
    """What an examination found."""

    grade: ModuleGrade
    repeated: frozenset[str] = frozenset()
    """Ids that passed both as written and altered, twice: evidence that results are forged."""


@dataclass(slots=True)
class Examination:
    """One module's pair of runs, its rescues, and the repetition of a contradiction."""

    harness: Harness
    files: Files = field(repr=False)
    module: Module
    plan: ModulePlan
    pair_runs: tuple[Run, ...] = ()
    rescued: dict[str, Slots] = field(default_factory=dict)
    seconds: float = 0.0
    runs: int = 0

    async def examine(self) -> Examined:
        """Judge the module. Raises ControlFailed when this machine cannot judge anything."""
        repeated: frozenset[str] = frozenset()
        try:
            judgement = await self._judge()
        except Exhausted as error:
            judgement = Judgement(ModuleVerdict.EXHAUSTED, cause=str(error))
        if judgement.contradictions:
            repeated = judgement.contradictions & await self._contradictions_again()
        return Examined(self._grade(judgement), repeated)

    async def _judge(self) -> Judgement:
        first = await self._pair_run(self.plan.pair.first)
        if not may_continue(first) or not await self._cured(first):
            return judge_module((first,), self.rescued)
        second = await self._pair_run(self.plan.pair.second)
        await self._cured(second)
        return judge_module((first, second), self.rescued)

    async def _cured(self, run: Run) -> bool:
        """Rescue what this run leaves to be rescued; False as soon as one id shows that the module failed."""
        for id in rescues(run):
            # An id without an alteration is real in both runs, and may have been disturbed in both.
            if id not in self.rescued:
                self.rescued[id] = await self._rescue(id)
            if judge_test(self.rescued[id]) is TestVerdict.NOT_PASSED:
                return False
        return True

    async def _rescue(self, id: str) -> Slots:
        """The id alone, as its plan says; the second of its runs only if the first went as planned."""
        pair = self.plan.rescues[id]
        runs = [await self._run(pair.first)]
        if not deviations(runs[0]).all:
            runs.append(await self._run(pair.second))
        return slots_of(id, tuple(runs))

    async def _contradictions_again(self) -> frozenset[str]:
        """The same runs with the same bits, whatever the first of them shows."""
        try:
            first = await self._run(self.plan.pair.first)
            second = await self._run(self.plan.pair.second)
            rescued = {id: await self._rescue(id) for id in self.rescued}
        except Exhausted:
            return frozenset()
        return judge_module((first, second), rescued).contradictions

    async def _pair_run(self, plan: RunPlan) -> Run:
        run = await self._run(plan)
        self.pair_runs += (run,)
        return run

    async def _run(self, plan: RunPlan) -> Run:
        async def once(files: Files) -> Run:
            try:
                run = await self.harness.test_run(files, self.module, plan)
            except DoesNotCompile as error:
                return Run(plan, TestReport({}, sound=False, problem=str(error)), self.plan.pair.sited)
            self.runs += 1
            result = await self.harness.sandboxes.run(self.harness.language.test(run))
            self.seconds += result.wall
            report = await read_aside(partial(self.harness.language.read_tests, run, result))
            return Run(plan, report, self.plan.pair.sited)

        return await run_controlled(once, self.files, self.harness.suite.reference, _complaint)

    def _grade(self, judgement: Judgement) -> ModuleGrade:
        real = [
            read_real(run.outcome(test.id)) is Real.PASSED
            for run in self.pair_runs
            for test in run.plan.tests
            if test.id not in run.plan.altered
        ]
        return ModuleGrade(
            name=self.module.name,
            verdict=judgement.verdict,
            tests=len(self.module.tests),
            passed=judgement.passed,
            seconds=self.seconds,
            cause=judgement.cause,
            real_run=len(real),
            real_passed=sum(real),
            runs=self.runs,
        )


def _complaint(control: Run) -> str:
    """What is wrong with a run over the reference, which must go exactly as planned."""
    if not control.report.sound:
        return control.report.problem or "the run is not sound"
    found = deviations(control).all
    return f"{len(found)} tests not as planned" if found else ""
