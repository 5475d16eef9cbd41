"""A verdict: from what tests did in their real and altered slots to whether a module passed.

Pure functions. A *slot* is one test in one run: real, or altered so that it must not behave as written.
An id with an alteration is real in some runs and altered in the others; an id without one is real in all.

====================  ======================  =====================================================
real slots            altered slots           the id
====================  ======================  =====================================================
all passed            all as planned          passed
all passed            one defied (passed)     contradiction: the module is void
all passed            passed, conditional     not passed
one failed            all as planned          not passed, unless its rescue (that id alone) passed
one failed            one defied              not passed
passed, all runs      (no alteration)         passed
failed in a run       (no alteration)         not passed, unless its rescue (alone, twice) passed
anything else, or a run that was not made     not passed
====================  ======================  =====================================================

Both kinds are rescued: an altered neighbour that fails before it cleans up disturbs them alike. To an id
without an alteration that gives nothing which a forger has not already: a pass that it can forge alone it can
forge in company.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeGuard

from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.plan import RunPlan, Series

MAX_RESCUES = 3
"""Real failures in one run that may be interference between tests; with more, the module has failed."""


class Real(StrEnum):
    """What a real slot says."""

    PASSED = "passed"
    FAILED = "failed"
    NEITHER = "neither"


class Altered(StrEnum):
    """What an altered slot says. A flip must fail; other kinds of alteration map to the same three."""

    AS_PLANNED = "as_planned"
    DEFIED = "defied"
    NEITHER = "neither"


class TestVerdict(StrEnum):
    """What all slots of one id say together."""

    __test__ = False

    PASSED = "passed"
    NOT_PASSED = "not_passed"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of one id, in any order of the runs."""

    real: tuple[Real, ...]
    altered: tuple[Altered, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One run as planned and as it went, and the series that it belongs to."""

    plan: RunPlan
    report: TestReport = field(repr=False)
    series: Series = field(repr=False)

    def outcome(self, test: str) -> Outcome:
        """ABSENT for everything in a run that is not sound: none of it can be believed."""
        return self.report.outcomes.get(test, Outcome.ABSENT) if self.report.sound else Outcome.ABSENT


@dataclass(frozen=True, slots=True)
class Deviations:
    """Ids that did not do what was planned in one run."""

    failures: frozenset[str]
    """Failed where they are real in this run: a rescue may cure these."""
    others: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.failures | self.others

    @property
    def hopeless(self) -> bool:
        """Whether the module has failed already, whatever else is run."""
        return bool(self.others) or len(self.failures) > MAX_RESCUES


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one module."""

    verdict: ModuleVerdict
    tests: Mapping[str, TestVerdict] = field(default_factory=dict)
    contradictions: frozenset[str] = frozenset()
    cause: str = ""
    """Why it did not pass; for the grader's eyes."""

    @property
    def passed(self) -> int:
        return sum(verdict is TestVerdict.PASSED for verdict in self.tests.values())


def read_real(outcome: Outcome) -> Real:
    """Only an explicit pass is a pass. A broken set-up is a failure that interference can cause."""
    if outcome is Outcome.PASSED:
        return Real.PASSED
    return Real.FAILED if outcome in {Outcome.FAILED, Outcome.ERROR} else Real.NEITHER


def read_flip(outcome: Outcome, *, conditional: bool = False) -> Altered:
    """A flip is as planned only when the test itself ran and failed; a conditional one may honestly pass."""
    if outcome is Outcome.FAILED:
        return Altered.AS_PLANNED
    return Altered.DEFIED if outcome is Outcome.PASSED and not conditional else Altered.NEITHER


def slots_of(test: str, runs: tuple[Run, ...]) -> Slots:
    """The id's slots in these runs of one series; NEITHER stands for what was not run."""
    real = tuple(read_real(run.outcome(test)) for run in runs if test not in run.plan.altered)
    altered = tuple(
        read_flip(run.outcome(test), conditional=test in run.plan.conditional)
        for run in runs
        if test in run.plan.altered
    )
    complete = all(len(runs) >= len(run.series.runs) for run in runs)
    if not any(test in run.series.sited for run in runs):
        return Slots(real if complete else (*real, Real.NEITHER))
    if complete or not (real and altered):
        return Slots(real or (Real.NEITHER,), altered or (Altered.NEITHER,))
    return Slots(real, (*altered, Altered.NEITHER))


def judge_test(slots: Slots, rescue: Slots | None = None) -> TestVerdict:
    """The table. `rescue` holds the slots of the id alone in its own processes."""
    passed = bool(slots.real) and all(slot is Real.PASSED for slot in slots.real)
    planned = all(slot is Altered.AS_PLANNED for slot in slots.altered)
    complete = len(slots.real) + len(slots.altered) >= 2
    if passed and planned and complete:
        return TestVerdict.PASSED
    if passed and Altered.DEFIED in slots.altered:
        return TestVerdict.CONTRADICTION
    failed = Real.FAILED in slots.real and Real.NEITHER not in slots.real
    if failed and planned and complete and _answers(rescue, slots):
        return judge_test(rescue)
    return TestVerdict.NOT_PASSED


def _answers(rescue: Slots | None, slots: Slots) -> TypeGuard[Slots]:
    """Whether the rescue asked what the series did: an id with an alteration is altered in its rescue too."""
    return rescue is not None and bool(rescue.altered) is bool(slots.altered)


def deviations(run: Run) -> Deviations:
    """Compare one run with its plan."""
    failures: set[str] = set()
    others: set[str] = set()
    for test in run.plan.tests:
        outcome = run.outcome(test.id)
        if test.id in run.plan.altered:
            expected, curable = read_flip(outcome) is Altered.AS_PLANNED, False
        else:
            real = read_real(outcome)
            expected, curable = real is Real.PASSED, real is Real.FAILED
        if not expected:
            (failures if curable else others).add(test.id)
    return Deviations(frozenset(failures), frozenset(others))


def may_continue(run: Run) -> bool:
    """Whether a module that went so in this run can still pass."""
    return run.report.sound and not deviations(run).hopeless


def rescues(run: Run) -> tuple[str, ...]:
    """Ids to run alone before the module is judged, sorted: one to three real failures and nothing else."""
    return tuple(sorted(deviations(run).failures)) if may_continue(run) else ()


def judge_module(runs: tuple[Run, ...], rescued: Mapping[str, Slots]) -> Judgement:
    """Judge a module by its runs (fewer than planned when one left no hope) and by the rescues made."""
    tests = {
        test.id: judge_test(slots_of(test.id, runs), rescued.get(test.id))
        for run in runs[:1]
        for test in run.plan.tests
    }
    contradictions = frozenset(id for id, verdict in tests.items() if verdict is TestVerdict.CONTRADICTION)
    if contradictions:
        cause = f"passed both as written and altered: {_some(contradictions)}"
        return Judgement(ModuleVerdict.VOID, tests, contradictions, cause)
    hopeful = all(may_continue(run) for run in runs)
    if tests and hopeful and all(verdict is TestVerdict.PASSED for verdict in tests.values()):
        return Judgement(ModuleVerdict.PASSED, tests)
    return Judgement(ModuleVerdict.FAILED, tests, cause=_cause(runs))


def _cause(runs: tuple[Run, ...]) -> str:
    for number, run in enumerate(runs, 1):
        if not run.report.sound:
            return f"run {number} is not sound: {run.report.problem}"
        found = deviations(run)
        if found.all:
            return f"run {number}, not as planned: " + _some(
                f"{id} ({'altered' if id in run.plan.altered else 'real'}: {run.outcome(id)})"
                for id in found.all
            )
    return "the module has no test"


def _some(texts: Iterable[str]) -> str:
    """The first five, and how many more."""
    listed = sorted(texts)
    more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
    return ", ".join(listed[:5]) + more
