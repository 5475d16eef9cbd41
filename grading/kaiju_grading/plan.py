"""A plan: which tests of a module each of its two runs alters, drawn from secret bits.

Every random choice of a grading comes from one HMAC, so that a repetition with the same key makes the same
choices: a run that was lost to a fault of ours gives no second draw.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass, field

from kaiju_grading.stage import Stage
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Suite, Test

FLIPS_PER_KIND = 2
"""Alterations of each assertion kind in a module's pair, where it has that many."""


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

    def bit(self, purpose: str, name: str, attempt: int = 0) -> bool:
        return bool(self.number(purpose, name, attempt) & 1)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One run: the tests that it selects, and how the held-out files are altered for it."""

    tests: tuple[Test, ...]
    altered: frozenset[str] = frozenset()
    """Ids that must fail; every other selected test must pass."""
    sites: tuple[Site, ...] = ()
    conditional: frozenset[str] = frozenset()
    """Of `altered`: ids that honest code may pass all the same (see `Site.conditional`)."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs, in the order in which they are made. Every test with a site is altered in exactly one."""

    first: RunPlan
    second: RunPlan

    @property
    def sited(self) -> frozenset[str]:
        """Ids that have an alteration."""
        return self.first.altered | self.second.altered


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """Everything drawn for one module."""

    pair: Pair
    rescues: dict[str, Pair]
    """By id: that id alone, as written and with the alteration of its pair; twice as written without one."""


def plan_module(suite: Suite, module: Module, draw: Draw) -> ModulePlan:
    """Draw the pair of a module, and the pair of each of its tests should it need a rescue."""
    cells = module_cells(suite, module)
    sites = _choose_sites(cells, draw)
    first = _first_half(module, cells, draw)
    halves = (first, [cell for cell in cells if cell not in first])
    runs = [_run(module.tests, half, sites) for half in halves]
    sited = {id: sites[cell.tests[0]] for cell in cells for id in cell.tests}
    rescues = {test.id: _rescue(test, sited.get(test.id), draw) for test in module.tests}
    return ModulePlan(Pair(runs[0], runs[1]), rescues)


def plan_pair(suite: Suite, module: Module, draw: Draw) -> Pair:
    """The mixed pair of a module. With two cells or more, neither run is all real or all altered."""
    return plan_module(suite, module, draw).pair


def module_cells(suite: Suite, module: Module) -> tuple[Cell, ...]:
    """The module's part of each cell that can be altered in its files, sorted by first id."""
    ids = {test.id for test in module.tests}
    parts = (
        Cell(
            tuple(sorted(id for id in cell.tests if id in ids)),
            tuple(site for site in cell.sites if site.path in module.mounted),
        )
        for cell in suite.cells
    )
    return tuple(sorted((part for part in parts if part.tests and part.sites), key=lambda part: part.tests))


def _first_half(module: Module, cells: tuple[Cell, ...], draw: Draw) -> list[Cell]:
    """The cells that the first run alters: drawn again until both runs alter something."""
    attempt = 0
    while True:
        half = [cell for cell in cells if draw.bit("bit", cell.tests[0], attempt)]
        if len(cells) < 2 or 0 < len(half) < len(cells):
            break
        attempt += 1
    swapped = draw.bit("order", module.name)
    return [cell for cell in cells if cell not in half] if swapped else half


def _run(tests: tuple[Test, ...], cells: list[Cell], sites: dict[str, Site]) -> RunPlan:
    drawn = {cell: sites[cell.tests[0]] for cell in cells}
    altered = frozenset(id for cell in cells for id in cell.tests)
    conditional = frozenset(id for cell, site in drawn.items() if site.conditional for id in cell.tests)
    return RunPlan(tests, altered, tuple(drawn.values()), conditional)


def _rescue(test: Test, site: Site | None, draw: Draw) -> Pair:
    real = RunPlan((test,))
    if site is None:
        return Pair(real, real)
    ids = frozenset({test.id})
    altered = RunPlan((test,), ids, (site,), ids if site.conditional else frozenset())
    return Pair(altered, real) if draw.bit("rescue", test.id) else Pair(real, altered)


def _choose_sites(cells: tuple[Cell, ...], draw: Draw) -> dict[str, Site]:
    """One site a cell, by its first id: each assertion kind is flipped twice where the module has it."""
    kinds = _spread_kinds(cells, draw)
    chosen: dict[str, Site] = {}
    for cell in cells:
        name = cell.tests[0]
        options = [site for site in cell.sites if kinds.get(name) in {None, site.kind}]
        chosen[name] = options[draw.number("site", name) % len(options)]
    return chosen


def _spread_kinds(cells: tuple[Cell, ...], draw: Draw) -> dict[str, SiteKind]:
    """A largest assignment of cells to (kind, place): augmenting paths over cells in drawn order."""
    places = [(kind, place) for kind in SiteKind for place in range(FLIPS_PER_KIND)]
    shuffled = sorted(cells, key=lambda cell: draw.number("kind", cell.tests[0]))
    holders: dict[tuple[SiteKind, int], Cell] = {}

    def settle(place: tuple[SiteKind, int], tried: set[str]) -> bool:
        for cell in shuffled:
            name = cell.tests[0]
            if name in tried or all(site.kind is not place[0] for site in cell.sites):
                continue
            tried.add(name)
            held = next((other for other, holder in holders.items() if holder is cell), None)
            if held is None or settle(held, tried):
                holders[place] = cell
                return True
        return False

    for place in places:
        settle(place, set())
    return {cell.tests[0]: place[0] for place, cell in holders.items()}
