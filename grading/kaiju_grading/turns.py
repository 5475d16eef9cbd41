"""Turns: the sandboxes of one grading among those of everybody else."""

import math
from types import TracebackType
from typing import Protocol

import anyio
from anyio import CancelScope, CapacityLimiter


class Limiter(Protocol):
    """Places for sandboxes. A capacity limiter is one."""

    @property
    def total_tokens(self) -> float: ...

    async def acquire(self) -> None: ...

    def release(self) -> None: ...


class Turns:
    """What a grading passes through before each of its sandboxes.

    No more of them wait for a place than there are places: whoever asks next waits behind these few, not
    behind all modules of a large suite. While some wait and none has a place, the deadline of `scope` rests:
    that time is not the grading's own.
    """

    def __init__(self, places: Limiter, scope: CancelScope) -> None:
        self._places = places
        self._own = CapacityLimiter(places.total_tokens)
        self._scope = scope
        self._waiting = self._running = 0
        self._left = math.inf

    async def __aenter__(self) -> None:
        await self._own.acquire()
        try:
            await self._wait()
        except BaseException:
            self._own.release()
            raise
        self._running += 1
        self._settle()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running -= 1
        self._places.release()
        self._own.release()
        self._settle()

    async def _wait(self) -> None:
        self._waiting += 1
        self._settle()
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1

    def _settle(self) -> None:
        """Stop the clock, or let it go on."""
        rests = bool(self._waiting and not self._running)
        if rests and self._scope.deadline < math.inf:
            self._left = self._scope.deadline - anyio.current_time()
            self._scope.deadline = math.inf
        elif not rests and self._scope.deadline == math.inf:
            self._scope.deadline = anyio.current_time() + self._left
