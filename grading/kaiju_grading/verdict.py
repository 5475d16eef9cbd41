"""A verdict: from what tests did in their real and altered slots to whether a module passed.

Pure functions. A *slot* is one test in one run: real, or altered, which is either of two. A flip must fail. A
test that is asked must pass, and what it computed must equal what the grader alone knows.
An id with an alteration is real in some runs and altered in the others; an id without one is real in all.

====================  ======================  =====================================================
real slots            altered slots           the id
====================  ======================  =====================================================
all passed            all as planned          passed
all passed            one defied              contradiction: the module is void
all passed            passed, conditional     not passed
one failed            all as planned          not passed, unless its rescue (that id alone) passed
one failed            one defied              not passed
passed, all runs      (no alteration)         passed
failed in a run       (no alteration)         not passed, unless its rescue (alone, twice) passed
anything else, or a run that was not made     not passed
====================  ======================  =====================================================

A flip that passes defies; so does an asked test that passes with a plain answer that is wrong. Up to three
tests that were asked and did not answer as expected are asked again, without altered neighbours that may be
to blame, before any other run (`Run.again`); that asking counts. Tests with an opaque answer are flipped at
once, in a series of their own (`Run.flips`), and its verdict on them is their altered slot.

Both kinds are rescued: an altered neighbour that fails before it cleans up disturbs them alike. To an id
without an alteration that gives nothing which a forger has not already: a pass that it can forge alone it can
forge in company.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TypeGuard

from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.plan import RunPlan, Series
from kaiju_grading.questions import Reply, read_reply
from kaiju_grading.strength import MAX_ASKED_AGAIN

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


@dataclass(frozen=True)
class Run:
    """One run as planned and as it went, and the series that it belongs to."""

    plan: RunPlan
    report: TestReport = field(repr=False)
    series: Series = field(repr=False)
    again: "Run | None" = None
    """The second asking of tests that did not answer as expected."""
    flips: "tuple[Run, ...]" = ()
    """The series of tests whose answers were opaque."""

    def outcome(self, test: str) -> Outcome:
        """ABSENT for everything in a run that is not sound: none of it can be believed."""
        return self.report.outcomes.get(test, Outcome.ABSENT) if self.report.sound else Outcome.ABSENT

    @cached_property
    def replies(self) -> Mapping[str, Reply]:
        """What each asked test answered here, whatever a second asking says."""
        answers = self.report.answers
        return {
            id: read_reply(sites, self.outcome(id), answers.get(id, {}))
            for id, sites in self.plan.asked.items()
        }

    def altered(self, test: str) -> Altered:
        """Its altered slot: what its flips did, or the last reply."""
        if test not in self.plan.asked:
            return read_flip(self.outcome(test), conditional=test in self.plan.conditional)
        if any(test in run.series.sited for run in self.flips):
            return _FLIPPED.get(judge_test(slots_of(test, self.flips)), Altered.NEITHER)
        last = self.again if self.again is not None and test in self.again.plan.asked else self
        return _ASKED.get(last.replies[test], Altered.NEITHER)


_ASKED = {Reply.RIGHT: Altered.AS_PLANNED, Reply.WRONG: Altered.DEFIED}
_FLIPPED = {TestVerdict.PASSED: Altered.AS_PLANNED, TestVerdict.CONTRADICTION: Altered.DEFIED}


@dataclass(frozen=True, slots=True)
class Deviations:
    """Ids that did not do what was planned in one run."""

    failures: frozenset[str]
    """Failed where they are real in this run: a rescue may cure these."""
    others: frozenset[str]
    wrong: frozenset[str] = frozenset()
    """Asked, and wrong twice. The module has failed; a pass where they are real would be a contradiction."""

    @property
    def all(self) -> frozenset[str]:
        return self.failures | self.others | self.wrong

    @property
    def hopeless(self) -> bool:
        """Whether nothing more can be learned of the module, whatever else is run."""
        return bool(self.others) or len(self.failures | self.wrong) > MAX_RESCUES


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
    real = tuple(read_real(run.outcome(test)) for run in runs if run.plan.is_real(test))
    altered = tuple(run.altered(test) for run in runs if not run.plan.is_real(test))
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
    wrong: set[str] = set()
    for test in run.plan.tests:
        if run.plan.is_real(test.id):
            real = read_real(run.outcome(test.id))
            if real is not Real.PASSED:
                (failures if real is Real.FAILED else others).add(test.id)
        elif run.altered(test.id) is not Altered.AS_PLANNED:
            defied = test.id in run.plan.asked and run.altered(test.id) is Altered.DEFIED
            (wrong if defied else others).add(test.id)
    return Deviations(frozenset(failures), frozenset(others), frozenset(wrong))


def unsettled(run: Run) -> frozenset[str]:
    """Tests to be asked once more; none where that could not help any more."""
    failed = frozenset(id for id, reply in run.replies.items() if reply in {Reply.WRONG, Reply.NONE})
    if not failed or len(failed) > MAX_ASKED_AGAIN or _lost(run, failed | opaque(run)):
        return frozenset()
    return failed


def to_be_flipped(run: Run) -> frozenset[str]:
    """Tests with opaque answers, when all else went as planned. Nobody is flipped for a second answer."""
    found = opaque(run)
    return frozenset() if _lost(run, found) or deviations(run).wrong else found


def opaque(run: Run) -> frozenset[str]:
    """Tests whose first answer was."""
    return frozenset(id for id, reply in run.replies.items() if reply is Reply.OPAQUE)


def _lost(run: Run, but: frozenset[str]) -> bool:
    """Whether others than these have failed the module already."""
    found = deviations(run)
    return not run.report.sound or bool(found.others - but) or len(found.failures) > MAX_RESCUES


def may_continue(run: Run) -> bool:
    """Whether a module that went so in this run can still pass."""
    return run.report.sound and not deviations(run).hopeless


def rescues(run: Run) -> tuple[str, ...]:
    """Ids to run alone before the module is judged, sorted: one to three real failures and nothing else."""
    found = deviations(run)
    return tuple(sorted(found.failures)) if may_continue(run) and not found.wrong else ()


def judge_module(runs: tuple[Run, ...], rescued: Mapping[str, Slots]) -> Judgement:
    """Judge a module by its runs (fewer than planned when one left no hope) and by the rescues made."""
    tests = {
        test.id: judge_test(slots_of(test.id, runs), rescued.get(test.id))
        for run in runs[:1]
        for test in run.plan.tests
    }
    contradictions = frozenset(id for id, verdict in tests.items() if verdict is TestVerdict.CONTRADICTION)
    if contradictions:
        cause = f"passed both as written and altered, or answered wrong: {_some(contradictions)}"
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
                f"{id} ({_slot_of(id, run)}: {run.outcome(id)})" for id in found.all
            )
    return "the module has no test"


def _slot_of(id: str, run: Run) -> str:
    if id in run.plan.asked:
        return f"asked, {run.replies[id]}"
    return "altered" if id in run.plan.altered else "real"


def _some(texts: Iterable[str]) -> str:
    """The first five, and how many more."""
    listed = sorted(texts)
    more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
    return ", ".join(listed[:5]) + more
