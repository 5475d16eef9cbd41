"""What an asked test said, how hard its answers are to guess, and when a module is asked at all."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites import bare_suite

from kaiju_grading.compose import veil
from kaiju_grading.outcome import Answer, Outcome
from kaiju_grading.plain import encode
from kaiju_grading.plan import Draw, ModulePlan, plan_module
from kaiju_grading.questions import Pool, Reply, read_reply
from kaiju_grading.stage import Stage
from kaiju_grading.strength import CLOSE, FLIPPING_RUNS, strength, strength_of, weigh
from kaiju_grading.suite import Cell, Module, Question, Site, SiteKind, Suite, Test

OPAQUE = Answer()


def ask(number: int, expected: object, *, echoed: bool = False) -> Site:
    question = Question(f"m.py:{number}", encode(expected), echoed)
    return Site("m.py", number, number + 1, "ask", SiteKind.EQUAL, question=question)


def flip(number: int, wrong: int = 0) -> Site:
    return Site("m.py", number, number + 1, f"x{wrong}", SiteKind.EQUAL)


def asked_cell(number: int, expected: object, *, flips: int = 1, echoed: bool = False) -> Cell:
    """With so many wrong values at one place."""
    sites = tuple(flip(number, wrong) for wrong in range(flips))
    return Cell((f"c{number:03}",), sites, (ask(number, expected, echoed=echoed),))


def several(count: int, flips: int = 1) -> list[Cell]:
    """Each expects another text."""
    return [asked_cell(number, f"text {number}", flips=flips) for number in range(count)]


def a_suite(cells: Sequence[Cell]) -> Suite:
    ids = [id for cell in cells for id in cell.tests]
    return bare_suite((Module("m", ("m.py",), tuple(Test(id, id) for id in ids)),), tuple(cells))


def a_plan(cells: Sequence[Cell], key: bytes = b"k") -> ModulePlan:
    suite = a_suite(cells)
    return plan_module(suite, suite.modules[0], Draw(key, "sha256:t", "sha256:s", Stage.TEST))


# Replies.


def reply(
    said: Mapping[str, Sequence[Answer]],
    outcome: Outcome = Outcome.PASSED,
) -> Reply:
    """Of a test with two questions: m.py:1 expects 3, m.py:2 expects "ab"."""
    return read_reply((ask(1, 3), ask(2, "ab")), outcome, said)


def said(value: object) -> list[Answer]:
    return [Answer(encode(value))]


BOTH = {"m.py:1": said(3), "m.py:2": said("ab")}


def test_a_reply_is_right_when_every_answer_to_every_question_is() -> None:
    assert reply(BOTH) is Reply.RIGHT
    assert reply({**BOTH, "m.py:1": said(3.0)}) is Reply.RIGHT
    assert reply({**BOTH, "m.py:1": said(3) * 5}) is Reply.RIGHT
    assert reply({**BOTH, "m.py:9": said("nobody asked")}) is Reply.RIGHT


def test_one_plain_answer_that_is_not_the_expected_one_is_wrong_whatever_else_was_said() -> None:
    assert reply({**BOTH, "m.py:1": said(4)}) is Reply.WRONG
    assert reply({**BOTH, "m.py:1": said(3) + said(4)}) is Reply.WRONG
    assert reply({"m.py:1": said(4)}) is Reply.WRONG
    assert reply({"m.py:1": said(4), "m.py:2": [OPAQUE]}) is Reply.WRONG


def test_what_was_not_answered_or_answered_by_a_test_that_did_not_pass_accuses_nobody() -> None:
    assert reply({"m.py:1": said(3)}) is Reply.NONE
    assert reply({}) is Reply.NONE
    for outcome in set(Outcome) - {Outcome.PASSED}:
        assert reply(BOTH, outcome) is Reply.NONE
        assert reply({**BOTH, "m.py:1": said(4)}, outcome) is Reply.NONE


def test_one_opaque_answer_among_right_ones_makes_a_reply_opaque() -> None:
    assert reply({**BOTH, "m.py:1": [OPAQUE]}) is Reply.OPAQUE
    assert reply({**BOTH, "m.py:1": [*said(3), OPAQUE]}) is Reply.OPAQUE
    assert reply({"m.py:1": [OPAQUE]}) is Reply.NONE


def test_an_opaque_answer_is_none_where_the_language_says_its_type() -> None:
    typed = replace(ask(1, 3), question=Question("m.py:1", encode(3), typed=True))

    assert read_reply((typed,), Outcome.PASSED, {"m.py:1": [OPAQUE]}) is Reply.NONE
    assert read_reply((typed,), Outcome.PASSED, BOTH) is Reply.RIGHT
    assert read_reply((typed, ask(2, "ab")), Outcome.PASSED, {**BOTH, "m.py:2": [OPAQUE]}) is Reply.OPAQUE


# Guessing.


def bits_in(task: Sequence[Cell], cell: Cell, module: Sequence[Cell] = ()) -> float:
    return Pool.of(task).bits(cell, Pool.of(module))


def test_the_commonest_answer_of_its_kind_says_how_hard_one_is_to_guess() -> None:
    cells = [*several(8), *(asked_cell(20 + number, number // 3) for number in range(6))]
    assert bits_in(cells, cells[0]) == 3
    assert bits_in(cells, cells[-1]) == 1
    assert bits_in(cells, Cell(("other",), (flip(0),))) == 0


def test_an_answer_that_a_module_expects_again_and_again_is_easier_to_guess_there() -> None:
    alike = [asked_cell(100 + number, "again") for number in range(6)]
    task = [*several(58), *alike]
    assert bits_in(task, alike[0]) == pytest.approx(-math.log2(6 / 64))
    assert bits_in(task, alike[0], alike) == 0
    assert bits_in(task, task[0], [*task[:6], *alike]) == 1
    assert bits_in(task, task[0], task[:3]) == bits_in(task, task[0]), "one of each is nothing common"


def test_texts_that_differ_in_case_or_space_alone_are_one_answer() -> None:
    cells = [asked_cell(number, text) for number, text in enumerate(["a b", "AB", "ab ", "other"])]
    assert bits_in(cells, cells[3]) == pytest.approx(-math.log2(3 / 4))


def test_a_value_that_the_test_still_says_is_worth_no_more_than_a_flip() -> None:
    cells = [*several(20), asked_cell(50, "said", echoed=True)]
    assert bits_in(cells, cells[-1]) == 1


def test_no_answer_counts_more_than_eight_bits_and_a_test_no_more_than_its_hardest() -> None:
    cells = several(1000)
    both = replace(cells[0], asked=(*cells[0].asked, *cells[1].asked))
    assert bits_in(cells, cells[0]) == bits_in(cells, both) == 8


def test_a_question_that_several_cells_put_is_one() -> None:
    shared = asked_cell(0, "shared")
    others = [replace(shared, tests=(f"again {number}",)) for number in range(9)]
    assert bits_in([shared, *others, asked_cell(1, "other")], shared) == 1


def bits_of(cells: Sequence[Cell], answers: float) -> float:
    """With so many bits for each answer."""
    return strength((), 2, dict.fromkeys(cells, answers)).bits


def test_an_asked_cell_leaves_no_more_than_its_flips_which_an_opaque_answer_takes_it_to() -> None:
    assert bits_of(several(20), 8) == strength(tuple(several(20)), FLIPPING_RUNS).bits == 20
    assert bits_of(several(20, 3), 8) == strength(tuple(several(20, 3)), FLIPPING_RUNS).bits == 40


def test_what_must_be_answered_leaves_all_that_its_answers_do() -> None:
    typed = [
        replace(
            cell,
            asked=tuple(
                replace(site, question=replace(site.question, typed=True))
                for site in cell.asked
                if site.question
            ),
        )
        for cell in several(20)
    ]
    assert bits_of(typed, 8) > 140
    assert bits_of([*typed[:10], *several(20)[10:]], 8) == 82.5


@pytest.mark.parametrize(
    ("count", "answers", "left"), [(0, 8, 0), (1, 1.5, 0.5), (2, 1.5, 1), (3, 1.5, 1.5), (8, 1.5, 5.5)]
)
def test_a_second_guess_at_three_answers_costs_what_it_tells(count: int, answers: float, left: float) -> None:
    assert bits_of(several(count, 3), answers) == pytest.approx(left, abs=0.06)


def test_a_module_of_questions_needs_fewer_runs_than_one_of_flips() -> None:
    cells = several(6, 3)
    flips = tuple(replace(cell, asked=()) for cell in cells)
    assert (strength_of(tuple(cells)).asked, strength_of(flips).asked) == (6, 0)
    assert not strength_of(tuple(cells)).weak
    assert (strength_of(tuple(cells)).runs, strength_of(flips).runs) == (2, 4)


def test_cells_are_flipped_where_that_is_worth_more_than_their_answers() -> None:
    alike = tuple(asked_cell(number, number % 2 == 0) for number in range(12))
    assert (strength_of(alike).asked, strength_of(alike).bits) == (0, 12)
    barely = tuple(asked_cell(number, number % 3) for number in range(11))
    assert (strength_of(barely).asked, strength_of(barely).weak) == (0, False)


def test_what_cannot_be_flipped_for_certain_is_not_asked_for_its_answer_may_be_opaque() -> None:
    cells = several(12)
    loose = [replace(cell, sites=(replace(flip(9), conditional=True),)) for cell in cells[:4]]
    weighed = weigh((*loose, *cells[4:]), Pool.of(cells))
    assert (weighed.asked, weighed.flipped) == (tuple(cells[4:]), tuple(loose))


SHAPES = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "d", 1, 2, True]), st.integers(1, 3), st.booleans()),
    max_size=14,
).map(
    lambda shapes: tuple(
        asked_cell(number, expected, flips=flips, echoed=echoed)
        for number, (expected, flips, echoed) in enumerate(shapes)
    )
)


@settings(max_examples=100, deadline=None)
@given(cells=SHAPES)
def test_questions_never_make_a_module_weaker(cells: tuple[Cell, ...]) -> None:
    flips = tuple(replace(cell, asked=()) for cell in cells)
    asked, flipped = strength_of(cells), strength_of(flips)
    assert asked.weak <= flipped.weak
    assert asked.runs <= flipped.runs or flipped.weak
    if asked.weak:
        assert asked.bits >= flipped.bits - CLOSE - 0.1


# Plans.


@settings(max_examples=60, deadline=None)
@given(cells=SHAPES, key=st.binary(min_size=1, max_size=4))
def test_all_questions_are_for_the_first_run_and_asked_tests_are_real_in_every_other(
    cells: tuple[Cell, ...], key: bytes
) -> None:
    plan = a_plan(cells, key)
    weighed = weigh(cells, Pool.of(cells))
    first, *others = plan.series.runs
    assert set(first.asked) == {id for cell in weighed.asked for id in cell.tests}
    assert not any(run.asked for run in others)
    assert plan.series.sited == {id for cell in cells for id in cell.tests}
    for cell in weighed.asked:
        assert set(cell.asked) <= set(first.sites)
        assert not any(set(cell.asked) & set(run.sites) for run in others)
        assert all(run.is_real(cell.tests[0]) for run in others)
        alone = plan.rescues[cell.tests[0]]
        assert [dict(run.asked) for run in alone.runs] == [{cell.tests[0]: cell.asked}, {}]


def test_no_expected_value_of_what_is_asked_stands_in_what_the_first_run_is_given() -> None:
    first = a_plan(several(12)).series.runs[0]
    assert all("text" not in site.replacement for site in first.sites)


def test_who_is_asked_again_is_asked_the_same_alone() -> None:
    cells = several(5)
    plan = a_plan(cells)
    first, ids = plan.series.runs[0], [cells[1].tests[0], cells[3].tests[0]]
    again = plan.asking_again(first, ids)
    assert [test.id for test in again.tests] == ids
    assert dict(again.asked) == {cells[place].tests[0]: cells[place].asked for place in (1, 3)}
    assert again.sites == first.sites, "the same files: what is real in them must not be told"
    assert not again.altered


def test_who_was_opaque_is_flipped_alone_and_no_other_test_is_seen_otherwise_than_in_the_run() -> None:
    flipped = [Cell((f"f{number}",), (flip(900 + number),)) for number in range(4)]
    cells = [*several(5, 3), *flipped]
    wanted = {cells[1].tests[0], cells[3].tests[0]}
    seen = set()
    for number in range(40):
        plan = a_plan(cells, bytes([number]))
        first = plan.series.runs[0]
        assert len(first.asked) == 5
        series = plan.flipping(first, wanted)
        assert len(series.runs) == FLIPPING_RUNS
        assert series.sited == wanted
        others = {site for site in first.sites if site not in (*cells[1].asked, *cells[3].asked)}
        for run in series.runs:
            assert {test.id for test in run.tests} == wanted
            assert not run.asked
            own = {*cells[1].sites, *cells[3].sites}
            assert set(run.sites) - own == others
            assert {id for id in wanted if not run.is_real(id)} == run.altered
        seen.add(tuple(run.altered for run in series.runs))
    assert len(seen) > 10


def test_rows_that_are_still_asked_keep_the_edit_of_the_body_that_they_share() -> None:
    body = Site("m.py", 500, 510, "__kaiju_ask__(wanted, f(x))", SiteKind.EQUAL)
    rows = [replace(cell, asked=(body, *cell.asked)) for cell in several(5)]
    plan = a_plan(rows)
    first = plan.series.runs[0]
    some = plan.flipping(first, rows[0].tests)
    assert all(body in run.sites and rows[0].asked[1] not in run.sites for run in some.runs)
    every = plan.flipping(first, first.asked)
    assert all(body not in run.sites for run in every.runs)


def test_runs_of_one_module_do_not_show_what_another_in_the_same_file_is_asked() -> None:
    cells = several(4)
    tests = [Test(cell.tests[0], cell.tests[0]) for cell in cells]
    one, other = Module("one", ("m.py",), tuple(tests[:2])), Module("other", ("m.py",), tuple(tests[2:]))
    suite = bare_suite((one, other, Module("far", ("n.py",), (tests[0],))), tuple(cells))
    assert veil(suite, one) == (*cells[2].asked, *cells[3].asked)
    assert veil(suite, other) == (*cells[0].asked, *cells[1].asked)
    assert veil(suite, suite.modules[2]) == ()
