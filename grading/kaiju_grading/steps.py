"""Steps: work of a language that needs commands run, written without a backend.

A generator yields each command and is sent its result; what it returns is the answer. So a language can look
at one result before it asks for the next, and still never holds a sandbox.
"""

from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result

Answer = TypeVar("Answer")
Steps = Generator[Command, Result, Answer]


async def follow(steps: Steps[Answer], run: Callable[[Command], Awaitable[Result]]) -> Answer:
    """Run every command that the steps ask for. Raises what they and `run` raise."""
    try:
        command = next(steps)
        while True:
            command = steps.send(await run(command))
    except StopIteration as end:
        answer: Answer = end.value
        return answer
    finally:
        steps.close()


def done(answer: Answer) -> Steps[Answer]:
    """Steps that need no command."""
    yield from ()
    return answer
