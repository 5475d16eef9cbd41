"""Slots: how many sandboxes run at once, and as which user each one runs.

A slot is held by a file lock, so that several servers on one state folder never give two sandboxes the same
user; the kernel frees the slots of a server that died.
"""

import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import make_public_folder
from kaiju_sandbox.settings import Settings

MOST = 4096


@dataclass(frozen=True, slots=True)
class Slot:
    """The right to run one sandbox."""

    number: int
    uid: int | None
    """The user that owns the sandbox; None: this process's own, which is not root."""


class Slots:
    """Hands out slots; waits while all are taken."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.state_dir / "slots"
        self._first_uid = settings.first_uid if os.geteuid() == 0 else None
        self._free = anyio.Semaphore(settings.slots)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Slot]:
        async with self._free:
            number, descriptor = self._lock()
            try:
                uid = None if self._first_uid is None else self._first_uid + number
                yield Slot(number, uid)
            finally:
                os.close(descriptor)

    def _lock(self) -> tuple[int, int]:
        make_public_folder(self._folder)
        for number in range(MOST):
            descriptor = os.open(self._folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
            else:
                return number, descriptor
        raise SandboxFault(f"{self._folder}: all {MOST} slots are locked")
