"""The verdict table, every cell of it, and what holds for whole modules."""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.plan import RunPlan, Series
from kaiju_grading.suite import Test
from kaiju_grading.verdict import (
    MAX_RESCUES,
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
    read_flip,
    read_real,
    rescues,
    slots_of,
)

P, F, N = Real.PASSED, Real.FAILED, Real.NEITHER
PLANNED, DEFIED, NOTHING = Altered.AS_PLANNED, Altered.DEFIED, Altered.NEITHER
RESCUES = [
    None,
    *(Slots((real,), (altered,)) for real, altered in itertools.product(Real, Altered)),
]
OUTCOMES = st.sampled_from(Outcome)


def expected(real: Real, altered: Altered, rescue: Slots | None) -> TestVerdict:
    """The table of the protocol, written the long way round."""
    if (real, altered) == (P, PLANNED):
        return TestVerdict.PASSED
    if (real, altered) == (P, DEFIED):
        return TestVerdict.CONTRADICTION
    if (real, altered) == (F, PLANNED) and rescue is not None:
        if rescue == Slots((P,), (PLANNED,)):
            return TestVerdict.PASSED
        if rescue == Slots((P,), (DEFIED,)):
            return TestVerdict.CONTRADICTION
    return TestVerdict.NOT_PASSED


@pytest.mark.parametrize(("real", "altered"), list(itertools.product(Real, Altered)))
def test_every_pair_of_slots_with_every_rescue_follows_the_table(real: Real, altered: Altered) -> None:
    for rescue in RESCUES:
        assert judge_test(Slots((real,), (altered,)), rescue) is expected(real, altered, rescue)


@pytest.mark.parametrize(("first", "second"), list(itertools.product(Real, Real)))
def test_an_id_without_a_site_passes_only_if_it_passed_twice_in_company_or_alone(
    first: Real, second: Real
) -> None:
    in_company = first is second is P
    for rescue in RESCUES:
        assert (judge_test(Slots((first, second)), rescue) is TestVerdict.PASSED) is in_company
    for again in itertools.product(Real, Real):
        curable = F in {first, second} and N not in {first, second}
        wanted = in_company or (curable and again == (P, P))
        assert (judge_test(Slots((first, second)), Slots(again)) is TestVerdict.PASSED) is wanted


def test_only_an_explicit_pass_is_a_pass_and_only_an_explicit_failure_a_planned_one() -> None:
    assert [outcome for outcome in Outcome if read_real(outcome) is P] == [Outcome.PASSED]
    assert [outcome for outcome in Outcome if read_flip(outcome) is PLANNED] == [Outcome.FAILED]
    assert [outcome for outcome in Outcome if read_flip(outcome) is DEFIED] == [Outcome.PASSED]
    neither = {Outcome.SKIPPED, Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.ABSENT, Outcome.DOUBLED}
    assert all(read_real(outcome) is N and read_flip(outcome) is NOTHING for outcome in neither)


def test_an_id_that_was_run_in_one_slot_or_none_has_not_passed() -> None:
    assert judge_test(Slots((P,))) is TestVerdict.NOT_PASSED
    assert judge_test(Slots(())) is TestVerdict.NOT_PASSED
    assert judge_test(Slots((), (PLANNED,))) is TestVerdict.NOT_PASSED
    assert judge_test(Slots((F,), (PLANNED,)), Slots((P, P))) is TestVerdict.NOT_PASSED
    assert judge_test(Slots((F,)), Slots((P, P))) is TestVerdict.NOT_PASSED
    assert judge_test(Slots((F, P)), Slots((P,))) is TestVerdict.NOT_PASSED


@pytest.mark.parametrize(("real", "altered"), list(itertools.product(Outcome, Outcome)))
@pytest.mark.parametrize("order", [1, -1])
def test_a_conditional_alteration_that_passes_is_an_ordinary_failure_and_all_else_is_as_ever(
    real: Outcome, altered: Outcome, order: int
) -> None:
    verdicts = {}
    for conditional in (False, True):
        plan = RunPlan(
            (Test("t", "t"),), frozenset({"t"}), conditional=frozenset({"t"} if conditional else ())
        )
        runs = (
            a_run({"t": real}, set(), set()),
            Run(plan, TestReport({"t": altered}, sound=True), Series((RunPlan(plan.tests), plan))),
        )
        verdicts[conditional] = judge_module(runs[::order], {})
    certain, lenient = verdicts[False], verdicts[True]
    assert not lenient.contradictions
    if certain.contradictions:
        assert (real, altered) == (Outcome.PASSED, Outcome.PASSED)
        assert (lenient.verdict, lenient.passed) == (ModuleVerdict.FAILED, 0)
    else:
        assert lenient == certain


