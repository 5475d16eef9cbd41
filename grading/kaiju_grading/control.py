"""A control: the same run over the reference, made when a run could not be carried out.

It tells a fault of the machine or of this program, which is nobody's verdict, from a submission that breaks
its sandbox or what reads it.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from kaiju_grading.files import Files
from kaiju_sandbox.errors import SandboxError

Run = TypeVar("Run")
Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class ControlFailed(Exception):
    """The reference could not be run either: the machine or the task is at fault, and there is no grade."""


class Exhausted(Exception):
    """The control ran well and the submission's run could not be carried out twice."""


async def run_controlled(
    run: Callable[[Files], Awaitable[Run]],
    submitted: Files,
    reference: Files,
    complaint: Callable[[Run], str],
) -> Run:
    """Run over the submitted files; after a fault run the control, then once more, with the same choices.

    A crash of this program is such a fault: files that provoke one must not escape their verdict.
    `complaint` says what is wrong with a control, empty when nothing is. Raises ControlFailed or Exhausted.
    """
    first = await _attempt(run(submitted))
    if not isinstance(first, _Fault):
        return first

    async def control() -> str:
        return complaint(await run(reference))

    problem = await _attempt(control())
    if isinstance(problem, _Fault):
        raise ControlFailed(
            f"{first.told}; the control could not be carried out either: {problem.told}"
        ) from problem.error
    if problem:
        raise ControlFailed(f"{first.told}; the control went wrong: {problem}")
    again = await _attempt(run(submitted))
    if isinstance(again, _Fault):
        raise Exhausted(
            f"could not be carried out twice while the control passed: {first.told}; {again.told}"
        ) from again.error
    return again


@dataclass(frozen=True, slots=True)
class _Fault:
    """A run that was not carried out."""

    told: str
    error: Exception


async def _attempt(run: Awaitable[Answer]) -> Answer | _Fault:
    try:
        return await run
    except (ControlFailed, Exhausted):
        raise
    except Exception as error:  # noqa: BLE001 - any crash may be the submission's doing: the control tells
        return _Fault(_told(error), error)


def _told(error: Exception) -> str:
    """A fault in words; a crash is also logged, with its traceback."""
    if isinstance(error, SandboxError):
        return str(error)
    log.error("crash while grading", exc_info=error)
    return f"crash of the grader ({type(error).__name__})"
