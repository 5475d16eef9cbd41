"""What holds for the verdict on every module, whatever its runs and its plan: laws instead of cases."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiju_grading.grade import ModuleGrade, ModuleVerdict
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.plan import RunPlan, Series
from kaiju_grading.reward import pass_rate, score
from kaiju_grading.suite import Test
from kaiju_grading.verdict import (
    MAX_RESCUES,
    Altered,
    Judgement,
    Real,
    Run,
    Slots,
    TestVerdict,
    judge_module,
    rescues,
)

FEW = (Outcome.PASSED, Outcome.FAILED, Outcome.CRASHED)
"""One of each kind: a pass, a failure that may be interference, and what is neither."""
CURED = Slots((Real.PASSED,), (Altered.AS_PLANNED,))
CURED_FREE = Slots((Real.PASSED, Real.PASSED))


@dataclass(frozen=True, slots=True)
class Played:
    """A module as planned and as it went: both by test, then by run."""

    altered: Mapping[str, tuple[bool, ...]]
    did: Mapping[str, tuple[Outcome, ...]]
    rescued: Mapping[str, Slots]
    sound: tuple[bool, ...]

    def runs(self) -> tuple[Run, ...]:
        tests = tuple(Test(id, id) for id in self.altered)
        plans = tuple(
            RunPlan(tests, frozenset(id for id, bits in self.altered.items() if bits[number]))
            for number in range(len(self.sound))
        )
        return tuple(
            Run(plan, TestReport({id: did[number] for id, did in self.did.items()}, sound), Series(plans))
            for number, (plan, sound) in enumerate(zip(plans, self.sound, strict=True))
        )

    def judged(self) -> Judgement:
        return judge_module(self.runs(), self.rescued)

    def with_outcome(self, id: str, run: int, outcome: Outcome) -> "Played":
        did = (*self.did[id][:run], outcome, *self.did[id][run + 1 :])
        return replace(self, did={**self.did, id: did})

    def slots(self) -> Iterator[tuple[str, int]]:
        return itertools.product(self.altered, range(len(self.sound)))


@st.composite
def played(draw: st.DrawFn) -> Played:
    """Mostly as planned, or nothing would ever pass."""
    count, noisy = draw(st.integers(2, 4)), draw(st.booleans())
    altered, did = {}, {}
    rescued: dict[str, Slots] = {}
    for number in range(draw(st.integers(1, 6))):
        id = f"t{number}"
        bits = draw(st.tuples(*[st.booleans()] * count))
        altered[id] = bits if not all(bits) else (False,) * count
        planned = [Outcome.FAILED if bit else Outcome.PASSED for bit in altered[id]]
        did[id] = tuple(
            draw(st.sampled_from([one] * 9 + [Outcome.FAILED] * 2 + [*Outcome])) if noisy else one
            for one in planned
        )
        cure = CURED if any(altered[id]) else CURED_FREE
        slots = draw(st.sampled_from([None, cure, cure, cure, *_rescues()]))
        rescued |= {} if slots is None else {id: slots}
    sound = draw(st.sampled_from([(True,) * count] * 6 + [(True,) * (count - 1) + (False,)]))
    return Played(altered, did, rescued, sound)


def _rescues() -> list[Slots]:
    mixed = [Slots((real,), (altered,)) for real, altered in itertools.product(Real, Altered)]
    return [
        *mixed,
        *(Slots(pair) for pair in itertools.product(Real, Real)),
        Slots(()),
        Slots((Real.PASSED,)),
    ]


def small(count: int) -> Iterator[Played]:
    """Every module of one test that is altered and one that is not, in so many runs."""
    cures: tuple[dict[str, Slots], ...] = (
        {},
        {"t0": CURED},
        {"t1": CURED_FREE},
        {"t0": CURED, "t1": CURED_FREE},
    )
    for bits in itertools.product([False, True], repeat=count):
        if len(set(bits)) < 2:
            continue
        altered = {"t0": bits, "t1": (False,) * count}
        for first, second in itertools.product(itertools.product(FEW, repeat=count), repeat=2):
            for rescued in cures:
                yield Played(altered, {"t0": first, "t1": second}, rescued, (True,) * count)


def explained(module: Played) -> bool:
    """Whether every slot is an explicit pass or a planned failure, or its test passed explicitly alone."""
    for id, run in module.slots():
        outcome, altered = module.did[id][run], module.altered[id][run]
        wanted = Outcome.FAILED if altered else Outcome.PASSED
        alone = module.rescued.get(id)
        if outcome is wanted:
            continue
        if altered or outcome not in {Outcome.FAILED, Outcome.ERROR} or alone is None:
            return False
        if set(alone.real) != {Real.PASSED} or set(alone.altered) - {Altered.AS_PLANNED}:
            return False
    return all(module.sound)


def paid(judgement: Judgement) -> bool:
    return judgement.verdict is ModuleVerdict.PASSED


def check_laws(module: Played) -> Judgement:
    """The laws, for one module and everything that differs from it by one pass more."""
    before = module.judged()
    assert (before.verdict is ModuleVerdict.VOID) is bool(before.contradictions)
    assert paid(before) is (not before.cause)
    assert 0 <= before.passed <= len(module.altered)
    if paid(before):
        assert explained(module)
        assert before.passed == len(module.altered)
    for id, run in module.slots():
        if module.did[id][run] is Outcome.PASSED:
            continue
        changed = module.with_outcome(id, run, Outcome.PASSED)
        after = changed.judged()
        if module.altered[id][run]:
            # A flip that passes is no good, and all that a contradiction can come from.
            assert not paid(after)
        elif after.contradictions:
            assert may_contradict(changed)
        else:
            assert paid(after) >= paid(before)
            assert after.passed >= before.passed
    return before


def may_contradict(module: Played) -> bool:
    """Whether some altered slot passed, in company or alone."""
    alone = any(Altered.DEFIED in slots.altered for slots in module.rescued.values())
    return alone or any(
        module.altered[id][run] and module.did[id][run] is Outcome.PASSED for id, run in module.slots()
    )


def check_small(count: int) -> None:
    verdicts = []
    for module in small(count):
        verdicts.append(check_laws(module).verdict)
        assert (verdicts[-1] is ModuleVerdict.PASSED) is explained(module)
    assert set(verdicts) == {ModuleVerdict.PASSED, ModuleVerdict.FAILED, ModuleVerdict.VOID}


def test_the_laws_hold_for_every_small_module() -> None:
    check_small(2)


@pytest.mark.slow
def test_the_laws_hold_for_every_small_module_of_three_runs() -> None:
    check_small(3)


@settings(max_examples=150, deadline=None)
@given(module=played())
def test_the_laws_hold_for_modules_of_any_plan(module: Played) -> None:
    check_laws(module)


@settings(max_examples=100, deadline=None)
@given(module=played(), data=st.data())
def test_no_pass_that_becomes_anything_else_makes_a_module_pass(module: Played, data: st.DataObject) -> None:
    """But for a flip that passed: a contradiction that goes away is no longer one."""
    real = [(id, run) for id, run in module.slots() if not module.altered[id][run]]
    id, run = data.draw(st.sampled_from(real))
    other = data.draw(st.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.PASSED]))
    good = module.with_outcome(id, run, Outcome.PASSED).judged()
    worse = module.with_outcome(id, run, other).judged()

    if not good.contradictions:
        assert paid(worse) <= paid(good)
        assert worse.passed <= good.passed


@settings(max_examples=100, deadline=None)
@given(module=played(), data=st.data())
def test_the_order_of_tests_runs_and_rescues_is_no_part_of_a_verdict(
    module: Played, data: st.DataObject
) -> None:
    ids = data.draw(st.permutations(list(module.altered)))
    order = data.draw(st.permutations(range(len(module.sound))))

    def turned(values: tuple[bool, ...]) -> tuple[bool, ...]:
        return tuple(values[number] for number in order)

    other = Played(
        {id: turned(module.altered[id]) for id in ids},
        {id: tuple(module.did[id][number] for number in order) for id in reversed(ids)},
        {id: module.rescued[id] for id in ids if id in module.rescued},
        turned(module.sound),
    )

    one, two = module.judged(), other.judged()
    assert (one.verdict, dict(one.tests), one.contradictions) == (
        two.verdict,
        dict(two.tests),
        two.contradictions,
    )


@settings(max_examples=60, deadline=None)
@given(module=played(), data=st.data())
def test_a_module_that_was_not_run_to_its_end_or_not_soundly_does_not_pass(
    module: Played, data: st.DataObject
) -> None:
    runs = module.runs()
    made = data.draw(st.integers(1, len(runs) - 1))
    lost = data.draw(st.integers(0, len(runs) - 1))
    unsound = replace(module, sound=tuple(number != lost for number in range(len(runs))))

    assert judge_module(runs[:made], module.rescued).verdict is not ModuleVerdict.PASSED
    assert not paid(unsound.judged())
    assert unsound.judged().contradictions <= module.judged().contradictions


@settings(max_examples=60, deadline=None)
@given(module=played(), outcome=st.sampled_from(Outcome))
def test_what_a_report_says_of_tests_that_were_not_planned_changes_nothing(
    module: Played, outcome: Outcome
) -> None:
    runs = tuple(
        replace(run, report=replace(run.report, outcomes={**run.report.outcomes, "stranger": outcome}))
        for run in module.runs()
    )

    assert judge_module(runs, {**module.rescued, "stranger": CURED}) == module.judged()


@settings(max_examples=60, deadline=None)
@given(module=played())
def test_a_rescue_cures_or_accuses_and_does_nothing_else(module: Played) -> None:
    alone = replace(module, rescued={}).judged()
    both = module.judged()

    assert both.contradictions or both.passed >= alone.passed
    for id, verdict in both.tests.items():
        if verdict is not alone.tests[id]:
            assert (alone.tests[id], id in module.rescued) == (TestVerdict.NOT_PASSED, True)
    for run in module.runs():
        assert len(rescues(run)) <= MAX_RESCUES
        assert run.plan.altered.isdisjoint(rescues(run))


GRADES = st.lists(
    st.builds(
        ModuleGrade,
        name=st.just("m"),
        verdict=st.sampled_from(ModuleVerdict),
        tests=st.just(9),
        passed=st.integers(0, 9),
        seconds=st.just(0.0),
        real_run=st.integers(5, 9),
        real_passed=st.integers(0, 5),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(grades=GRADES, data=st.data())
def test_a_reward_grows_with_each_module_that_passes_and_with_nothing_else(
    grades: list[ModuleGrade], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(grades) - 1))
    verdict = data.draw(st.sampled_from(ModuleVerdict))
    changed = [*grades]
    changed[place] = grades[place].model_copy(update={"verdict": verdict, "passed": 9, "real_passed": 5})
    shuffled = data.draw(st.permutations(grades))
    earned, other = score(grades, believed=True), score(changed, believed=True)

    assert 0 <= earned.reward <= 1
    assert earned == score(shuffled, believed=True)
    assert pass_rate(grades) == pass_rate(shuffled)
    assert other.modules_passed - earned.modules_passed == (
        (verdict is ModuleVerdict.PASSED) - (grades[place].verdict is ModuleVerdict.PASSED)
    )
    assert score(grades, believed=False).reward == 0


@pytest.mark.slow
@settings(max_examples=3_000, deadline=None)
@given(module=played())
def test_the_laws_hold_for_many_modules(module: Played) -> None:
    check_laws(module)
