"""What works on this machine, line by line."""

from collections.abc import Awaitable, Callable

from kaiju_sandbox.backend import Check
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings


async def examine(
    settings: Settings, run: Callable[[Command, Limits], Awaitable[Result]]
) -> tuple[Check, ...]:
    return ()
