"""Strength: how much somebody who forges the results of a module has to guess, and the runs that it takes.

A forger that has written nothing and remembers everything, each run of a module included, still does not know
in which runs a cell was real. What it must guess is counted in bits; a chance is 2**-bits. Two forgers are
counted: one that compares what a test expects in one run with what it expects in another, and one that does
not see that. A cell is one draw, however many tests it has. Pure functions.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from kaiju_grading.mixing import mixing_of
from kaiju_grading.pattern import shares, values_of
from kaiju_grading.suite import Cell, Module

ENOUGH = 10.0
"""Bits from which on two runs are enough, and below which a module is weak."""
CLOSE = 0.25
"""Bits that are no reason for another run: what the rule of mixing takes differs by as much."""
RUNS = (2, 3, 4)
"""How many runs a module can have."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What the runs of a module leave to be guessed, in bits, told in tenths."""

    runs: int
    bits: float
    """For a forger that compares the runs: B(module)."""
    blindfold: float
    """For one that remembers, and cannot see what tests expect."""

    @property
    def weak(self) -> bool:
        return self.bits < ENOUGH


def module_strength(cells: Iterable[Cell], module: Module) -> Strength:
    """The strength of a module, with as many runs as it is graded by."""
    return strength_of(module_cells(cells, module))


def strength_of(cells: tuple[Cell, ...]) -> Strength:
    """With the fewest runs that are enough; where four are not, with those that leave the most to be guessed.

    Who compares runs is then held off as far as possible, if the runs are enough for who does not.
    """
    found = [strength(cells, runs) for runs in RUNS]
    for one in found:
        if not one.weak:
            return one
    blind = [one for one in found if one.blindfold >= ENOUGH]
    if not blind:
        return max(found, key=lambda one: (one.blindfold, one.bits, -one.runs))
    most = max(one.bits for one in blind)
    return next(one for one in blind if one.bits > most - CLOSE)


def strength(cells: tuple[Cell, ...], runs: int) -> Strength:
    """With so many runs. Conditional alterations give no bit: honest code, too, may pass them altered."""
    certain = [cell for cell in cells if not all(site.conditional for site in cell.sites)]
    values = [values_of(cell, runs) for cell in certain]
    # Draws that are never taken need not be guessed.
    known = -math.log2(mixing_of([values_of(cell, runs) for cell in cells], runs).share)
    compared = sum(math.log2(count) for count in values) - known
    blindfold = sum(-math.log2(max(shares(runs, count).values())) for count in values) - known
    return Strength(runs, _tenths(compared), _tenths(blindfold))


def module_cells(cells: Iterable[Cell], module: Module) -> tuple[Cell, ...]:
    """The module's part of each of a suite's cells that can be altered in its files, sorted by first id."""
    ids = {test.id for test in module.tests}
    parts = (
        Cell(
            tuple(sorted(id for id in cell.tests if id in ids)),
            tuple(site for site in cell.sites if site.path in module.mounted),
        )
        for cell in cells
    )
    return tuple(sorted((part for part in parts if part.tests and part.sites), key=lambda part: part.tests))


def _tenths(bits: float) -> float:
    return max(0.0, round(bits, 1))
