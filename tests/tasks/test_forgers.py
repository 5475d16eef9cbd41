"""Forgers against the grader's own plans: what is simulated is no more than what strength computes."""

import pytest
from tests.suites import bare_suite

from kaiju_grading import plain
from kaiju_grading.suite import Cell, Module, Question, Site, SiteKind, Suite, Test
from kaiju_tasks.campaign.forgers import Forger, ForgerRow, simulate

DRAWS = 1500


def a_suite(count: int, values: int, tests: int = 1, *, asked: bool = False, typed: bool = False) -> Suite:
    """One module: so many cells of so many tests, each altered at one place in so many ways."""
    cells = tuple(
        Cell(
            tuple(f"t.py::c{number}[{test}]" for test in range(tests)),
            tuple(Site("t.py", number, number + 1, f"{value}", SiteKind.EQUAL) for value in range(values)),
            (question(number, typed),) if asked else (),
        )
        for number in range(count)
    )
    module = Module("t", ("t.py",), tuple(Test(id, id) for cell in cells for id in cell.tests))
    return bare_suite((module,), cells)


def question(number: int, typed: bool) -> Site:
    asked = Question(f"t.py:{number}", plain.encode(f"text {number}"), typed=typed)
    return Site("t.py", number, number + 1, "ask", SiteKind.EQUAL, question=asked)


def played(
    count: int, values: int, tests: int = 1, draws: int = DRAWS, *, asked: bool = False, typed: bool = False
) -> ForgerRow:
    (row,) = simulate(a_suite(count, values, tests, asked=asked, typed=typed), draws, lambda _: None)
    return row


@pytest.mark.parametrize(
    ("count", "values", "runs", "bits"),
    [(1, 1, 4, 1.0), (1, 2, 4, 1.6), (1, 3, 4, 2.0), (2, 1, 4, 1.9), (3, 1, 4, 3.0), (2, 3, 4, 3.6)],
)
def test_a_forger_that_compares_runs_wins_as_often_as_the_bits_say(
    count: int, values: int, runs: int, bits: float
) -> None:
    row = played(count, values)
    assert (row.runs, row.bits, row.altered) == (runs, bits, count)
    assert row.chances[Forger.COMPARE] == pytest.approx(row.computed, abs=0.05)


@pytest.mark.parametrize(("count", "values"), [(1, 1), (1, 3), (3, 1), (4, 2), (6, 1)])
def test_in_more_than_two_runs_nothing_that_is_remembered_wins_more_than_the_bits_leave(
    count: int, values: int
) -> None:
    row = played(count, values)
    assert row.runs > 2
    for forger in (Forger.MEMORY, Forger.COMPARE):
        assert row.chances[forger] < row.computed + 0.05, forger
    # A pattern that lets too few tests pass may be rescued.
    assert row.chances[Forger.MEMORY] < 2**-row.blindfold + 0.05


def test_who_forgets_wins_less_in_four_runs_than_it_would_in_two() -> None:
    """One alteration and two runs: a coin for each is right once in four gradings."""
    row = played(1, 1)
    assert row.chances[Forger.BLIND] == 0
    assert row.chances[Forger.COIN] < 0.15
    assert row.chances[Forger.COIN_PER_TEST] < 0.15


def test_tests_that_are_altered_together_are_guessed_together() -> None:
    assert played(1, 1, tests=5).chances[Forger.COMPARE] == pytest.approx(0.5, abs=0.06)


def test_of_a_strong_module_only_who_tells_alterations_by_their_form_wins_anything() -> None:
    row = played(12, 1, draws=300)
    assert (row.runs, row.bits) == (2, 12.0)
    assert max(row.chances[forger] for forger in Forger if forger is not Forger.TELL) < 0.02


@pytest.mark.parametrize(("count", "values"), [(4, 1), (6, 1)])
def test_who_is_asked_and_gives_opaque_answers_wins_as_often_as_the_bits_say(count: int, values: int) -> None:
    row = played(count, values, asked=True)
    assert (row.asked, row.runs) == (count, 2)
    assert row.chances[Forger.COMPARE] == pytest.approx(row.computed, abs=0.05)
    for forger in Forger:
        if forger is not Forger.TELL:
            assert row.chances[forger] < row.computed + 0.05, forger


def test_who_must_answer_wins_more_seldom_than_who_is_flipped_and_no_more_often_than_the_bits_say() -> None:
    flipped, asked = played(5, 1), played(5, 1, asked=True, typed=True)
    assert (asked.asked, asked.runs) == (5, 2)
    assert asked.bits > flipped.bits + 1
    assert 0 < sum(asked.chances.values()) / len(Forger) < asked.computed + 0.002