def test_a_rescue_that_passes_a_conditional_alteration_accuses_nobody() -> None:
    test = frozenset({"t3"})
    real = a_run({"t3": Outcome.PASSED}, set(), set())
    plan = RunPlan((Test("t3", "t3"),), test, conditional=test)
    altered = Run(plan, TestReport({"t3": Outcome.PASSED}, sound=True), Series((RunPlan(plan.tests), plan)))
    judgement = judged(
        with_failures(IDS, FIRST, ["t3"]), as_planned(IDS, SECOND), {"t3": slots_of("t3", (real, altered))}
    )
    assert judgement.verdict is ModuleVerdict.FAILED
    assert not judgement.contradictions


# Whole modules: ids a..., altered in the first run when their bit is set; "free" ids have no site.


def a_run(outcomes: dict[str, Outcome], altered: set[str], free: set[str], *, sound: bool = True) -> Run:
    tests = tuple(Test(id, id) for id in outcomes)
    report = TestReport(outcomes, sound, "" if sound else "no closing record")
    plan = RunPlan(tests, frozenset(altered))
    return Run(plan, report, Series((plan, RunPlan(tests, frozenset(outcomes) - free - altered))))


def as_planned(ids: list[str], altered: set[str]) -> dict[str, Outcome]:
    return {id: Outcome.FAILED if id in altered else Outcome.PASSED for id in ids}


IDS = [f"t{number}" for number in range(8)]
FREE = {"t6", "t7"}
FIRST = {"t0", "t1", "t2"}
SECOND = {"t3", "t4", "t5"}


def judged(
    first: dict[str, Outcome], second: dict[str, Outcome], rescued: dict[str, Slots] | None = None
) -> Judgement:
    return judge_module((a_run(first, FIRST, FREE), a_run(second, SECOND, FREE)), rescued or {})


def test_a_module_passes_when_everything_went_as_planned() -> None:
    judgement = judged(as_planned(IDS, FIRST), as_planned(IDS, SECOND))
    assert judgement.verdict is ModuleVerdict.PASSED
    assert judgement.passed == len(IDS)


def test_one_run_alone_passes_no_module_and_no_test() -> None:
    judgement = judge_module((a_run(as_planned(IDS, FIRST), FIRST, FREE),), {})
    assert (judgement.verdict, judgement.passed) == (ModuleVerdict.FAILED, 0)


def test_a_module_without_tests_does_not_pass() -> None:
    empty = a_run({}, set(), set())
    assert judge_module((empty, empty), {}).verdict is ModuleVerdict.FAILED


@pytest.mark.parametrize("which", [0, 1])
def test_a_run_that_is_not_sound_fails_its_module_whatever_it_reports(which: int) -> None:
    runs = [
        a_run(as_planned(IDS, altered), altered, FREE, sound=number != which)
        for number, altered in enumerate((FIRST, SECOND))
    ]
    judgement = judge_module(tuple(runs), {})
    assert (judgement.verdict, judgement.passed) == (ModuleVerdict.FAILED, 0)
    assert "no closing record" in judgement.cause
    assert not may_continue(runs[which])


def test_a_run_that_is_not_sound_accuses_nobody() -> None:
    everything = dict.fromkeys(IDS, Outcome.PASSED)
    runs = (a_run(as_planned(IDS, FIRST), FIRST, FREE), a_run(everything, SECOND, FREE, sound=False))
    assert judge_module(runs, {}).verdict is ModuleVerdict.FAILED


@pytest.mark.parametrize(
    ("id", "outcome"), [(id, outcome) for id in IDS for outcome in Outcome], ids=lambda value: str(value)
)
def test_any_single_deviation_in_either_run_costs_the_module(id: str, outcome: Outcome) -> None:
    for which, altered in enumerate((FIRST, SECOND)):
        runs = [as_planned(IDS, FIRST), as_planned(IDS, SECOND)]
        if runs[which][id] is outcome:
            continue
        runs[which][id] = outcome
        verdict = judged(runs[0], runs[1]).verdict
        contradicts = id in altered and outcome is Outcome.PASSED
        assert verdict is (ModuleVerdict.VOID if contradicts else ModuleVerdict.FAILED)


