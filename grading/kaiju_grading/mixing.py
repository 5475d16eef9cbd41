"""Mixing: which draws of a module's patterns are taken, so that no run is the real one.

Where at least half of all draws leave both real and altered cells in every run, only such draws are taken. In
the smallest modules that would tell a forger most of what it has to guess; there it is enough that not all
cells are real in the same runs, so that a coin for each run never wins.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from kaiju_grading.pattern import shares

LEAST = 0.5
"""Of all draws, the share that must be left for every run to be mixed: it tells a forger a bit at most."""

RealRuns = frozenset[int]


@dataclass(frozen=True, slots=True)
class Mixing:
    """The rule for one module."""

    runs: int
    every_run: bool
    """Whether each run must have both; else one of them."""
    share: float
    """Of all draws, those that are taken."""

    def takes(self, drawn: Sequence[RealRuns]) -> bool:
        """Whether this draw counts: by cell, the runs in which it is real. Of a single cell all do."""
        if len(drawn) < 2:
            return True
        mixed = (0 < sum(run in real for real in drawn) < len(drawn) for run in range(self.runs))
        return all(mixed) if self.every_run else any(mixed)


def mixing_of(values: Sequence[int], runs: int) -> Mixing:
    """The rule for cells of which so many values are shown."""
    if len(values) < 2:
        return Mixing(runs, every_run=False, share=1.0)
    counted = tuple(sorted(Counter(values).items()))
    strict = _every_run_mixed(counted, runs)
    if strict >= LEAST:
        return Mixing(runs, every_run=True, share=strict)
    return Mixing(runs, every_run=False, share=1 - _alike(counted, runs))


Counted = tuple[tuple[int, int], ...]
"""By number of values, how many cells."""


@cache
def _every_run_mixed(counted: Counted, runs: int) -> float:
    """By inclusion and exclusion over runs that are all real (1) or all altered (2)."""
    total = 0.0
    for real, altered in _unmixed(runs):
        chances = (_chance(runs, values, real, altered) ** cells for values, cells in counted)
        total += (-1) ** len(real | altered) * math.prod(chances)
    return total


@cache
def _unmixed(runs: int) -> tuple[tuple[RealRuns, RealRuns], ...]:
    """All ways to choose runs that are all real, and others that are all altered."""
    kinds = product(range(3), repeat=runs)
    chosen = [[frozenset(run for run in range(runs) if one[run] == kind) for kind in (1, 2)] for one in kinds]
    return tuple((real, altered) for real, altered in chosen)


@cache
def _alike(counted: Counted, runs: int) -> float:
    """The chance that all cells are real in the same runs."""
    sets = {real for values, _ in counted for real in shares(runs, values)}
    return sum(
        math.prod(shares(runs, values).get(real, 0.0) ** cells for values, cells in counted) for real in sets
    )


@cache
def _chance(runs: int, values: int, real: RealRuns, altered: RealRuns) -> float:
    """That a cell is real in all of the first and altered in all of the second."""
    found = shares(runs, values).items()
    return sum(share for where, share in found if real <= where and not altered & where)
