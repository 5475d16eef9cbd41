"""Periods of whole days: years, quarters, months, weeks and free ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_DAY = timedelta(days=1)
_YEAR = re.compile(r"(\d{4})")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_WEEK = re.compile(r"(\d{4})-W(\d{2})")
_RANGE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:\.\.(\d{4}-\d{2}-\d{2}))?")


class PeriodError(ValueError):
    """A text that is no period, or a period that ends before it begins."""


def _month(year: int, month: int) -> date:
    """The first day of a month; months may be below 1 or above 12 and then count into other years."""
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


@dataclass(frozen=True)
class Period:
    """The days from `first` to `last`, both included."""

    first: date
    last: date

    @classmethod
    def of_months(cls, year: int, month: int, count: int = 1) -> Period:
        """`count` whole months that begin with this one."""
        return cls(_month(year, month), _month(year, month + count) - _DAY)

    @classmethod
    def parse(cls, text: str) -> Period:
        """Read `2024`, `2024-Q2`, `2024-02`, `2024-W05` (ISO week), `2024-02-29` or `2024-01-03..2024-02-10`.

        Raises PeriodError for anything else, for days that do not exist and for ranges that run backwards.
        """
        try:
            if match := _YEAR.fullmatch(text):
                return cls.of_months(int(match[1]), 1, 12)
            if match := _QUARTER.fullmatch(text):
                return cls.of_months(int(match[1]), 3 * int(match[2]) - 2, 3)
            if match := _MONTH.fullmatch(text):
                return cls.of_months(date(int(match[1]), int(match[2]), 1).year, int(match[2]))
            if match := _WEEK.fullmatch(text):
                monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
                return cls(monday, monday + 6 * _DAY)
            if match := _RANGE.fullmatch(text):
                first = date.fromisoformat(match[1])
                return cls.between(first, date.fromisoformat(match[2]) if match[2] else first)
        except (ValueError, OverflowError) as error:
            raise PeriodError(f"not a period: {text!r}: {error}") from error
        raise PeriodError(f"not a period: {text!r}")

    @classmethod
    def between(cls, first: date, last: date) -> Period:
        """From `first` to `last`; raises PeriodError when `last` is earlier."""
        if last < first:
            raise PeriodError(f"{last} is before {first}")
        return cls(first, last)

    def __len__(self) -> int:
        """How many days."""
        return (self.last - self.first).days + 1

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last

    def __str__(self) -> str:
        """The shortest text that `parse` reads as this period: year, quarter, month, week, day, range."""
        year, month = self.first.year, self.first.month
        if self == Period.of_months(year, 1, 12):
            return f"{year:04}"
        if month % 3 == 1 and self == Period.of_months(year, month, 3):
            return f"{year:04}-Q{(month + 2) // 3}"
        if self == Period.of_months(year, month):
            return f"{year:04}-{month:02}"
        if len(self) == 7 and self.first.isoweekday() == 1:
            week = self.first.isocalendar()
            return f"{week.year:04}-W{week.week:02}"
        return f"{self.first}" if self.first == self.last else f"{self.first}..{self.last}"

    def days(self, step: int = 1) -> Iterator[date]:
        """Yield every `step`-th day, beginning with the first."""
        for offset in range(0, len(self), step):
            yield self.first + timedelta(days=offset)

    def months(self) -> Iterator[Period]:
        """Yield the period cut at the ends of months; the first and the last part may be shorter than a month."""
        first = self.first
        while first <= self.last:
            end = _month(first.year, first.month + 1) - _DAY
            yield Period(first, min(end, self.last))
            first = end + _DAY

    def shift(self, count: int) -> Period:
        """The period `count` of its own kind later (earlier when negative).

        Whole months, quarters and years move by their number of months, everything else by its number of days.
        """
        months = 12 * (self.last.year - self.first.year) + self.last.month - self.first.month + 1
        if self == Period.of_months(self.first.year, self.first.month, months):
            return Period.of_months(self.first.year, self.first.month + count * months, months)
        distance = count * len(self) * _DAY
        return Period(self.first + distance, self.last + distance)

    def overlap(self, other: Period) -> Period | None:
        """The days that both have; None when there are none."""
        first, last = max(self.first, other.first), min(self.last, other.last)
        return Period(first, last) if first <= last else None
