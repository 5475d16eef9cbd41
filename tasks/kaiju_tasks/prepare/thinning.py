"""Thinning: which of a cell's possible alterations are proven, as far as a file's proofs can be afforded."""

import math

from kaiju_grading.pattern import places, preferred
from kaiju_grading.strength import RUNS
from kaiju_grading.suite import Cell, Site

MAX_PLACES = 4
"""Places of one cell at which an alteration is proven; more cost runs and add little surprise."""
MAX_VALUES = max(RUNS) - 1
"""Wrong values at one of these, in small files; no module's runs show more."""
MAX_SITES = MAX_PLACES + MAX_VALUES - 1
MIN_SITES = 2
"""Alterations of one cell that are proven in the largest files, too: which one a grading takes stays open."""
MAX_EFFORT = 10_000
"""Tests that proving one file runs, unless MIN_SITES take more: each alteration of a cell costs as many mixes
as the first, and each mix all tests of the file."""
SMALL_EFFORT = 2_000
"""Those of a small file: only its modules can be so small that they need several values of a place."""


def affordable(tests: int, cells: int) -> int:
    """Alterations of one cell that are proven in a file of so many tests and cells."""
    effort = tests * mixes_of_round(cells)
    if MAX_SITES * effort <= SMALL_EFFORT:
        return MAX_SITES
    return max(MIN_SITES, min(MAX_PLACES, MAX_EFFORT // effort))


def thinned(sites: tuple[Site, ...], most: int) -> tuple[Site, ...]:
    """At most so many, spread over the whole of the cell; above MAX_PLACES, values of one place.

    Where some are certain, no grading draws from the others.
    """
    if not sites:
        return ()
    usable = preferred(Cell((), sites))
    found = places(usable)
    rich = max(found, key=len)[: 1 + max(0, most - MAX_PLACES)]
    wide = min(most, MAX_PLACES)
    elsewhere = [place[0] for place in found if _place(place[0]) != _place(rich[0])]
    kept = (*rich, *_spread(elsewhere, wide - 1))
    rest = [site for site in usable if site not in kept]
    return _in_order((*kept, *rest[: max(0, wide - len(kept))]))


def _spread(sites: list[Site], most: int) -> tuple[Site, ...]:
    """At most so many, over the whole of the cell and over the kinds of assertion."""
    by_kind: dict[str, list[Site]] = {}
    for site in sites:
        by_kind.setdefault(site.kind, []).append(site)
    turns = [(place / len(group), site) for group in by_kind.values() for place, site in enumerate(group)]
    chosen = sorted(turns, key=lambda turn: (turn[0], turn[1].start))[: 4 * most]
    step = max(1, len(chosen) // max(1, most))
    return tuple(site for _, site in chosen[::step][:most])


def _place(site: Site) -> tuple[str, int, int]:
    return site.path, site.start, site.end


def _in_order(sites: tuple[Site, ...]) -> tuple[Site, ...]:
    return tuple(sorted(sites, key=lambda site: (*_place(site), site.replacement, str(site.choice))))


def mixes_of_round(count: int) -> int:
    """The fewest mixes with at least `count` different halves: none of them holds another."""
    size = 2
    while math.comb(size, size // 2) < count:
        size += 2
    return size