@given(st.lists(OUTCOMES, min_size=8, max_size=8), st.lists(OUTCOMES, min_size=8, max_size=8), st.randoms())
def test_the_order_of_ids_and_of_runs_does_not_matter(
    first: list[Outcome], second: list[Outcome], chance: random.Random
) -> None:
    runs = (dict(zip(IDS, first, strict=True)), dict(zip(IDS, second, strict=True)))
    shuffled = chance.sample(IDS, len(IDS))
    again = [{id: run[id] for id in shuffled} for run in runs]
    straight = judged(runs[0], runs[1])
    turned = judge_module((a_run(again[1], SECOND, FREE), a_run(again[0], FIRST, FREE)), {})
    assert straight.verdict is turned.verdict
    assert dict(straight.tests) == dict(turned.tests)
    assert straight.contradictions == turned.contradictions


@settings(max_examples=300)
@given(st.data())
def test_a_worse_outcome_never_helps(data: st.DataObject) -> None:
    """From any results, taking one explicit expected outcome away never makes a module or a test pass."""
    runs = [
        {id: data.draw(st.sampled_from([planned[id], planned[id], planned[id], *Outcome])) for id in planned}
        for planned in (as_planned(IDS, FIRST), as_planned(IDS, SECOND))
    ]
    before = judged(runs[0], runs[1])
    which, id = data.draw(st.sampled_from([0, 1])), data.draw(st.sampled_from(IDS))
    planned = as_planned(IDS, (FIRST, SECOND)[which])[id]
    runs[which][id] = data.draw(st.sampled_from([outcome for outcome in Outcome if outcome is not planned]))
    after = judged(runs[0], runs[1])
    assert after.verdict is not ModuleVerdict.PASSED
    assert after.tests[id] is not TestVerdict.PASSED
    assert after.passed <= before.passed
    assert {key: value for key, value in after.tests.items() if key != id} == {
        key: value for key, value in before.tests.items() if key != id
    }


@given(st.lists(OUTCOMES, min_size=8, max_size=8), st.lists(OUTCOMES, min_size=8, max_size=8))
def test_a_module_passes_exactly_when_both_runs_went_as_planned(
    first: list[Outcome], second: list[Outcome]
) -> None:
    runs = [dict(zip(IDS, first, strict=True)), dict(zip(IDS, second, strict=True))]
    planned = runs == [as_planned(IDS, FIRST), as_planned(IDS, SECOND)]
    assert (judged(runs[0], runs[1]).verdict is ModuleVerdict.PASSED) is planned


def test_ids_that_the_report_forgets_count_as_absent() -> None:
    second = as_planned(IDS, SECOND)
    tests = tuple(Test(id, id) for id in IDS)
    series = Series((RunPlan(tests, frozenset(FIRST)), RunPlan(tests, frozenset(SECOND))))
    del second["t3"], second["t7"]
    runs = (
        a_run(as_planned(IDS, FIRST), FIRST, FREE),
        Run(series.runs[1], TestReport(second, sound=True), series),
    )
    judgement = judge_module(runs, {})
    assert judgement.verdict is ModuleVerdict.FAILED
    assert deviations(runs[1]).others == {"t3", "t7"}


# Series of more runs: each id with an alteration is real in some and altered in the others.


@dataclass(frozen=True)
class Played:
    """A series of two to four runs of IDS, and what came of it; ids of FREE have no alteration."""

    series: Series
    outcomes: tuple[dict[str, Outcome], ...]

    def planned(self, run: int) -> dict[str, Outcome]:
        return as_planned(IDS, set(self.series.runs[run].altered))

    def runs(self, order: list[int] | None = None) -> tuple[Run, ...]:
        chosen = range(len(self.outcomes)) if order is None else order
        return tuple(
            Run(self.series.runs[number], TestReport(self.outcomes[number], sound=True), self.series)
            for number in chosen
        )


