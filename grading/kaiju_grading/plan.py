"""A plan: which tests of a module each of its runs alters, drawn from secret bits, and which the first asks.

Every random choice of a grading comes from one HMAC, so that a repetition with the same key makes the same
choices: a run that was lost to a fault of ours gives no second draw.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kaiju_grading.mixing import mixing_of
from kaiju_grading.pattern import Pattern, patterns, places, preferred, real_runs, values_of
from kaiju_grading.questions import Pool
from kaiju_grading.stage import Stage
from kaiju_grading.strength import FLIPPING_RUNS, Strength, module_cells, weigh
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Suite, Test

Option = TypeVar("Option")

FLIPS_PER_KIND = 2
"""Cells of a module that are altered in each kind of assertion, where it has that many."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The secret source of every choice for one submission at one stage."""

    key: bytes = field(repr=False)
    task_digest: str
    submission_digest: str
    stage: Stage

    def number(self, purpose: str, name: str, attempt: int = 0) -> int:
        """A uniform number below 2**256, fixed for these arguments."""
        # JSON keeps the parts apart: no two argument lists give the same message.
        parts = [self.task_digest, self.submission_digest, self.stage, purpose, name, attempt]
        return int.from_bytes(hmac.digest(self.key, json.dumps(parts).encode(), hashlib.sha256))

    def one_of(self, options: Sequence[Option], purpose: str, name: str, attempt: int = 0) -> Option:
        """One of these, each as likely."""
        return options[self.number(purpose, name, attempt) % len(options)]


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One run: the tests that it selects, and how the held-out files are altered for it."""

    tests: tuple[Test, ...]
    altered: frozenset[str] = frozenset()
    """Ids that must fail; every other selected test must pass."""
    sites: tuple[Site, ...] = ()
    conditional: frozenset[str] = frozenset()
    """Of `altered`: ids that honest code may pass all the same (see `Site.conditional`)."""
    asked: Mapping[str, tuple[Site, ...]] = field(default_factory=dict)
    """By id: its questions. It must pass and answer them all."""

    def is_real(self, test: str) -> bool:
        """Whether it is as written in this run."""
        return test not in self.altered and test not in self.asked


@dataclass(frozen=True, slots=True)
class Series:
    """Runs in the order in which they are made. A test with a site is real in some, altered in the others."""

    runs: tuple[RunPlan, ...]

    @property
    def sited(self) -> frozenset[str]:
        """Ids that have an alteration."""
        return frozenset(id for run in self.runs for id in (*run.altered, *run.asked))


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """Everything drawn for one module."""

    strength: Strength
    series: Series
    rescues: dict[str, Series]
    """By id: that id alone, with the alterations of its series; one without any twice as written."""
    asked: tuple[Cell, ...]
    draw: Draw = field(repr=False)

    def asking_again(self, plan: RunPlan, ids: Iterable[str]) -> RunPlan:
        """These ids of a run and no other, asked the same.

        The files are those of the run: what else they show must not tell what it altered.
        """
        wanted = frozenset(ids)
        asked = {id: sites for id, sites in plan.asked.items() if id in wanted}
        return RunPlan(tuple(test for test in plan.tests if test.id in wanted), sites=plan.sites, asked=asked)

    def flipping(self, plan: RunPlan, ids: Iterable[str]) -> Series:
        """Of a run, the cells of these ids flipped and not asked; all else in its files stays."""
        wanted, selected = frozenset(ids), {test.id for test in plan.tests}
        cells = [cell for cell in self.asked if not wanted.isdisjoint(cell.tests)]
        parts = [replace(cell, tests=tuple(id for id in cell.tests if id in selected)) for cell in cells]
        # Rows of one test ask by the same edit of its body, and some of them may still be asked.
        needed = {site for cell in self.asked if cell not in cells for site in cell.asked}
        gone = {site for cell in cells for site in cell.asked} - needed
        kept = tuple(site for site in plan.sites if site not in gone)
        flipped = {id for part in parts for id in part.tests}
        tests = tuple(test for test in plan.tests if test.id in flipped)
        series = _series(tests, _deal(tuple(parts), FLIPPING_RUNS, self.draw), FLIPPING_RUNS)
        return Series(tuple(replace(run, sites=(*kept, *run.sites)) for run in series.runs))


@dataclass(frozen=True, slots=True)
class Dealt:
    """Tests that are altered together, and what was drawn for them."""

    tests: tuple[str, ...]
    wrong: tuple[Site, ...]
    """The alterations that runs show, all at one place."""
    pattern: Pattern

    def site(self, run: int) -> Site | None:
        """What alters them in this run; None: they are real."""
        shown = self.pattern[run]
        return self.wrong[shown - 1] if shown else None


def plan_module(suite: Suite, module: Module, draw: Draw, pool: Pool | None = None) -> ModulePlan:
    """Draw the series of a module, and the series of each of its tests should it need a rescue.

    `pool` holds the answers of the suite, for who plans often.
    """
    pool = pool or Pool.of(suite.cells)
    weighed = weigh(module_cells(suite.cells, module), pool)
    runs = weighed.strength.runs
    dealt = _deal(weighed.flipped, runs, draw)
    by_test = {id: one for one in dealt for id in one.tests}
    asked = {id: cell.asked for cell in weighed.asked for id in cell.tests}
    rescues = {
        test.id: _asked_first((RunPlan((test,)),) * 2, {test.id: asked[test.id]})
        if test.id in asked
        else _rescue(test, by_test.get(test.id), draw)
        for test in module.tests
    }
    series = _asked_first(_series(module.tests, dealt, runs).runs, asked)
    return ModulePlan(weighed.strength, series, rescues, weighed.asked, draw)


def plan_series(suite: Suite, module: Module, draw: Draw) -> Series:
    """The runs of a module. With two cells or more they are mixed (`mixing.py`)."""
    return plan_module(suite, module, draw).series


def _deal(cells: tuple[Cell, ...], runs: int, draw: Draw) -> tuple[Dealt, ...]:
    """A pattern for each cell: drawn again until the runs are mixed."""
    wrong = _choose_sites(cells, runs, draw)
    mixing = mixing_of([values_of(cell, runs) for cell in cells], runs)
    attempt = 0
    while True:
        dealt = tuple(_dealt(cell.tests, wrong[cell.tests[0]], runs, draw, attempt) for cell in cells)
        if mixing.takes([real_runs(one.pattern) for one in dealt]):
            return dealt
        attempt += 1


def _dealt(tests: tuple[str, ...], wrong: tuple[Site, ...], runs: int, draw: Draw, attempt: int) -> Dealt:
    options = patterns(runs, 1 + len(wrong))
    return Dealt(tests, wrong, draw.one_of(options, "pattern", tests[0], attempt))


def _series(tests: tuple[Test, ...], dealt: tuple[Dealt, ...], runs: int) -> Series:
    return Series(tuple(_run(tests, dealt, run) for run in range(runs)))


def _asked_first(runs: tuple[RunPlan, ...], asked: Mapping[str, tuple[Site, ...]]) -> Series:
    """Questions are for the first run: no earlier one has shown what is expected. They need no secrecy."""
    first, *others = runs
    sites = dict.fromkeys(site for sites in asked.values() for site in sites)
    return Series((replace(first, sites=(*first.sites, *sites), asked=asked), *others))


def _run(tests: tuple[Test, ...], dealt: tuple[Dealt, ...], run: int) -> RunPlan:
    drawn = [(one.tests, site) for one in dealt if (site := one.site(run))]
    altered = frozenset(id for ids, _ in drawn for id in ids)
    conditional = frozenset(id for ids, site in drawn if site.conditional for id in ids)
    return RunPlan(tests, altered, tuple(site for _, site in drawn), conditional)


def _rescue(test: Test, dealt: Dealt | None, draw: Draw) -> Series:
    """In as many runs as the module has, by a pattern of its own."""
    if dealt is None:
        return Series((RunPlan((test,)), RunPlan((test,))))
    runs = len(dealt.pattern)
    options = patterns(runs, 1 + len(dealt.wrong))
    alone = Dealt((test.id,), dealt.wrong, draw.one_of(options, "rescue", test.id))
    return _series((test,), (alone,), runs)


def _choose_sites(cells: tuple[Cell, ...], runs: int, draw: Draw) -> dict[str, tuple[Site, ...]]:
    """The wrong values of each cell, by its first id: each kind is altered twice where the module has it."""
    counts = {cell.tests[0]: values_of(cell, runs) - 1 for cell in cells}
    usable = {cell.tests[0]: places(preferred(cell), counts[cell.tests[0]]) for cell in cells}
    kinds = _spread_kinds({name: {place[0].kind for place in found} for name, found in usable.items()}, draw)
    chosen: dict[str, tuple[Site, ...]] = {}
    for name, found in usable.items():
        options = [place for place in found if kinds.get(name) in {None, place[0].kind}]
        place = draw.one_of(options, "place", name)
        ranked = sorted(range(len(place)), key=lambda rank: draw.number("value", name, rank))
        chosen[name] = tuple(place[rank] for rank in ranked[: counts[name]])
    return chosen


def _spread_kinds(offers: Mapping[str, set[SiteKind]], draw: Draw) -> dict[str, SiteKind]:
    """A largest assignment of cells to (kind, seat): augmenting paths over cells in drawn order.

    `offers` has by the first id of each cell the kinds of its places.
    """
    seats = [(kind, seat) for kind in SiteKind for seat in range(FLIPS_PER_KIND)]
    shuffled = sorted(offers, key=lambda name: draw.number("kind", name))
    holders: dict[tuple[SiteKind, int], str] = {}

    def settle(seat: tuple[SiteKind, int], tried: set[str]) -> bool:
        for name in shuffled:
            if name in tried or seat[0] not in offers[name]:
                continue
            tried.add(name)
            held = next((other for other, holder in holders.items() if holder == name), None)
            if held is None or settle(held, tried):
                holders[seat] = name
                return True
        return False

    for seat in seats:
        settle(seat, set())
    return {name: seat[0] for seat, name in holders.items()}
