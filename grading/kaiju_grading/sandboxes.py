"""The sandboxes of one grading: a backend, its limits, and how many may run at once."""

from dataclasses import dataclass, field

from anyio import CapacityLimiter

from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result


@dataclass(frozen=True, slots=True)
class Sandboxes:
    """Every command gets a fresh one."""

    backend: Backend
    limits: Limits
    limiter: CapacityLimiter = field(repr=False)

    async def run(self, command: Command) -> Result:
        """Wait for a place, then run. Raises SandboxError for faults that are not the command's own."""
        async with self.limiter:
            return await self.backend.run(command, self.limits)
