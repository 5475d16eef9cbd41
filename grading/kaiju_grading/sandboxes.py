"""The sandboxes of one grading: a backend, its limits, and how many may run at once."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TypeVar

import anyio.to_thread

from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

Report = TypeVar("Report")
Places = AbstractAsyncContextManager[None]
"""Entered for each sandbox; bounds how many run at once. A capacity limiter is one."""


@dataclass(frozen=True, slots=True)
class Sandboxes:
    """Every command gets a fresh one."""

    backend: Backend
    limits: Limits
    """Of a test run."""
    build_limits: Limits
    """Of a build, and of compiling tests."""
    places: Places = field(repr=False)

    async def run(self, command: Command) -> Result:
        """Wait for a place, then run. Raises SandboxError for faults that are not the command's own."""
        async with self.places:
            return await self.backend.run(command, self.limits)

    async def build(self, command: Command) -> Result:
        """As `run`, for a build."""
        async with self.places:
            return await self.backend.run(command, self.build_limits)


async def read_aside(read: Callable[[], Report]) -> Report:
    """Read a result in a thread: the program chose its size, and the event loop serves others meanwhile."""
    return await anyio.to_thread.run_sync(read)
