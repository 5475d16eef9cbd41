"""What the secret bits decide, and what holds for every draw."""

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites import bare_suite

from kaiju_grading.plan import Draw, RunPlan, Series, plan_module, plan_series
from kaiju_grading.stage import Stage
from kaiju_grading.strength import module_cells, module_strength
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Suite, Test

KINDS = list(SiteKind)


def a_draw(key: bytes = b"k", submission: str = "sha256:s", stage: Stage = Stage.DRAFT) -> Draw:
    return Draw(key, "sha256:t", submission, stage)


def a_suite(cells: list[Cell], free: int = 0) -> Suite:
    ids = [id for cell in cells for id in cell.tests] + [f"free{number}" for number in range(free)]
    module = Module("m", ("m.py",), tuple(Test(id, id) for id in ids))
    return bare_suite((module,), tuple(cells))


def a_cell(
    number: int, tests: int = 1, kinds: tuple[SiteKind, ...] = (SiteKind.EQUAL,), values: int = 1
) -> Cell:
    """A place for each kind, with so many wrong values."""
    sites = tuple(
        Site("m.py", number * 100 + place, number * 100 + place + 1, f"{place}.{value}", kind)
        for place, kind in enumerate(kinds)
        for value in range(values)
    )
    return Cell(tuple(f"c{number:03}.{test}" for test in range(tests)), sites)


CELLS = st.lists(
    st.tuples(st.integers(1, 3), st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)), max_size=12
).map(lambda shapes: [a_cell(number, tests, tuple(kinds)) for number, (tests, kinds) in enumerate(shapes)])


def series_of(suite: Suite, draw: Draw) -> Series:
    return plan_series(suite, suite.modules[0], draw)


def sites_of(series: Series) -> set[Site]:
    return {site for run in series.runs for site in run.sites}


def shown(series: Series, cell: Cell) -> list[Site | None]:
    """What each run shows of a cell; None is its real value."""
    return [next((site for site in run.sites if site in cell.sites), None) for run in series.runs]


@settings(max_examples=200, deadline=None)
@given(CELLS, st.integers(0, 3), st.binary(min_size=1, max_size=8))
def test_every_cell_is_altered_as_a_whole_in_some_runs_and_real_in_the_others(
    cells: list[Cell], free: int, key: bytes
) -> None:
    suite = a_suite(cells, free)
    series = series_of(suite, a_draw(key))
    assert len(series.runs) == module_strength(suite.cells, suite.modules[0]).runs
    assert series.sited == {id for cell in cells for id in cell.tests}
    for cell in cells:
        for run, site in zip(series.runs, shown(series, cell), strict=True):
            assert run.altered & set(cell.tests) == (set(cell.tests) if site else set())
        assert None in shown(series, cell)
        assert any(shown(series, cell))
    assert all(run.tests == suite.modules[0].tests for run in series.runs)
    mixed = [0 < len(run.sites) < len(cells) for run in series.runs]
    assert any(mixed) or len(cells) < 2
    assert all(mixed) or len(cells) < 9, "in the smallest modules that would tell too much"


@settings(max_examples=50, deadline=None)
@given(st.integers(10, 14), st.binary(min_size=1, max_size=8))
def test_of_ten_cells_or_more_each_is_altered_in_exactly_one_of_two_runs(count: int, key: bytes) -> None:
    cells = [a_cell(number, kinds=(SiteKind.EQUAL,) * 3) for number in range(count)]
    first, second = series_of(a_suite(cells, 1), a_draw(key)).runs
    assert not first.altered & second.altered
    assert first.altered
    assert second.altered
    assert len(first.sites + second.sites) == count


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 9), st.integers(1, 4), st.binary(min_size=1, max_size=8))
def test_all_values_that_runs_show_of_a_cell_stand_at_one_place(count: int, wrong: int, key: bytes) -> None:
    """Of two places, each altered in one of three runs, what is seen once is wrong: a comparison tells."""
    cells = [a_cell(number, kinds=(SiteKind.EQUAL,) * 2, values=wrong) for number in range(count)]
    series = series_of(a_suite(cells), a_draw(key))
    for cell in cells:
        sites = {site for site in shown(series, cell) if site}
        assert len({site.start for site in sites}) == 1
        assert len(sites) == min(wrong, len(series.runs) - 1)


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_runs_that_are_compared_do_not_tell_which_value_is_the_real_one(wrong: int) -> None:
    """However often a value is shown, and wherever, it is the real one as often as any other."""
    suite = a_suite([a_cell(number, values=wrong) for number in range(3)])
    real: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for number in range(1500):
        values = shown(series_of(suite, a_draw(number.to_bytes(4))), suite.cells[0])
        assert len(values) == 4
        alike = sorted(tuple(run for run in range(4) if values[run] == value) for value in set(values))
        real[(tuple(run for run in range(4) if values[run] is None), *alike)] += 1
    for (_, *alike), seen in list(real.items()):
        counts = [real[(runs, *alike)] for runs in alike]
        assert min(counts) > 0.5 * max(counts), (alike, seen)