@st.composite
def series_played(draw: st.DrawFn, deviating: bool = True) -> Played:
    count = draw(st.integers(2, 4))
    tests = tuple(Test(id, id) for id in IDS)
    proper = st.sets(st.integers(0, count - 1), min_size=1, max_size=count - 1)
    where = {id: draw(proper) for id in IDS if id not in FREE}
    plans = tuple(
        RunPlan(tests, frozenset(id for id, runs in where.items() if run in runs)) for run in range(count)
    )
    outcomes = [as_planned(IDS, set(plan.altered)) for plan in plans]
    for _ in range(draw(st.integers(0, 3)) if deviating else 0):
        run, id = draw(st.integers(0, count - 1)), draw(st.sampled_from(IDS))
        outcomes[run][id] = draw(OUTCOMES)
    return Played(Series(plans), tuple(outcomes))


@given(series_played())
def test_a_module_passes_exactly_when_all_its_runs_went_as_planned(played: Played) -> None:
    planned = all(outcomes == played.planned(run) for run, outcomes in enumerate(played.outcomes))
    assert (judge_module(played.runs(), {}).verdict is ModuleVerdict.PASSED) is planned


@given(series_played(deviating=False), st.data())
def test_a_series_of_which_a_run_was_not_made_passes_no_module_and_no_test(
    played: Played, data: st.DataObject
) -> None:
    count = len(played.outcomes)
    made = data.draw(st.lists(st.integers(0, count - 1), unique=True, min_size=1, max_size=count - 1))
    judgement = judge_module(played.runs(made), dict.fromkeys(IDS, CURED))
    assert (judgement.verdict, judgement.passed) == (ModuleVerdict.FAILED, 0)
    assert not judgement.contradictions


@given(series_played(), st.randoms())
def test_the_order_in_which_runs_were_made_does_not_matter(played: Played, chance: random.Random) -> None:
    order = chance.sample(range(len(played.outcomes)), len(played.outcomes))
    straight, turned = judge_module(played.runs(), {}), judge_module(played.runs(order), {})
    assert (straight.verdict, dict(straight.tests)) == (turned.verdict, dict(turned.tests))
    assert straight.contradictions == turned.contradictions


@settings(max_examples=300)
@given(series_played(), st.data())
def test_taking_an_expected_outcome_out_of_any_run_never_helps(played: Played, data: st.DataObject) -> None:
    run, id = data.draw(st.integers(0, len(played.outcomes) - 1)), data.draw(st.sampled_from(IDS))
    expected = played.planned(run)[id]
    worse = data.draw(st.sampled_from([outcome for outcome in Outcome if outcome is not expected]))
    outcomes = tuple({**one, id: worse} if at == run else one for at, one in enumerate(played.outcomes))
    before = judge_module(played.runs(), {})
    after = judge_module(Played(played.series, outcomes).runs(), {})
    assert after.verdict is not ModuleVerdict.PASSED
    assert after.tests[id] is not TestVerdict.PASSED
    assert all(after.tests[other] is verdict for other, verdict in before.tests.items() if other != id)


@given(series_played())
def test_an_accusation_takes_a_pass_in_every_real_run_and_one_where_it_is_altered(played: Played) -> None:
    accused = set()
    for id in set(IDS) - FREE:
        seen = [
            (id in plan.altered, one[id])
            for plan, one in zip(played.series.runs, played.outcomes, strict=True)
        ]
        real = {outcome for altered, outcome in seen if not altered}
        if real == {Outcome.PASSED} and (True, Outcome.PASSED) in seen:
            accused.add(id)
    assert judge_module(played.runs(), {}).contradictions == accused


def test_a_failure_as_written_in_one_of_three_runs_is_rescued_by_a_series_of_its_own() -> None:
    tests = tuple(Test(id, id) for id in IDS)
    plans = tuple(RunPlan(tests, frozenset(altered)) for altered in (FIRST, SECOND, FIRST | {"t3"}))
    series = Series(plans)
    outcomes = [as_planned(IDS, set(plan.altered)) for plan in plans]
    outcomes[0]["t4"] = Outcome.FAILED
    runs = Played(series, tuple(outcomes)).runs()
    assert rescues(runs[0]) == ("t4",)
    alone = Slots((P,), (PLANNED, PLANNED))
    assert judge_module(runs, {"t4": alone}).verdict is ModuleVerdict.PASSED
    for slots in (Slots((P,), (PLANNED, NOTHING)), Slots((P, F), (PLANNED,)), Slots((P, P))):
        assert judge_module(runs, {"t4": slots}).verdict is ModuleVerdict.FAILED
    assert judge_module(runs, {"t4": Slots((P,), (PLANNED, DEFIED))}).contradictions == {"t4"}


