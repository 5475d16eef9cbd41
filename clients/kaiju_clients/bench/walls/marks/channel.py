"""A channel: what one sandbox does for every 1, and what the next one notices."""

import time
from collections.abc import Callable, Sequence

SHARED = "/kaiju/shared"
"""A folder that both sandboxes have."""
Numbers = list[int]


class Channel:
    """`count` bits."""

    def __init__(self, count: int) -> None:
        self.count = count

    def leave(self, bits: Sequence[int]) -> None:
        for place in (place for place, bit in enumerate(bits) if bit):
            self.mark(place)

    def mark(self, place: int) -> None:
        """Of a single 1."""

    def look(self) -> Numbers:
        """A number for each bit."""
        return [0] * self.count

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        """Shorter than most: whoever came before had a 1."""
        border = gap(now)
        return [int(number < border) for number in now]


def taken(action: Callable[[int], object], place: int) -> int:
    """Nanoseconds."""
    began = time.perf_counter_ns()
    action(place)
    return time.perf_counter_ns() - began


def gap(numbers: Numbers) -> float:
    """What parts them best: in the middle half, where one is farthest above the one before it."""
    ordered = sorted(numbers)
    quarter = len(ordered) // 4
    places = range(max(quarter, 1), max(len(ordered) - quarter, 2))
    widest = max(places, key=lambda place: ordered[place] / max(ordered[place - 1], 1))
    return (ordered[widest] + ordered[widest - 1]) / 2