@pytest.mark.parametrize("count", [0, 1])
def test_a_module_with_one_cell_or_none_still_has_its_runs(count: int) -> None:
    suite = a_suite([a_cell(number) for number in range(count)], free=2)
    altered: Counter[tuple[int, ...]] = Counter()
    for number in range(300):
        series = series_of(suite, a_draw(number.to_bytes(4)))
        altered[tuple(len(run.altered) for run in series.runs)] += 1
    assert len(altered) == (1 if count == 0 else 14)
    assert count or altered == {(0, 0): 300}


def test_the_same_key_draws_the_same_and_everything_else_draws_anew() -> None:
    suite = a_suite([a_cell(number) for number in range(40)])
    draws = [
        a_draw(),
        a_draw(key=b"other"),
        a_draw(submission="sha256:other"),
        a_draw(stage=Stage.LINT),
        replace(a_draw(), task_digest="sha256:other"),
    ]
    halves = [series_of(suite, draw).runs[0].altered for draw in draws]
    assert halves == [series_of(suite, draw).runs[0].altered for draw in draws]
    assert len(set(halves)) == len(draws)


def test_bits_are_even_and_independent_of_each_other() -> None:
    suite = a_suite([a_cell(number) for number in range(10)])
    ids = sorted(id for cell in suite.cells for id in cell.tests)
    drawn = [series_of(suite, a_draw(number.to_bytes(4))).runs[0].altered for number in range(2000)]
    for id in ids:
        assert 850 < sum(id in altered for altered in drawn) < 1150
    for one, other in itertools.pairwise(ids):
        equal = sum((one in altered) == (other in altered) for altered in drawn)
        assert 820 < equal < 1120, "slightly below a half: neither run may alter everything"


def test_which_site_of_a_cell_is_altered_is_drawn_too() -> None:
    suite = a_suite([a_cell(number, kinds=(SiteKind.EQUAL,) * 2, values=2) for number in range(10)])
    seen: Counter[Site] = Counter()
    for number in range(600):
        seen.update(sites_of(series_of(suite, a_draw(number.to_bytes(4)))))
    assert len(seen) == 40
    assert min(seen.values()) > 100


@settings(max_examples=200, deadline=None)
@given(CELLS, st.binary(min_size=1, max_size=8))
def test_every_assertion_kind_is_flipped_twice_where_enough_cells_have_only_it(
    cells: list[Cell], key: bytes
) -> None:
    flipped = Counter(site.kind for site in sites_of(series_of(a_suite(cells), a_draw(key))))
    for kind in SiteKind:
        pure = sum({site.kind for site in cell.sites} == {kind} for cell in cells)
        assert flipped[kind] >= min(2, pure)


def test_a_rare_kind_is_flipped_although_every_cell_with_it_has_commoner_ones() -> None:
    rare = [a_cell(number, kinds=(SiteKind.EQUAL,) * 9 + (SiteKind.RAISES,)) for number in range(2)]
    common = [a_cell(number, kinds=(SiteKind.EQUAL,)) for number in range(2, 6)]
    for number in range(50):
        series = series_of(a_suite(rare + common), a_draw(number.to_bytes(4)))
        kinds = Counter(site.kind for site in sites_of(series))
        assert kinds[SiteKind.RAISES] == 2


