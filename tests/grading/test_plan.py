"""What the secret bits decide, and what holds for every draw."""

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiju_grading.plan import Draw, Pair, RunPlan, module_cells, plan_module, plan_pair
from kaiju_grading.stage import Stage
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Suite, Test
from kaiju_sandbox.environment import Environment

KINDS = list(SiteKind)


def a_draw(key: bytes = b"k", submission: str = "sha256:s", stage: Stage = Stage.DRAFT) -> Draw:
    return Draw(key, "sha256:t", submission, stage)


def a_suite(cells: list[Cell], free: int = 0) -> Suite:
    ids = [id for cell in cells for id in cell.tests] + [f"free{number}" for number in range(free)]
    module = Module("m", ("m.py",), tuple(Test(id, id) for id in ids))
    return Suite(
        language="toy",
        task_digest="sha256:t",
        environment=Environment("python", (), (), {}, {}),
        roots=("lib",),
        workspace={},
        reference={},
        shared={},
        heldout={},
        visible={},
        modules=(module,),
        visible_tests=(),
        cells=tuple(cells),
    )


def a_cell(number: int, tests: int = 1, kinds: tuple[SiteKind, ...] = (SiteKind.EQUAL,)) -> Cell:
    sites = tuple(
        Site("m.py", number * 100 + place, number * 100 + place + 1, str(place), kind)
        for place, kind in enumerate(kinds)
    )
    return Cell(tuple(f"c{number:03}.{test}" for test in range(tests)), sites)


CELLS = st.lists(
    st.tuples(st.integers(1, 3), st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)), max_size=12
).map(lambda shapes: [a_cell(number, tests, tuple(kinds)) for number, (tests, kinds) in enumerate(shapes)])


def pair_of(suite: Suite, draw: Draw) -> Pair:
    return plan_pair(suite, suite.modules[0], draw)


@settings(max_examples=200)
@given(CELLS, st.integers(0, 3), st.binary(min_size=1, max_size=8))
def test_every_cell_is_altered_as_a_whole_in_exactly_one_run(
    cells: list[Cell], free: int, key: bytes
) -> None:
    suite = a_suite(cells, free)
    pair = pair_of(suite, a_draw(key))
    assert not pair.first.altered & pair.second.altered
    assert pair.sited == {id for cell in cells for id in cell.tests}
    for cell in cells:
        assert {set(cell.tests) <= run.altered for run in (pair.first, pair.second)} == {True, False}
        assert sum(site in run.sites for run in (pair.first, pair.second) for site in cell.sites) == 1
    assert pair.first.tests == pair.second.tests == suite.modules[0].tests
    if len(cells) >= 2:
        assert pair.first.altered
        assert pair.second.altered


@pytest.mark.parametrize("count", [0, 1])
def test_a_module_with_one_cell_or_none_still_has_its_two_runs(count: int) -> None:
    suite = a_suite([a_cell(number) for number in range(count)], free=2)
    altered: Counter[tuple[int, int]] = Counter()
    for number in range(64):
        pair = pair_of(suite, a_draw(bytes([number])))
        altered[len(pair.first.altered), len(pair.second.altered)] += 1
    assert set(altered) == ({(0, 0)} if count == 0 else {(0, 1), (1, 0)})


def test_the_same_key_draws_the_same_and_everything_else_draws_anew() -> None:
    suite = a_suite([a_cell(number) for number in range(40)])
    draws = [
        a_draw(),
        a_draw(key=b"other"),
        a_draw(submission="sha256:other"),
        a_draw(stage=Stage.LINT),
        replace(a_draw(), task_digest="sha256:other"),
    ]
    halves = [pair_of(suite, draw).first.altered for draw in draws]
    assert halves == [pair_of(suite, draw).first.altered for draw in draws]
    assert len(set(halves)) == len(draws)


def test_bits_are_even_and_independent_of_each_other() -> None:
    suite = a_suite([a_cell(number) for number in range(6)])
    ids = sorted(id for cell in suite.cells for id in cell.tests)
    drawn = [pair_of(suite, a_draw(number.to_bytes(4))).first.altered for number in range(2000)]
    for id in ids:
        assert 850 < sum(id in altered for altered in drawn) < 1150
    for one, other in itertools.pairwise(ids):
        equal = sum((one in altered) == (other in altered) for altered in drawn)
        assert 820 < equal < 1120, "slightly below a half: neither run may alter everything"


