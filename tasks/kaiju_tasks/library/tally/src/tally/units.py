"""Quantities with units: exact numbers that know their dimension."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

BASE = {
    "m": (Fraction(1), "length"),
    "g": (Fraction(1, 1000), "mass"),
    "s": (Fraction(1), "time"),
    "min": (Fraction(60), "time"),
    "h": (Fraction(3600), "time"),
    "d": (Fraction(86400), "time"),
    "in": (Fraction(254, 10000), "length"),
    "ft": (Fraction(3048, 10000), "length"),
    "mi": (Fraction(1609344, 1000), "length"),
    "lb": (Fraction(45359237, 100000000), "mass"),
    "t": (Fraction(1000), "mass"),
}
"""Symbol to its size in metres, kilograms or seconds, and its dimension."""

PREFIXES = {
    "M": Fraction(10**6),
    "k": Fraction(10**3),
    "c": Fraction(1, 100),
    "m": Fraction(1, 10**3),
    "u": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
}
"""Metric prefixes. They go before `m`, `g` and `s` only."""

_FACTOR = re.compile(r"([A-Za-z]+)(?:\^(-?\d+))?")
_QUANTITY = re.compile(r"\s*(-?\d+(?:\.\d+)?(?:/\d+)?)\s*(\S.*)?")


class UnitError(ValueError):
    """A text that is no unit or quantity, or a calculation across dimensions."""


@dataclass(frozen=True)
class Unit:
    """A product of powers: `factor` is its size in base units, `powers` its non-zero dimensions by name."""

    text: str
    factor: Fraction
    powers: tuple[tuple[str, int], ...]

    def fits(self, other: Unit) -> bool:
        """Whether both measure the same dimension."""
        return self.powers == other.powers


def _factors(text: str) -> Iterator[tuple[str, int]]:
    """Each symbol of a unit with its exponent; what follows a `/` has its exponent negated."""
    sign = 1
    for part in re.split(r"([*/])", text.replace(" ", "")):
        if part in ("*", "/"):
            sign = 1 if part == "*" else -1
            continue
        match = _FACTOR.fullmatch(part)
        if match is None:
            raise UnitError(f"not a unit: {text!r}")
        yield match[1], sign * int(match[2] or 1)


def _symbol(name: str) -> tuple[Fraction, str]:
    """Size and dimension of one symbol; a symbol of its own (`min`) wins over a prefix (`m` + `in`)."""
    if name in BASE:
        return BASE[name]
    if name[:1] in PREFIXES and name[1:] in ("m", "g", "s"):
        size, dimension = BASE[name[1:]]
        return PREFIXES[name[:1]] * size, dimension
    raise UnitError(f"unknown unit: {name!r}")


def parse_unit(text: str) -> Unit:
    """Read a unit such as `km/h`, `kg*m^2/s^2` or `m^-1`; empty text is the unit of plain numbers.

    `*` and `/` take turns from left to right (`a/b*c` is `(a/b)*c`), `^` takes a whole number. White space is
    ignored. Dimensions whose powers cancel out are left out of `powers`, which is sorted by name.
    Raises UnitError for anything else.
    """
    factor, powers = Fraction(1), dict[str, int]()
    for name, exponent in _factors(text) if text.strip() else ():
        size, dimension = _symbol(name)
        factor *= size**exponent
        powers[dimension] = powers.get(dimension, 0) + exponent
    return Unit(text.replace(" ", ""), factor, tuple(sorted((k, v) for k, v in powers.items() if v)))


@dataclass(frozen=True)
class Quantity:
    """An exact number of a unit."""

    value: Fraction
    unit: Unit

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """Read `36 km/h`, `-2.5m`, `1/3 h` or a bare number. Raises UnitError for anything else."""
        match = _QUANTITY.fullmatch(text)
        if match is None:
            raise UnitError(f"not a quantity: {text!r}")
        return cls(Fraction(match[1]), parse_unit(match[2] or ""))

    def to(self, unit: str) -> Quantity:
        """The same quantity in another unit of the same dimension; raises UnitError for another dimension."""
        target = parse_unit(unit)
        if not self.unit.fits(target):
            raise UnitError(f"cannot convert {self.unit.text!r} to {target.text!r}")
        return Quantity(self.value * self.unit.factor / target.factor, target)

    def __add__(self, other: Quantity) -> Quantity:
        """Add a quantity of the same dimension; the result has the unit of the left one."""
        return Quantity(self.value + other.to(self.unit.text).value, self.unit)

    def __mul__(self, other: Quantity) -> Quantity:
        """Multiply; the units are joined with `*`, or the only one that there is stays."""
        text = "*".join(part for part in (self.unit.text, other.unit.text) if part)
        return Quantity(self.value * other.value, parse_unit(text))

    def __lt__(self, other: Quantity) -> bool:
        """Compare with a quantity of the same dimension; raises UnitError for another one."""
        return self.value < other.to(self.unit.text).value

    def __str__(self) -> str:
        """The number and the unit: whole numbers bare, others with at most six digits and no trailing zeros."""
        number = str(self.value.numerator) if self.value.denominator == 1 else f"{float(self.value):.6g}"
        return f"{number} {self.unit.text}".rstrip()