@pytest.mark.parametrize(("count", "kinds"), [(5, {SiteKind.EQUAL}), (12, {SiteKind.EQUAL, SiteKind.RAISES})])
def test_where_two_runs_are_too_few_a_place_with_several_values_comes_before_a_rare_kind(
    count: int, kinds: set[SiteKind]
) -> None:
    cells = []
    for number in range(count):
        rich, poor = a_cell(number, values=3), a_cell(number, kinds=(SiteKind.IN, SiteKind.RAISES))
        cells.append(Cell(rich.tests, (*rich.sites, poor.sites[1])))
    for number in range(20):
        series = series_of(a_suite(cells), a_draw(bytes([number])))
        assert {site.kind for site in sites_of(series)} == kinds


@pytest.mark.parametrize("count", [4, 12])
def test_a_rescue_runs_the_id_alone_with_the_alterations_of_its_series(count: int) -> None:
    suite = a_suite([a_cell(number, 2, values=2) for number in range(count)], free=1)
    orders = set()
    for number in range(40):
        plan = plan_module(suite, suite.modules[0], a_draw(bytes([number])))
        assert set(plan.rescues) == plan.series.sited | {"free0"}
        assert plan.rescues.pop("free0").runs == (RunPlan((Test("free0", "free0"),)),) * 2
        for id, rescue in plan.rescues.items():
            assert len(rescue.runs) == len(plan.series.runs)
            assert all([test.id for test in run.tests] == [id] for run in rescue.runs)
            assert all(run.altered == ({id} if run.sites else set()) for run in rescue.runs)
            cell = next(cell for cell in suite.cells if id in cell.tests)
            assert sites_of(rescue) == {site for site in shown(plan.series, cell) if site}
            assert None in shown(rescue, cell)
            orders.add(tuple(bool(run.altered) for run in rescue.runs))
    assert len(orders) > 1


def test_a_run_knows_which_of_its_alterations_are_conditional_alone_and_in_company() -> None:
    certain, lenient = a_cell(0, 2), a_cell(1, 2)
    lenient = Cell(lenient.tests, tuple(replace(site, conditional=True) for site in lenient.sites))
    suite = a_suite([certain, lenient])
    for number in range(20):
        plan = plan_module(suite, suite.modules[0], a_draw(bytes([number])))
        for series in (plan.series, *plan.rescues.values()):
            for run in series.runs:
                assert run.conditional == run.altered & set(lenient.tests)


def test_a_cell_is_altered_where_honest_code_cannot_pass_if_it_has_such_a_place() -> None:
    cells = [a_cell(number, kinds=(SiteKind.EQUAL,) * 4) for number in range(4)]
    mixed = [Cell(cell.tests, (replace(cell.sites[0], conditional=True), *cell.sites[1:])) for cell in cells]
    for number in range(40):
        series = series_of(a_suite(mixed), a_draw(bytes([number])))
        assert not any(run.conditional for run in series.runs)


def test_only_the_part_of_a_cell_that_the_module_holds_is_planned() -> None:
    shared = Cell(("a", "elsewhere"), (Site("m.py", 0, 1, "x", SiteKind.EQUAL),))
    foreign = Cell(("b",), (Site("other.py", 0, 1, "x", SiteKind.EQUAL),))
    suite = replace(a_suite([]), cells=(shared, foreign))
    module = Module("m", ("m.py",), (Test("a", "a"), Test("b", "b")))
    assert [cell.tests for cell in module_cells(suite.cells, module)] == [("a",)]
    assert plan_series(suite, module, a_draw()).sited == {"a"}


def test_the_order_of_cells_and_tests_does_not_change_the_draw() -> None:
    cells = [a_cell(number, 2) for number in range(9)]
    shuffled = random.Random(3).sample(cells, len(cells))
    series, again = (series_of(a_suite(order), a_draw()) for order in (cells, shuffled))
    assert [run.altered for run in series.runs] == [run.altered for run in again.runs]
