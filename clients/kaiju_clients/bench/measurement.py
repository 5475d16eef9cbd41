"""A measurement: ours against a yardstick, taken in pairs so that both see the same machine."""

import math
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self

from kaiju_clients.records import Record

Action = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Seconds of ours and of the yardstick, one right after the other."""

    ours: float
    theirs: float


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the yardstick allows: `factor` times its seconds and `extra` seconds."""

    factor: float
    extra: float = 0.0


class Measurement(Record):
    """Medians over `rounds`. What has a yardstick is judged by medians over pairs: `ratio`, `allowed_ratio`.

    Other work on the machine slows both halves of a pair: a ratio of medians would not notice which rounds
    it hit.
    """

    name: str
    unit: str
    yardstick: str
    ours: float
    theirs: float | None = None
    ratio: float | None = None
    allowed: float | None = None
    """In the unit; None for figures that stand beside and are not judged."""
    allowed_ratio: float | None = None
    rounds: int

    @property
    def within(self) -> bool | None:
        """None: not judged."""
        if self.ratio is not None and self.allowed_ratio is not None:
            return self.ratio <= self.allowed_ratio
        return None if self.allowed is None else self.ours <= self.allowed

    @classmethod
    def of(
        cls, name: str, yardstick: str, pairs: Sequence[Pair], allowance: Allowance | None, unit: str = "s"
    ) -> Self:
        """From pairs; `unit` is s or ms."""
        scale = {"s": 1.0, "ms": 1e3}[unit]
        theirs = statistics.median(pair.theirs for pair in pairs)
        return cls(
            name=name,
            unit=unit,
            yardstick=yardstick,
            ours=statistics.median(pair.ours for pair in pairs) * scale,
            theirs=theirs * scale,
            ratio=statistics.median(pair.ours / pair.theirs for pair in pairs),
            allowed=(allowance.factor * theirs + allowance.extra) * scale if allowance else None,
            allowed_ratio=statistics.median(
                allowance.factor + allowance.extra / pair.theirs for pair in pairs
            )
            if allowance
            else None,
            rounds=len(pairs),
        )


async def in_turns(ours: Action, theirs: Action, rounds: int, between: Action | None = None) -> list[Pair]:
    """One pair a round; whichever was second begins the next. Nobody's time is what `between` takes."""
    pairs = []
    for number in range(rounds):
        if between is not None:
            await between()
        pairs.append(await pair(ours, theirs, ours_first=bool(number % 2)))
    return pairs


async def pair(ours: Action, theirs: Action, *, ours_first: bool) -> Pair:
    if ours_first:
        mine = await timed(ours)
        return Pair(mine, await timed(theirs))
    yardstick = await timed(theirs)
    return Pair(await timed(ours), yardstick)


async def timed(action: Action) -> float:
    """Seconds of one."""
    began = time.perf_counter()
    await action()
    return time.perf_counter() - began


def rounded(value: float) -> float:
    """To three significant digits."""
    return round(value, 3 - math.ceil(math.log10(abs(value)))) if value else 0.0
