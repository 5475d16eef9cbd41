"""A pattern: which value of a cell each run shows, its real one or one of its wrong ones.

A forger with a memory can compare what a test expects in one run with what it expects in another. That must
not tell it which of these values is the real one. So all of them are at one place: of two places, each
altered in a run of its own, the values that are seen once are wrong. And a pattern is drawn evenly from all
ways to deal the values to the runs so that each is shown: whichever is the real one, the runs look alike.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import groupby, product

from kaiju_grading.suite import Cell, Site

Pattern = tuple[int, ...]
"""By run: 0 for the real value, else the number of the wrong one."""


@cache
def patterns(runs: int, values: int) -> tuple[Pattern, ...]:
    """All ways to deal so many values to the runs so that each is shown."""
    return tuple(dealt for dealt in product(range(values), repeat=runs) if len(set(dealt)) == values)


def real_runs(pattern: Pattern) -> frozenset[int]:
    """The runs in which the cell is as written: what a forger of its tests must know."""
    return frozenset(run for run, value in enumerate(pattern) if value == 0)


@cache
def shares(runs: int, values: int) -> dict[frozenset[int], float]:
    """How often each set of runs is the real one."""
    found = patterns(runs, values)
    return {real: count / len(found) for real, count in Counter(map(real_runs, found)).items()}


def preferred(cell: Cell) -> tuple[Site, ...]:
    """Its certain sites; conditional ones only where it has nothing else."""
    return tuple(site for site in cell.sites if not site.conditional) or cell.sites


def values_of(cell: Cell, runs: int) -> int:
    """How many values so many runs show of the cell, the real one among them: its richest place decides."""
    return 1 + min(runs - 1, max(len(place) for place in places(preferred(cell))))


def places(sites: Iterable[Site], least: int = 1) -> tuple[tuple[Site, ...], ...]:
    """By place, one site for each wrong value; only places with at least so many."""
    ordered = sorted(sites, key=lambda site: (_place(site), _value(site)))
    found = (tuple({_value(site): site for site in at}.values()) for _, at in groupby(ordered, key=_place))
    return tuple(place for place in found if len(place) >= least)


def _place(site: Site) -> tuple[str, int, int, str]:
    return site.path, site.start, site.end, site.kind


def _value(site: Site) -> str:
    return site.choice.altered if site.choice else site.replacement