# Rescues.

CURED = Slots((P,), (PLANNED,))


def with_failures(ids: list[str], altered: set[str], failed: list[str]) -> dict[str, Outcome]:
    return as_planned(ids, altered) | dict.fromkeys(failed, Outcome.FAILED)


@pytest.mark.parametrize("count", range(6))
def test_one_to_three_real_failures_are_rescued_and_more_are_hopeless(count: int) -> None:
    ids = [f"t{number}" for number in range(12)]
    run = a_run(with_failures(ids, {"t11"}, ids[:count]), {"t11"}, set())
    assert may_continue(run) is (count <= MAX_RESCUES)
    assert rescues(run) == (tuple(ids[:count]) if count <= MAX_RESCUES else ())


def test_nothing_is_rescued_beside_any_other_deviation() -> None:
    deviating = {"t0": Outcome.PASSED, "t6": Outcome.ABSENT, "t4": Outcome.CRASHED}
    for id, outcome in deviating.items():
        run = a_run(with_failures(IDS, FIRST, ["t3"]) | {id: outcome}, FIRST, FREE)
        assert not may_continue(run)
        assert rescues(run) == ()


def test_a_rescued_id_passes_and_its_module_with_it() -> None:
    first = with_failures(IDS, FIRST, ["t3", "t4"])
    second = with_failures(IDS, SECOND, ["t0"])
    assert judged(first, as_planned(IDS, SECOND)).verdict is ModuleVerdict.FAILED
    cured = judged(first, second, dict.fromkeys(("t0", "t3", "t4"), CURED))
    assert (cured.verdict, cured.passed) == (ModuleVerdict.PASSED, 8)
    assert judged(first, second, dict.fromkeys(("t0", "t3"), CURED)).verdict is ModuleVerdict.FAILED


@pytest.mark.parametrize("runs", [(True, False), (False, True), (True, True)])
def test_an_id_without_a_site_that_a_neighbour_disturbs_is_rescued_too(runs: tuple[bool, bool]) -> None:
    planned = as_planned(IDS, FIRST), as_planned(IDS, SECOND)
    first, second = (
        run | ({"t6": Outcome.FAILED} if disturbed else {})
        for run, disturbed in zip(planned, runs, strict=True)
    )
    assert rescues(a_run(first, FIRST, FREE)) == (("t6",) if runs[0] else ())
    assert judged(first, second).verdict is ModuleVerdict.FAILED
    assert judged(first, second, {"t6": Slots((P, P))}).verdict is ModuleVerdict.PASSED
    for alone in (Slots((P,)), Slots((P, F)), Slots((F, P)), CURED):
        assert judged(first, second, {"t6": alone}).verdict is ModuleVerdict.FAILED


def test_a_rescue_that_passes_altered_voids_the_module() -> None:
    first = with_failures(IDS, FIRST, ["t3"])
    judgement = judged(first, as_planned(IDS, SECOND), {"t3": Slots((P,), (DEFIED,))})
    assert judgement.verdict is ModuleVerdict.VOID
    assert judgement.contradictions == {"t3"}


def test_a_rescue_cannot_cure_a_hopeless_run() -> None:
    first = with_failures(IDS, set(), ["t0", "t1", "t2", "t3"])
    runs = (a_run(first, set(), set()), a_run(as_planned(IDS, set(IDS)), set(IDS), set()))
    assert judge_module(runs, dict.fromkeys(IDS, CURED)).verdict is ModuleVerdict.FAILED


def test_a_rescue_that_was_stopped_half_way_has_not_passed() -> None:
    real_only = a_run({"t3": Outcome.PASSED}, set(), set())
    altered_only = a_run({"t3": Outcome.FAILED}, {"t3"}, set())
    assert slots_of("t3", (real_only,)) == Slots((P,), (NOTHING,))
    assert slots_of("t3", (altered_only,)) == Slots((N,), (PLANNED,))
    for run in (real_only, altered_only):
        assert judge_test(Slots((F,), (PLANNED,)), slots_of("t3", (run,))) is TestVerdict.NOT_PASSED


# Forgers: what a program earns that implements none of the m tests and guesses, by the real functions.


