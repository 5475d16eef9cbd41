"""Rooms: sandboxes that hold held-out tests and sandboxes that an agent hears from never run together.

Two sandboxes of one machine share read-only files and the processor. Locks on those files, who opens them,
waiting on a page of one, or how warm a cache is, are signals that a library under grading could send to a
visible run of another episode while both run: 90 bytes of test source a second were measured with `flock`
alone. No filter closes all of that; being apart in time does.
"""

import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from enum import StrEnum
from pathlib import Path

import anyio
from anyio import CapacityLimiter

from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

POLL_SECONDS = 0.02
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class Room(StrEnum):
    HELDOUT = "heldout"
    """Sandboxes of gradings."""
    TOLD = "told"
    """Sandboxes whose results an agent reads."""


class Rooms:
    """The two rooms of one state folder, also for other servers on it. Many are in one room, or in the other.

    Who comes later waits behind who waits, so neither room starves. The kernel empties the rooms of a server
    that died.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._queue = anyio.Lock()

    @asynccontextmanager
    async def enter(self, room: Room) -> AsyncIterator[None]:
        """Be in a room as soon as the other one is empty."""
        place = await self.come_in(room)
        try:
            yield
        finally:
            self.leave(place)

    async def come_in(self, room: Room) -> int:
        """Like `enter`: what is returned is given to `leave`."""
        place = os.open(self._folder / room, FLAGS, 0o600)
        try:
            async with self._queue:
                await self._wait(room, place)
        except BaseException:
            self.leave(place)
            raise
        return place

    def leave(self, place: int) -> None:
        os.close(place)

    async def _wait(self, room: Room, place: int) -> None:
        other = Room.TOLD if room is Room.HELDOUT else Room.HELDOUT
        # Whoever is at the door lets nobody past, of any server, until the other room is empty.
        with self._open("door") as door, self._open(other) as across:
            await _lock(door, fcntl.LOCK_EX)
            await _lock(across, fcntl.LOCK_EX)
            await _lock(place, fcntl.LOCK_SH)

    @contextmanager
    def _open(self, name: str) -> Iterator[int]:
        descriptor = os.open(self._folder / name, FLAGS, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


class RoomBackend:
    """A backend all of whose sandboxes run in one room."""

    def __init__(self, backend: Backend, rooms: Rooms, room: Room) -> None:
        self.name = backend.name
        self._backend = backend
        self._rooms = rooms
        self._room = room

    async def check(self) -> tuple[Check, ...]:
        return await self._backend.check()

    async def run(self, command: Command, limits: Limits) -> Result:
        async with self._rooms.enter(self._room):
            return await self._backend.run(command, limits)

    async def sweep(self) -> int:
        return await self._backend.sweep()


class RoomPlaces:
    """Places for sandboxes of one room: who has one is in the room, and waits for both at once.

    A grading rests its clock while it waits for a place. Were it let into the room later, whoever fills the
    other room could use up its time.
    """

    def __init__(self, places: CapacityLimiter, rooms: Rooms, room: Room) -> None:
        self._places = places
        self._rooms = rooms
        self._room = room
        self._taken: list[int] = []

    @property
    def total_tokens(self) -> float:
        return self._places.total_tokens

    async def acquire(self) -> None:
        await self._places.acquire()
        try:
            self._taken.append(await self._rooms.come_in(self._room))
        except BaseException:
            self._places.release()
            raise

    def release(self) -> None:
        self._rooms.leave(self._taken.pop())
        self._places.release()


async def _lock(descriptor: int, kind: int) -> None:
    """Looked at again and again: waiting in a thread could not be cancelled."""
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            await anyio.sleep(POLL_SECONDS)
        else:
            return
