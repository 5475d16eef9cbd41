"""The interface of a sandbox backend."""

from dataclasses import dataclass
from typing import Protocol

from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `kaiju doctor`."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    """The command that puts it right; empty when nothing is wrong."""
    required: bool = True
    """False: the product works without it, with less."""


class Backend(Protocol):
    """Runs commands, each in a fresh sandbox without network. Safe for concurrent calls."""

    name: str

    async def check(self) -> tuple[Check, ...]:
        """What works here and what does not. Never raises."""
        ...

    async def run(self, command: Command, limits: Limits) -> Result:
        """Run to the end; when it returns or raises, no process and no file of the run is left.

        Cancellation kills the run first. Raises SandboxError for faults not the command's own, ValueError
        for a command that cannot be expressed (relative argv[0], escaping paths, overlapping targets).
        """
        ...

    async def sweep(self) -> int:
        """Remove what dead owners left, never what a living one uses. Returns how many leftovers went."""
        ...