def test_which_site_of_a_cell_is_altered_is_drawn_too() -> None:
    suite = a_suite([a_cell(number, kinds=(SiteKind.EQUAL,) * 4) for number in range(3)])
    seen: Counter[Site] = Counter()
    for number in range(600):
        pair = pair_of(suite, a_draw(number.to_bytes(4)))
        seen.update(pair.first.sites + pair.second.sites)
    assert len(seen) == 12
    assert min(seen.values()) > 90


@settings(max_examples=200)
@given(CELLS, st.binary(min_size=1, max_size=8))
def test_every_assertion_kind_is_flipped_twice_where_enough_cells_have_only_it(
    cells: list[Cell], key: bytes
) -> None:
    pair = pair_of(a_suite(cells), a_draw(key))
    flipped = Counter(site.kind for site in pair.first.sites + pair.second.sites)
    for kind in SiteKind:
        pure = sum({site.kind for site in cell.sites} == {kind} for cell in cells)
        assert flipped[kind] >= min(2, pure)


def test_a_rare_kind_is_flipped_although_every_cell_with_it_has_commoner_ones() -> None:
    rare = [a_cell(number, kinds=(SiteKind.EQUAL,) * 9 + (SiteKind.RAISES,)) for number in range(2)]
    common = [a_cell(number, kinds=(SiteKind.EQUAL,)) for number in range(2, 6)]
    for number in range(50):
        pair = pair_of(a_suite(rare + common), a_draw(number.to_bytes(4)))
        kinds = Counter(site.kind for site in pair.first.sites + pair.second.sites)
        assert kinds[SiteKind.RAISES] == 2


def test_a_rescue_runs_the_id_alone_with_the_alteration_of_its_pair() -> None:
    suite = a_suite([a_cell(number, 2, (SiteKind.EQUAL,) * 3) for number in range(4)], free=1)
    orders = set()
    for number in range(20):
        plan = plan_module(suite, suite.modules[0], a_draw(bytes([number])))
        assert set(plan.rescues) == plan.pair.sited | {"free0"}
        free = plan.rescues.pop("free0")
        assert free.first == free.second == RunPlan((Test("free0", "free0"),))
        for id, rescue in plan.rescues.items():
            runs = (rescue.first, rescue.second)
            assert all([test.id for test in run.tests] == [id] for run in runs)
            assert sorted(len(run.altered) for run in runs) == [0, 1]
            (site,) = rescue.first.sites + rescue.second.sites
            assert site in plan.pair.first.sites + plan.pair.second.sites
            orders.add(bool(rescue.first.altered))
    assert orders == {True, False}


def test_a_run_knows_which_of_its_alterations_are_conditional_alone_and_in_company() -> None:
    certain, lenient = a_cell(0, 2), a_cell(1, 2)
    lenient = Cell(lenient.tests, tuple(replace(site, conditional=True) for site in lenient.sites))
    suite = a_suite([certain, lenient])
    for number in range(20):
        plan = plan_module(suite, suite.modules[0], a_draw(bytes([number])))
        for pair in (plan.pair, *plan.rescues.values()):
            for run in (pair.first, pair.second):
                assert run.conditional == run.altered & set(lenient.tests)


def test_only_the_part_of_a_cell_that_the_module_holds_is_planned() -> None:
    shared = Cell(("a", "elsewhere"), (Site("m.py", 0, 1, "x", SiteKind.EQUAL),))
    foreign = Cell(("b",), (Site("other.py", 0, 1, "x", SiteKind.EQUAL),))
    suite = replace(a_suite([]), cells=(shared, foreign))
    module = Module("m", ("m.py",), (Test("a", "a"), Test("b", "b")))
    assert [cell.tests for cell in module_cells(suite, module)] == [("a",)]
    assert plan_pair(suite, module, a_draw()).sited == {"a"}


def test_the_order_of_cells_and_tests_does_not_change_the_draw() -> None:
    cells = [a_cell(number, 2) for number in range(9)]
    shuffled = random.Random(3).sample(cells, len(cells))
    assert (
        pair_of(a_suite(cells), a_draw()).first.altered == pair_of(a_suite(shuffled), a_draw()).first.altered
    )
