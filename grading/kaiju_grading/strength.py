"""Strength: how much somebody who forges the results of a module has to guess, and the runs that it takes.

A forger that has written nothing and remembers everything, each run of a module included, still does not know
in which runs a cell was real, nor what a question asks before a run has shown it. What it must guess is
counted in bits; a chance is 2**-bits. Two forgers are counted: one that compares what a test expects in one
run with what it expects in another, and one that does not see that. A cell is one draw, however many tests it
has. Pure functions.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kaiju_grading.mixing import mixing_of
from kaiju_grading.pattern import shares, values_of
from kaiju_grading.questions import Pool
from kaiju_grading.suite import Cell, Module

ENOUGH = 10.0
"""Bits from which on two runs are enough, and below which a module is weak."""
CLOSE = 0.25
"""Bits that are no reason for anything: what the rule of mixing takes differs by as much."""
RUNS = (2, 3, 4)
"""How many runs a module can have."""
FLIP_BITS = 1.0
"""A cell is asked where that leaves more to be guessed than a flip."""
FLIPPING_RUNS = max(RUNS)
"""In which a cell is flipped whose answer is opaque: the most, for it is the way that a forger would take."""
MAX_ASKED_AGAIN = 3
"""Tests of a module that did not answer as expected and are asked once more, alone: a second guess."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What the runs of a module leave to be guessed, in bits, told in tenths."""

    runs: int
    bits: float
    """For a forger that compares the runs: B(module)."""
    blindfold: float
    """For one that remembers, and cannot see what tests expect."""
    asked: int = 0
    """Cells that are asked; the others are flipped."""

    @property
    def weak(self) -> bool:
        return self.bits < ENOUGH


@dataclass(frozen=True, slots=True)
class Weighed:
    """Cells of a module by how they are altered, and what that gives."""

    strength: Strength
    asked: tuple[Cell, ...]
    flipped: tuple[Cell, ...]


def module_strength(cells: Iterable[Cell], module: Module) -> Strength:
    """The strength of a module of a task that has these cells, with as many runs as it is graded by."""
    cells = tuple(cells)
    return weigh(module_cells(cells, module), Pool.of(cells)).strength


def strength_of(cells: tuple[Cell, ...]) -> Strength:
    """Of a module that is all of its task."""
    return weigh(cells, Pool.of(cells)).strength


def weigh(cells: tuple[Cell, ...], pool: Pool) -> Weighed:
    """Ask or flip: questions where they give more than a flip, unless the module is weak for it.

    Where both are enough, it is asked, though flips may leave more to be guessed: who tells altered files
    from real ones takes bits off flips alone. Who is asked can be flipped, too, should an answer be opaque.
    """
    module = Pool.of(cells)
    bits = {cell: pool.bits(cell, module) for cell in cells if cell.asked and _is_certain(cell)}
    worth = {cell: found for cell, found in bits.items() if found > FLIP_BITS}
    asking = _weighed(tuple(cell for cell in cells if cell not in worth), worth)
    flipping = _weighed(cells, {})
    return flipping if _is_stronger(flipping.strength, asking.strength) else asking


def _is_stronger(one: Strength, other: Strength) -> bool:
    """By more than what is no reason for anything."""
    if one.weak and other.weak:
        return one.bits > other.bits + CLOSE
    return other.weak or (not one.weak and one.runs < other.runs)


def _may_be_opaque(cell: Cell) -> bool:
    """One opaque answer is enough to have all of it flipped."""
    return any(site.question is not None and not site.question.typed for site in cell.asked)


def _is_certain(cell: Cell) -> bool:
    """Conditional alterations give no bit: honest code, too, may pass them altered."""
    return any(not site.conditional for site in cell.sites)


def _weighed(flipped: tuple[Cell, ...], asked: Mapping[Cell, float]) -> Weighed:
    return Weighed(_fewest_runs(flipped, asked), tuple(asked), flipped)


