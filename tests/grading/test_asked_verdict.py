"""The verdict on modules that are asked: every reply, beside every other test, in every real run."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.outcome import Answer, Outcome, TestReport
from kaiju_grading.plain import encode
from kaiju_grading.plan import RunPlan, Series
from kaiju_grading.questions import Reply
from kaiju_grading.strength import MAX_ASKED_AGAIN
from kaiju_grading.suite import Question, Site, SiteKind, Test
from kaiju_grading.verdict import (
    Altered,
    Judgement,
    Real,
    Run,
    Slots,
    deviations,
    judge_module,
    may_continue,
    rescues,
    slots_of,
    to_be_flipped,
    unsettled,
)

P, F = Outcome.PASSED, Outcome.FAILED
SITE = Site("m.py", 0, 1, "ask", SiteKind.EQUAL, question=Question("m.py:0", encode(3)))
SAID = {
    Reply.RIGHT: (P, Answer(encode(3))),
    Reply.WRONG: (P, Answer(encode(4))),
    Reply.OPAQUE: (P, Answer()),
    Reply.NONE: (F, Answer(encode(3))),
}
CURED = Slots((Real.PASSED,), (Altered.AS_PLANNED,))


@dataclass(frozen=True)
class Asked:
    """A module of tests that are asked, q0 and on, and one that is flipped in the first of two runs."""

    first: tuple[Reply, ...]
    again: tuple[Reply | None, ...]
    """What a second asking says, if it is made."""
    real: tuple[Outcome, ...]
    flipped: tuple[Outcome, Outcome] = (F, P)
    sound: tuple[bool, bool] = (True, True)

    @property
    def ids(self) -> list[str]:
        return [f"q{number}" for number in range(len(self.first))]

    def runs(self) -> tuple[Run, Run]:
        tests = tuple(Test(id, id) for id in (*self.ids, "flip"))
        asked = dict.fromkeys(self.ids, (SITE,))
        series = Series((RunPlan(tests, frozenset({"flip"}), asked=asked), RunPlan(tests)))
        first = self._asked(series, series.runs[0], dict(zip(self.ids, self.first, strict=True)))
        second = {id: reply for id, reply in zip(self.ids, self.again, strict=True) if reply is not None}
        if second:
            alone = RunPlan(tuple(Test(id, id) for id in second), asked=dict.fromkeys(second, (SITE,)))
            first = replace(first, again=self._asked(series, alone, second))
        outcomes = {**dict(zip(self.ids, self.real, strict=True)), "flip": self.flipped[1]}
        return first, Run(series.runs[1], TestReport(outcomes, self.sound[1]), series)

    def _asked(self, series: Series, plan: RunPlan, replies: dict[str, Reply]) -> Run:
        outcomes = {id: SAID[reply][0] for id, reply in replies.items()} | {"flip": self.flipped[0]}
        answers = {id: {"m.py:0": (SAID[reply][1],)} for id, reply in replies.items()}
        return Run(plan, TestReport(outcomes, self.sound[0], answers=answers), series)

    @property
    def last(self) -> list[Reply]:
        return [again or first for first, again in zip(self.first, self.again, strict=True)]

    def judged(self, rescued: dict[str, Slots] | None = None) -> Judgement:
        return judge_module(self.runs(), rescued or {})


def small() -> Iterator[Asked]:
    """Two tests with every reply, asked again or not, and every real outcome of three kinds."""
    agains = (None, *Reply)
    for first in itertools.product(Reply, repeat=2):
        for again in itertools.product(agains, repeat=2):
            if any(
                said is not None and before is Reply.RIGHT for before, said in zip(first, again, strict=True)
            ):
                continue
            for real in itertools.product((P, F, Outcome.CRASHED), repeat=2):
                yield Asked(first, again, real)


def test_a_module_passes_exactly_when_all_last_replies_are_right_and_all_is_passed_as_written() -> None:
    seen = set()
    for module in small():
        good = set(module.last) == {Reply.RIGHT} and set(module.real) == {P}
        judgement = module.judged()
        assert (judgement.verdict is ModuleVerdict.PASSED) is good, module
        seen.add(judgement.verdict)
    assert seen == {ModuleVerdict.PASSED, ModuleVerdict.FAILED, ModuleVerdict.VOID}


def test_only_a_wrong_last_answer_beside_a_pass_as_written_is_a_contradiction() -> None:
    for module in small():
        accused = {
            id
            for id, last, real in zip(module.ids, module.last, module.real, strict=True)
            if last is Reply.WRONG and real is P
        }
        assert module.judged().contradictions == accused, module


def test_a_better_reply_never_harms_and_a_worse_one_never_helps() -> None:
    for module in small():
        better = replace(module, first=(Reply.RIGHT, module.first[1]), again=(None, module.again[1]))
        assert better.judged().passed >= module.judged().passed
        assert better.judged().contradictions <= module.judged().contradictions


def test_the_order_of_tests_is_no_part_of_the_verdict() -> None:
    for module in small():
        other = Asked(module.first[::-1], module.again[::-1], module.real[::-1])
        assert other.judged().verdict is module.judged().verdict


def test_a_run_that_is_not_sound_answers_nothing_and_accuses_nobody() -> None:
    for module in small():
        lost = replace(module, sound=(False, True))
        assert lost.judged().verdict is ModuleVerdict.FAILED
        assert not unsettled(lost.runs()[0])


def test_without_the_real_run_nothing_passes_and_nobody_is_accused() -> None:
    for module in small():
        judgement = judge_module(module.runs()[:1], dict.fromkeys(module.ids, CURED))
        assert (judgement.verdict, judgement.passed) == (ModuleVerdict.FAILED, 0)
        assert not judgement.contradictions


def test_who_answered_wrong_or_nothing_is_asked_again_once_and_up_to_three() -> None:
    for count, reply in itertools.product(range(6), [Reply.WRONG, Reply.NONE]):
        module = Asked((reply,) * count + (Reply.RIGHT,), (None,) * (count + 1), (P,) * (count + 1))
        run = module.runs()[0]
        assert unsettled(run) == set(module.ids[:count] if count <= MAX_ASKED_AGAIN else ())
        assert not to_be_flipped(run)
        again = replace(module, again=(Reply.RIGHT,) * count + (None,)).runs()[0]
        assert not deviations(again).all


def test_opaque_answers_are_flipped_whatever_their_number_once_all_others_are_right() -> None:
    for count in range(1, 12):
        module = Asked((Reply.OPAQUE,) * count + (Reply.RIGHT,), (None,) * (count + 1), (P,) * (count + 1))
        run = module.runs()[0]
        assert not unsettled(run)
        assert to_be_flipped(run) == set(module.ids[:count])
    for reply, last in itertools.product([Reply.WRONG, Reply.NONE], Reply):
        beside = Asked((Reply.OPAQUE, reply), (None, last), (P, P))
        assert unsettled(replace(beside, again=(None, None)).runs()[0]) == {"q1"}
        assert to_be_flipped(beside.runs()[0]) == ({"q0"} if last is Reply.RIGHT else set())


def test_nobody_is_flipped_for_a_second_answer_that_is_opaque() -> None:
    module = Asked((Reply.WRONG,), (Reply.OPAQUE,), (P,))
    assert not to_be_flipped(module.runs()[0])
    assert module.judged().verdict is ModuleVerdict.FAILED


def flipped(module: Asked, *outcomes: tuple[Outcome, Outcome]) -> Judgement:
    """The module, after a series in which q0 was flipped and real in turn."""
    tests = (Test("q0", "q0"),)
    series = Series((RunPlan(tests, frozenset({"q0"})), RunPlan(tests)) * len(outcomes))
    seen = [outcome for pair in outcomes for outcome in pair]
    runs = tuple(
        Run(plan, TestReport({"q0": outcome}, sound=True), series)
        for plan, outcome in zip(series.runs, seen, strict=True)
    )
    first, second = module.runs()
    return judge_module((replace(first, flips=runs), second), {})


@pytest.mark.parametrize("real", [P, F])
@pytest.mark.parametrize("outcomes", [*itertools.product(itertools.product((P, F), repeat=2), repeat=2)])
def test_the_slot_of_a_test_that_was_opaque_is_the_verdict_on_its_flips(
    outcomes: tuple[tuple[Outcome, Outcome], ...], real: Outcome
) -> None:
    module = Asked((Reply.OPAQUE, Reply.RIGHT), (None, None), (real, P))
    judgement = flipped(module, *outcomes)
    as_written = all(pair[1] is P for pair in outcomes) and real is P
    planned = all(pair[0] is F for pair in outcomes)
    assert (judgement.verdict is ModuleVerdict.PASSED) is (as_written and planned)
    assert (judgement.contradictions == {"q0"}) is (as_written and not planned)


def test_flips_that_were_not_all_made_settle_no_opaque_answer() -> None:
    module = Asked((Reply.OPAQUE,), (None,), (P,))
    first, second = module.runs()
    tests = (Test("q0", "q0"),)
    series = Series((RunPlan(tests, frozenset({"q0"})), RunPlan(tests), RunPlan(tests)))
    runs = tuple(
        Run(plan, TestReport({"q0": outcome}, sound=True), series)
        for plan, outcome in zip(series.runs, (F, P), strict=False)
    )
    judgement = judge_module((replace(first, flips=runs), second), {})
    assert judgement.verdict is ModuleVerdict.FAILED
    assert not judgement.contradictions


def test_nobody_is_asked_again_or_flipped_where_the_module_has_failed_elsewhere() -> None:
    for flip, reply in itertools.product((P, Outcome.CRASHED), [Reply.OPAQUE, Reply.WRONG]):
        module = Asked((reply,), (None,), (P,), flipped=(flip, P))
        assert not unsettled(module.runs()[0])
        assert not to_be_flipped(module.runs()[0])
        assert not may_continue(module.runs()[0])


@pytest.mark.parametrize("reply", [Reply.NONE, Reply.OPAQUE])
def test_a_module_goes_on_after_answers_wrong_twice_to_see_whether_it_contradicts_itself(
    reply: Reply,
) -> None:
    wrong = Asked((Reply.WRONG,), (Reply.WRONG,), (P,)).runs()[0]
    assert may_continue(wrong)
    assert rescues(wrong) == ()
    assert not may_continue(Asked((reply,), (reply,), (P,)).runs()[0])


def test_a_failure_as_written_of_an_asked_test_is_rescued_and_cures_no_wrong_answer() -> None:
    module = Asked((Reply.RIGHT,), (None,), (F,))
    assert rescues(module.runs()[1]) == ("q0",)
    assert module.judged({"q0": CURED}).verdict is ModuleVerdict.PASSED
    for slots in (Slots((Real.PASSED,) * 2), Slots((Real.FAILED,), (Altered.AS_PLANNED,)), Slots(())):
        assert module.judged({"q0": slots}).verdict is ModuleVerdict.FAILED
    lied = Asked((Reply.WRONG,), (Reply.WRONG,), (F,))
    assert lied.judged({"q0": CURED}).verdict is ModuleVerdict.FAILED


def test_the_slot_of_an_asked_test_is_its_last_reply() -> None:
    wanted = {Reply.RIGHT: Altered.AS_PLANNED, Reply.WRONG: Altered.DEFIED}
    for first, again in itertools.product([Reply.WRONG, Reply.OPAQUE, Reply.NONE], Reply):
        runs = Asked((first,), (again,), (P,)).runs()
        assert slots_of("q0", runs).altered == (wanted.get(again, Altered.NEITHER),)
        assert slots_of("q0", runs).real == (Real.PASSED,)