def blind(ids: list[str], told: dict[str, Outcome], chance: random.Random) -> dict[str, Outcome]:
    """A coin for every slot."""
    return {id: chance.choice([Outcome.PASSED, Outcome.FAILED]) for id in ids}


def remembering(ids: list[str], told: dict[str, Outcome], chance: random.Random) -> dict[str, Outcome]:
    """A coin for every test, and the opposite whenever it is seen again."""
    opposite = {Outcome.PASSED: Outcome.FAILED, Outcome.FAILED: Outcome.PASSED}
    coins = blind(ids, told, chance)
    told.update({id: opposite[told[id]] if id in told else coins[id] for id in ids})
    return {id: told[id] for id in ids}


def uniform(ids: list[str], told: dict[str, Outcome], chance: random.Random) -> dict[str, Outcome]:
    """A coin for every process."""
    return dict.fromkeys(ids, chance.choice([Outcome.PASSED, Outcome.FAILED]))


Forger = Callable[[list[str], dict[str, Outcome], random.Random], dict[str, Outcome]]
GRADINGS = 6000


def paid(forger: Forger, tests: int, seed: int, free: int = 0) -> float:
    """The share of gradings in which a forger of a whole module is paid for it."""
    chance = random.Random(seed)
    verdicts = (forged(forger, tests, chance, free) for _ in range(GRADINGS))
    return sum(verdict is ModuleVerdict.PASSED for verdict in verdicts) / GRADINGS


def forged(forger: Forger, tests: int, chance: random.Random, free: int = 0) -> ModuleVerdict:
    """`tests` ids with an alteration, `free` ones without."""
    ids = IDS[:tests]
    everything = [*ids, *(f"free{number}" for number in range(free))]
    altered = {id for id in ids if chance.random() < 0.5}
    while tests > 1 and len(altered) in {0, tests}:
        altered = {id for id in ids if chance.random() < 0.5}
    told: dict[str, Outcome] = {}

    def play(selected: list[str], planned: set[str]) -> Run:
        return a_run(forger(selected, told, chance), planned, set(selected) - set(ids))

    first = play(everything, altered)
    if not may_continue(first):
        return judge_module((first,), {}).verdict
    second = play(everything, set(ids) - altered)
    rescued = {
        id: slots_of(id, (play([id], set()), play([id], {id} & set(ids))))
        for run in (first, second)
        for id in rescues(run)
    }
    return judge_module((first, second), rescued).verdict


@pytest.mark.parametrize(("tests", "bound"), [(1, 0.36), (2, 0.16), (4, 0.02), (8, 0.001)])
def test_a_blind_forger_earns_little_and_less_with_every_test(tests: int, bound: float) -> None:
    assert paid(blind, tests, 20) <= bound


@pytest.mark.parametrize(("tests", "bound"), [(2, 0.55), (4, 0.2), (8, 0.03)])
def test_a_forger_that_remembers_the_first_run_still_loses_with_every_test(tests: int, bound: float) -> None:
    assert paid(remembering, tests, 21) <= bound


@pytest.mark.parametrize(("tests", "bound"), [(3, 0.01), (7, 0.0), (8, 0.0)])
def test_a_forger_with_one_coin_a_process_earns_nothing_beyond_the_smallest_modules(
    tests: int, bound: float
) -> None:
    """More than twice MAX_RESCUES tests leave one run with more real failures than are ever rescued."""
    assert paid(uniform, tests, 22) <= bound


@pytest.mark.parametrize("forger", [blind, remembering, uniform])
def test_rescuing_tests_without_an_alteration_pays_no_forger(forger: Forger) -> None:
    assert paid(forger, 2, 24, free=2) <= paid(forger, 2, 23)


@pytest.mark.parametrize("always", [Outcome.PASSED, Outcome.FAILED])
def test_a_forger_that_reports_one_thing_for_a_whole_run_never_survives_it(always: Outcome) -> None:
    """The coin forger: whatever its coin says, a run that is neither all real nor all altered deviates."""
    for size in range(1, len(IDS)):
        altered = set(IDS[:size])
        run = a_run(dict.fromkeys(IDS, always), altered, set())
        survives = may_continue(run)
        # Reporting only failures looks like interference while at most three tests are real: rescues decide.
        assert survives is (always is Outcome.FAILED and len(IDS) - size <= MAX_RESCUES)
