"""A measurement: ours against a yardstick, taken in turns so that both see the same machine."""

import math
import statistics
import time
from collections.abc import Awaitable, Callable

from kaiju_clients.records import Record

Action = Callable[[], Awaitable[object]]


class Measurement(Record):
    """Medians over `rounds`. `allowed` is what the yardstick allows; same unit as the rest."""

    name: str
    unit: str
    yardstick: str
    ours: float
    theirs: float | None
    allowed: float
    rounds: int

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.theirs else None

    @property
    def within(self) -> bool:
        return self.ours <= self.allowed


async def in_turns(ours: Action, theirs: Action, rounds: int) -> tuple[float, float]:
    """Median seconds of both. Each round takes both, in alternating order."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            seconds[which].append(await timed((ours, theirs)[which]))
    return statistics.median(seconds[0]), statistics.median(seconds[1])


async def timed(action: Action) -> float:
    """Seconds of one."""
    began = time.perf_counter()
    await action()
    return time.perf_counter() - began


def rounded(value: float) -> float:
    """To three significant digits."""
    return round(value, 3 - math.ceil(math.log10(abs(value)))) if value else 0.0
