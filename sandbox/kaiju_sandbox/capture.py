"""A capture: what came out of one pipe, its head and its tail within a cap, and how much it was."""

import os
from collections.abc import Callable

import anyio

CHUNK = 65_536
TRICKLE = 4096
"""Bytes: a shorter chunk is one of many, such as one record of a test."""
PAUSE = 0.02
"""Seconds for more to come after a trickle: each time that a reader wakes, it takes time from the writer. A
pipe that fills up meanwhile is no trickle."""


class Capture:
    """Keeps at most `limit` bytes: the first half of them from the start, the rest from the end."""

    def __init__(self, limit: int) -> None:
        self.size = 0
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_limit + CHUNK:
            self._trim()

    def content(self) -> bytes:
        self._trim()
        return bytes(self._head + self._tail)

    def _trim(self) -> None:
        del self._tail[: max(0, len(self._tail) - self._tail_limit)]


async def drain(descriptor: int, take: Callable[[bytes], None], ended: anyio.Event) -> None:
    """Give every chunk of a non-blocking pipe to `take`, until its last writer is gone.

    Once `ended` is set it waits for nothing more to come.
    """
    while True:
        await anyio.wait_readable(descriptor)
        try:
            chunk = os.read(descriptor, CHUNK)
        except BlockingIOError:
            continue
        if not chunk:
            return
        take(chunk)
        if len(chunk) < TRICKLE:
            with anyio.move_on_after(PAUSE):
                await ended.wait()