def _fewest_runs(flipped: tuple[Cell, ...], asked: Mapping[Cell, float]) -> Strength:
    """With the fewest runs that are enough; where four are not, with those that leave the most to be guessed.

    Who compares runs is then held off as far as possible, if the runs are enough for who does not.
    """
    answers = _answer_bits(asked)
    found = [_strength(flipped, runs, answers, len(asked)) for runs in RUNS]
    for one in found:
        if not one.weak:
            return one
    blind = [one for one in found if one.blindfold >= ENOUGH]
    if not blind:
        return max(found, key=lambda one: (one.blindfold, one.bits, -one.runs))
    most = max(one.bits for one in blind)
    return next(one for one in blind if one.bits > most - CLOSE)


def strength(flipped: tuple[Cell, ...], runs: int, asked: Mapping[Cell, float] | None = None) -> Strength:
    """With so many runs, and so many bits of the answers of each cell that is asked."""
    asked = asked or {}
    return _strength(flipped, runs, _answer_bits(asked), len(asked))


def _strength(flipped: tuple[Cell, ...], runs: int, answers: tuple[float, float], asked: int) -> Strength:
    drawn = [values_of(cell, runs) for cell in flipped]
    certain = [values for cell, values in zip(flipped, drawn, strict=True) if _is_certain(cell)]
    bits, blindfold = _flip_bits(certain, drawn, runs)
    return Strength(runs, _tenths(bits + answers[0]), _tenths(blindfold + answers[1]), asked)


def _flip_bits(certain: Sequence[int], drawn: Sequence[int], runs: int) -> tuple[float, float]:
    """For a forger that compares, and for one that cannot: of cells by how many values they show."""
    # Draws that are never taken need not be guessed.
    known = -math.log2(mixing_of(drawn, runs).share)
    blindfold = sum(-math.log2(max(shares(runs, count).values())) for count in certain)
    return sum(math.log2(count) for count in certain) - known, blindfold - known


def _answer_bits(asked: Mapping[Cell, float]) -> tuple[float, float]:
    """The same of cells that are asked, when the forger takes the easier way with each.

    It answers, and has a second guess at a few of them; or its answer is opaque, and the cell is flipped.
    """
    typed = [bits for cell, bits in asked.items() if not _may_be_opaque(cell)]
    either = [
        (cell.tests, bits, values_of(cell, FLIPPING_RUNS))
        for cell, bits in asked.items()
        if _may_be_opaque(cell)
    ]
    return _easiest(typed, either, 0), _easiest(typed, either, 1)


def _easiest(
    typed: Sequence[float], either: Iterable[tuple[tuple[str, ...], float, int]], side: int
) -> float:
    """`typed` are bits of cells that must be answered; of the others come tests, bits and values."""

    def flipping(values: Sequence[int]) -> float:
        return _flip_bits(values, values, FLIPPING_RUNS)[side]

    ordered = sorted(either, key=lambda one: (one[1] - flipping((one[2],)), one[0]))
    answers, values = [bits for _, bits, _ in ordered], [count for _, _, count in ordered]
    return min(
        _guessed([*typed, *answers[:count]]) + flipping(values[count:]) for count in range(len(ordered) + 1)
    )


def _guessed(answers: Sequence[float]) -> float:
    """So many bits, less what a second guess at the few that are asked again is worth."""
    again = range(min(MAX_ASKED_AGAIN, len(answers)) + 1)
    return max(0.0, sum(answers) - math.log2(sum(math.comb(len(answers), some) for some in again)))


def module_cells(cells: Iterable[Cell], module: Module) -> tuple[Cell, ...]:
    """The module's part of each of a suite's cells that can be altered in its files, sorted by first id.

    What tests of another module are also asked, their runs show: it is not asked.
    """
    ids = {test.id for test in module.tests}
    parts = (
        Cell(
            tuple(sorted(id for id in cell.tests if id in ids)),
            tuple(site for site in cell.sites if site.path in module.mounted),
            cell.asked if _is_hidden(cell, ids, module) else (),
        )
        for cell in cells
    )
    found = (part for part in parts if part.tests and part.sites)
    return tuple(sorted(found, key=lambda part: part.tests))


def _is_hidden(cell: Cell, ids: set[str], module: Module) -> bool:
    """Whether no other run shows what the cell is asked."""
    return ids.issuperset(cell.tests) and all(site.path in module.mounted for site in cell.asked)


def _tenths(bits: float) -> float:
    return max(0.0, round(bits, 1))
