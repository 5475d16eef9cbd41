"""What a module leaves a forger to guess, and how many runs it is therefore graded by."""

import math
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiju_grading import plain
from kaiju_grading.mixing import mixing_of
from kaiju_grading.pattern import patterns, real_runs, shares, values_of
from kaiju_grading.strength import ENOUGH, module_cells, strength, strength_of
from kaiju_grading.suite import Cell, Module, Question, Site, SiteKind, Test


def a_cell(number: int, values: int = 1, tests: int = 1, *, conditional: bool = False) -> Cell:
    """One place with so many wrong values."""
    sites = tuple(
        Site("m.py", number, number + 1, f"{value}", SiteKind.EQUAL, conditional=conditional)
        for value in range(values)
    )
    return Cell(tuple(f"c{number:03}.{test}" for test in range(tests)), sites)


def some_cells(count: int, values: int = 1) -> tuple[Cell, ...]:
    return tuple(a_cell(number, values) for number in range(count))


SHAPES = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3), st.booleans()), max_size=14).map(
    lambda shapes: tuple(
        a_cell(number, values, tests, conditional=conditional)
        for number, (values, tests, conditional) in enumerate(shapes)
    )
)


@pytest.mark.parametrize(("count", "bits"), [(0, 0), (1, 1), (2, 1), (3, 2.6), (10, 10), (25, 25)])
def test_with_two_runs_a_cell_is_a_bit_less_the_two_draws_that_are_never_made(
    count: int, bits: float
) -> None:
    found = strength(some_cells(count), 2)
    assert (found.bits, found.blindfold) == (bits, bits)


@pytest.mark.parametrize(
    ("count", "values", "runs", "weak"),
    [
        (30, 1, 2, False),
        (10, 1, 2, False),
        (9, 1, 3, True),
        (5, 1, 3, True),
        (3, 1, 4, True),
        (1, 3, 4, True),
        (9, 2, 3, False),
        (6, 3, 4, False),
        (0, 1, 2, True),
    ],
)
def test_a_module_gets_the_fewest_runs_that_are_enough(
    count: int, values: int, runs: int, weak: bool
) -> None:
    found = strength_of(some_cells(count, values))
    assert (found.runs, found.weak) == (runs, weak)


def test_more_runs_give_nothing_to_a_comparison_where_a_cell_has_one_wrong_value() -> None:
    """Two values, one of which is the real one: that is a bit, however often they are shown."""
    for runs in (2, 3, 4):
        assert strength(some_cells(9), runs).bits == pytest.approx(9, abs=0.1)
    assert strength(some_cells(9), 3).blindfold == pytest.approx(9 * math.log2(6), abs=0.1)
    assert strength(some_cells(9), 4).blindfold == pytest.approx(9 * math.log2(14), abs=0.1)
    assert strength(some_cells(9, 2), 3).bits == pytest.approx(9 * math.log2(3), abs=0.2)
    assert strength(some_cells(9, 3), 4).bits == pytest.approx(9 * 2, abs=0.6), "every run is mixed"


def test_tests_that_are_altered_together_are_one_draw() -> None:
    alone, together = some_cells(12), tuple(a_cell(number, tests=7) for number in range(12))
    assert strength_of(together) == strength_of(alone)


def test_alterations_that_honest_code_may_pass_give_no_bit_and_take_none_away() -> None:
    lenient = tuple(a_cell(number, conditional=True) for number in range(20, 32))
    assert strength_of(lenient).bits == 0
    assert strength_of(lenient).runs == 2, "more runs would leave no more to be guessed"
    assert strength(some_cells(12) + lenient, 2).bits == 12
    half = a_cell(50)
    mixed = Cell(half.tests, (*half.sites, replace(half.sites[0], start=60, end=61, conditional=True)))
    assert strength((*some_cells(11), mixed), 2) == strength(some_cells(12), 2)


def test_two_places_of_a_cell_are_not_two_values() -> None:
    one = a_cell(0)
    elsewhere = Cell(one.tests, (*one.sites, *(replace(site, start=9, end=10) for site in one.sites)))
    same = Cell(one.tests, (*one.sites, *one.sites))
    assert values_of(elsewhere, 4) == values_of(same, 4) == values_of(one, 4) == 2
    assert [values_of(a_cell(0, 9), runs) for runs in (2, 3, 4)] == [2, 3, 4]


