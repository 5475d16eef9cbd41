"""Shares: how much memory the work of one subject may take at once; its further work waits, nobody else's."""

from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio


@dataclass(eq=False, slots=True)
class _Waiting:
    size: int
    turn: anyio.Event = field(default_factory=anyio.Event)


@dataclass(slots=True)
class _Share:
    used: int = 0
    waiting: deque[_Waiting] = field(default_factory=deque)


class Shares:
    """So many bytes for each subject, first come, first served. What is larger than a share has it alone."""

    def __init__(self, whole: int) -> None:
        self._whole = whole
        self._shares: defaultdict[str, _Share] = defaultdict(_Share)

    def full(self, subject: str, size: int) -> bool:
        """Whether `hold` would have to wait."""
        share = self._shares.get(subject)
        return share is not None and not self._fits(share, min(size, self._whole))

    @asynccontextmanager
    async def hold(self, subject: str, size: int) -> AsyncIterator[None]:
        """Wait for room, and have it until the end of the block."""
        size = min(size, self._whole)
        share = self._shares[subject]
        if self._fits(share, size):
            share.used += size
        else:
            await self._wait(subject, share, size)
        try:
            yield
        finally:
            self._give(subject, share, size)

    async def _wait(self, subject: str, share: _Share, size: int) -> None:
        mine = _Waiting(size)
        share.waiting.append(mine)
        try:
            await mine.turn.wait()
        except BaseException:
            if mine.turn.is_set():
                self._give(subject, share, size)
            else:
                share.waiting.remove(mine)
                self._give(subject, share, 0)
            raise

    def _fits(self, share: _Share, size: int) -> bool:
        return not share.waiting and share.used + size <= self._whole

    def _give(self, subject: str, share: _Share, size: int) -> None:
        share.used -= size
        while share.waiting and share.used + share.waiting[0].size <= self._whole:
            following = share.waiting.popleft()
            share.used += following.size
            following.turn.set()
        if not share.used and not share.waiting and self._shares.get(subject) is share:
            del self._shares[subject]
