"""An examination: every run that it takes to judge one module of one submission."""

from dataclasses import dataclass, field, replace
from functools import partial

from kaiju_grading.control import Exhausted, run_controlled
from kaiju_grading.files import Files
from kaiju_grading.grade import ModuleGrade, ModuleVerdict
from kaiju_grading.harness import DoesNotCompile, Harness
from kaiju_grading.outcome import TestReport
from kaiju_grading.plan import ModulePlan, RunPlan, Series
from kaiju_grading.sandboxes import read_aside
from kaiju_grading.suite import Module
from kaiju_grading.verdict import (
    Altered,
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
    to_be_flipped,
    unsettled,
)


@dataclass(frozen=True, slots=True)
class Examined:
    """What an examination found."""

    grade: ModuleGrade
    repeated: frozenset[str] = frozenset()
    """Ids that passed both as written and altered, twice: evidence that results are forged."""


@dataclass(slots=True)
class Examination:
    """One module's series of runs, its rescues, and the repetition of a contradiction."""

    harness: Harness
    files: Files = field(repr=False)
    module: Module
    plan: ModulePlan
    made: tuple[Run, ...] = ()
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
        for plan in self.plan.series.runs:
            run = await self._asked(plan, self.plan.series)
            self.made += (run,)
            if not may_continue(run):
                break
        else:
            await self._cure()
        return judge_module(self.made, self.rescued)

    async def _cure(self) -> None:
        """All rescues, after the last run: one tells what it runs that a test was real.

        No further once one shows that the module failed.
        """
        # An id without an alteration is real in all runs, and may have been disturbed in several.
        for id in dict.fromkeys(id for run in self.made for id in rescues(run)):
            self.rescued[id] = await self._rescue(id)
            if judge_test(self.rescued[id]) is TestVerdict.NOT_PASSED:
                break

    async def _rescue(self, id: str) -> Slots:
        """The id alone, as its plan says; no further once a run did not go as planned."""
        series = self.plan.rescues[id]
        runs: tuple[Run, ...] = ()
        for plan in series.runs:
            runs += (await self._asked(plan, series),)
            if deviations(runs[-1]).all:
                break
        return slots_of(id, runs)

    async def _contradictions_again(self) -> frozenset[str]:
        """The same runs with the same bits, whatever the first of them show."""
        series = self.plan.series
        try:
            runs = tuple([await self._asked(plan, series) for plan in series.runs])
            rescued = {id: await self._rescue(id) for id in self.rescued}
            found = judge_module(runs, rescued).contradictions
            asked = [id for id in sorted(found) if any(id in run.plan.asked for run in runs)]
            return found - {id for id in asked if not await self._contradicts_alone(id)}
        except Exhausted:
            return frozenset()

    async def _contradicts_alone(self, id: str) -> bool:
        """Wrong answers are evidence only there: honest code may answer by what other tests left behind."""
        series = self.plan.rescues[id]
        runs = tuple([await self._asked(plan, series) for plan in series.runs])
        return judge_test(slots_of(id, runs)) is TestVerdict.CONTRADICTION

    async def _asked(self, plan: RunPlan, series: Series) -> Run:
        """The run, and before any other shows what is expected, what it takes to settle its answers."""
        run = await self._run(plan, series)
        if ids := unsettled(run):
            again = self.plan.asking_again(plan, ids)
            run = replace(run, again=await self._run(again, Series((again,))))
        if ids := to_be_flipped(run):
            run = replace(run, flips=await self._flipped(plan, ids))
        return run

    async def _flipped(self, plan: RunPlan, ids: frozenset[str]) -> tuple[Run, ...]:
        series = self.plan.flipping(plan, ids)
        runs: tuple[Run, ...] = ()
        for one in series.runs:
            runs += (await self._run(one, series),)
            if deviations(runs[-1]).all:
                break
        return runs

    async def _run(self, plan: RunPlan, series: Series) -> Run:
        async def once(files: Files) -> Run:
            try:
                run = await self.harness.test_run(files, self.module, plan)
            except DoesNotCompile as error:
                return Run(plan, TestReport({}, sound=False, problem=str(error)), series)
            self.runs += 1
            result = await self.harness.sandboxes.run(self.harness.language.test(run))
            self.seconds += result.wall
            report = await read_aside(partial(self.harness.language.read_tests, run, result))
            return Run(plan, report, series)

        return await run_controlled(once, self.files, self.harness.suite.reference, _complaint)

    def _grade(self, judgement: Judgement) -> ModuleGrade:
        # An asked test says as much as a real one of what the library can do.
        real = [
            run.altered(test.id) is Altered.AS_PLANNED
            if test.id in run.plan.asked
            else read_real(run.outcome(test.id)) is Real.PASSED
            for run in self.made
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
            planned=len(self.plan.series.runs),
            bits=self.plan.strength.bits,
        )


def _complaint(control: Run) -> str:
    """What is wrong with a run over the reference, which must go exactly as planned."""
    if not control.report.sound:
        return control.report.problem or "the run is not sound"
    found = deviations(control).all
    return f"{len(found)} tests not as planned" if found else ""