def test_a_cell_has_as_many_values_as_its_richest_place() -> None:
    rich = a_cell(0, 3)
    poor = replace(rich.sites[0], start=9, end=10, kind=SiteKind.RAISES)
    assert [values_of(Cell(rich.tests, (*rich.sites, poor)), runs) for runs in (2, 3, 4)] == [2, 3, 4]
    lenient = tuple(replace(site, conditional=True) for site in rich.sites)
    assert values_of(Cell(rich.tests, (*lenient, poor)), 4) == 2, (
        "values that honest code may pass do not count"
    )


def test_a_weak_module_gets_the_runs_that_leave_the_most_to_who_compares() -> None:
    assert strength_of(some_cells(4, 3)).runs == 4
    assert strength_of(some_cells(6, 1)).runs == 3, "four runs ask no more of it, and three are enough else"


@pytest.mark.parametrize("runs", [2, 3, 4])
def test_every_pattern_has_a_real_run_and_an_altered_one(runs: int) -> None:
    for values in range(2, runs + 1):
        found = patterns(runs, values)
        assert all(0 < len(real_runs(pattern)) < runs for pattern in found)
        assert Counter(len(set(pattern)) for pattern in found) == {values: len(found)}
        assert sum(shares(runs, values).values()) == pytest.approx(1)
    assert len(patterns(runs, 2)) == 2**runs - 2


@pytest.mark.parametrize(("count", "values"), [(3, 1), (4, 1), (5, 1), (6, 2), (9, 3), (12, 1)])
@pytest.mark.parametrize("runs", [2, 3, 4])
def test_the_share_of_draws_that_are_taken_is_what_drawing_gives(count: int, values: int, runs: int) -> None:
    shown = [min(runs, 1 + values)] * count
    mixing, chance = mixing_of(shown, runs), random.Random(count)
    drawn = ([real_runs(chance.choice(patterns(runs, one))) for one in shown] for _ in range(4000))
    assert sum(map(mixing.takes, drawn)) / 4000 == pytest.approx(mixing.share, abs=0.03)
    assert mixing.share >= 0.5


def test_every_run_is_mixed_unless_that_leaves_less_than_half_of_all_draws() -> None:
    real_in_first, real_in_second = frozenset({0}), frozenset({1})
    drawn = [real_in_first] * 5 + [real_in_second] * 5
    assert mixing_of([2] * 10, 2).takes(drawn)
    assert not mixing_of([2] * 10, 3).takes(drawn), "the third run is all altered"
    assert mixing_of([2] * 3, 3).takes(drawn[4:7])
    assert not mixing_of([2] * 3, 3).takes(drawn[:3]), "a coin for each run would win"
    assert mixing_of([2], 3).takes(drawn[:1])


@given(SHAPES, st.integers(1, 4))
def test_one_more_cell_never_makes_a_module_weaker(cells: tuple[Cell, ...], values: int) -> None:
    for runs in (2, 3, 4):
        before, after = strength(cells, runs), strength((*cells, a_cell(99, values)), runs)
        assert after.bits >= before.bits
        assert after.blindfold >= before.blindfold


@given(SHAPES)
def test_the_order_of_cells_does_not_matter(cells: tuple[Cell, ...]) -> None:
    assert strength_of(cells[::-1]) == strength_of(cells)


@given(SHAPES)
def test_the_runs_are_two_where_two_are_enough_and_never_more_than_four(cells: tuple[Cell, ...]) -> None:
    found = strength_of(cells)
    assert found == strength(cells, found.runs)
    assert found.weak is (found.bits < ENOUGH)
    if not strength(cells, 2).weak:
        assert found.runs == 2
    if found.weak:
        assert all(strength(cells, runs).weak for runs in (2, 3, 4))


def test_the_part_of_a_cell_that_a_module_holds_counts_for_it() -> None:
    cells = (Cell(("a", "b"), a_cell(0).sites), Cell(("c",), a_cell(1).sites))
    module = Module("m", ("m.py",), (Test("a", "a"), Test("c", "c")))
    assert [cell.tests for cell in module_cells(cells, module)] == [("a",), ("c",)]
    assert module_cells(cells, replace(module, files=("other.py",))) == ()


def test_what_tests_of_another_module_are_asked_too_is_not_asked() -> None:
    question = Question("key", plain.encode("answer"))
    asking = replace(a_cell(0).sites[0], replacement="ask(key)", question=question)
    own, both = (Cell(tests, a_cell(0).sites, (asking,)) for tests in (("a",), ("a", "b")))
    module = Module("m", (asking.path,), (Test("a", "a"),))
    assert [cell.asked for cell in module_cells((own,), module)] == [(asking,)]
    assert [(cell.tests, cell.asked) for cell in module_cells((both,), module)] == [(("a",), ())]
