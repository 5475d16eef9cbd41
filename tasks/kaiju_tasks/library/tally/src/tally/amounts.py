"""Amounts of money: exact, in one currency, held as a whole number of its smallest unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

DIGITS = {"EUR": 2, "USD": 2, "GBP": 2, "CHF": 2, "JPY": 0, "KWD": 3}
"""Known currencies, and how many digits follow the decimal point."""

_TEXT = re.compile(r"([+-]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))? ([A-Z]{3})")


class AmountError(ValueError):
    """A text that is no amount, or a calculation across currencies."""


@dataclass(frozen=True)
class Amount:
    """`minor` smallest units (cents, yen, fils) of `currency`; negative when owed."""

    minor: int
    currency: str

    @classmethod
    def parse(cls, text: str) -> Amount:
        """Read `12.50 EUR`, `-1,234.5 USD` or `+3 JPY`.

        Surrounding white space is ignored; commas may group the whole part in threes; missing decimal digits
        are zeros. Raises AmountError for any other text, for an unknown currency, and for more decimal
        digits than the currency has.
        """
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            raise AmountError(f"not an amount: {text!r}")
        sign, whole, fraction, currency = match.groups()
        if currency not in DIGITS:
            raise AmountError(f"unknown currency: {currency}")
        fraction = fraction or ""
        if len(fraction) > DIGITS[currency]:
            raise AmountError(f"{currency} has {DIGITS[currency]} decimal digits: {text!r}")
        minor = int(whole.replace(",", "") + fraction.ljust(DIGITS[currency], "0"))
        return cls(-minor if sign == "-" else minor, currency)

    @property
    def number(self) -> Decimal:
        """The amount in whole units with exactly the currency's digits: 1250 EUR cents are `Decimal("12.50")`."""
        return Decimal(self.minor).scaleb(-DIGITS[self.currency])

    def __add__(self, other: Amount) -> Amount:
        """Add an amount of the same currency; raises AmountError for another one."""
        self._same_currency(other)
        return Amount(self.minor + other.minor, self.currency)

    def __sub__(self, other: Amount) -> Amount:
        """Subtract an amount of the same currency; raises AmountError for another one."""
        return self + -other

    def __neg__(self) -> Amount:
        return Amount(-self.minor, self.currency)

    def __mul__(self, factor: int | Decimal) -> Amount:
        """Multiply by a number; a half smallest unit is rounded to the even neighbour."""
        exact = Decimal(self.minor) * factor
        return Amount(int(exact.to_integral_value(ROUND_HALF_EVEN)), self.currency)

    def __lt__(self, other: Amount) -> bool:
        """Compare with an amount of the same currency; raises AmountError for another one."""
        self._same_currency(other)
        return self.minor < other.minor

    def __bool__(self) -> bool:
        """False for nothing at all."""
        return self.minor != 0

    def __str__(self) -> str:
        """Such as `-1,234.50 USD`: grouped in threes, with exactly the currency's digits."""
        return f"{self.number:,} {self.currency}"

    def split(self, weights: Sequence[int]) -> list[Amount]:
        """Share the amount out in proportion to `weights`, losing nothing.

        Each share is rounded towards zero first; the units that are left go one each to the shares with the
        largest remainders, earlier shares first where remainders are equal. A negative amount is split as the
        positive one and negated. Raises AmountError when `weights` is empty, has a negative number or sums to
        zero.
        """
        whole = sum(weights)
        if whole <= 0 or min(weights) < 0:
            raise AmountError(f"weights must be non-negative with a positive sum: {list(weights)}")
        size = abs(self.minor)
        shares = [size * weight // whole for weight in weights]
        order = sorted(range(len(weights)), key=lambda index: (-(size * weights[index] % whole), index))
        for index in order[: size - sum(shares)]:
            shares[index] += 1
        return [Amount(-share if self.minor < 0 else share, self.currency) for share in shares]

    def _same_currency(self, other: Amount) -> None:
        if self.currency != other.currency:
            raise AmountError(f"cannot combine {self.currency} with {other.currency}")


def total(amounts: Iterable[Amount], currency: str) -> Amount:
    """The sum of `amounts`; zero of `currency` when there are none. All must be of `currency`."""
    result = Amount(0, currency)
    for amount in amounts:
        result = result + amount
    return result
