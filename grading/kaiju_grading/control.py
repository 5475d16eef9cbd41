"""A control: the same run over the reference, made when a run could not be carried out.

It tells a fault of the machine or of this program, which is nobody's verdict, from a submission that breaks
its sandbox or what reads it.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from kaiju_grading.files import Files
from kaiju_sandbox.errors import SandboxError

Run = TypeVar("Run")

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
    try:
        return await run(submitted)
    except (ControlFailed, Exhausted):
        raise
    except Exception as error:  # noqa: BLE001 - any crash may be the submission's doing: the control tells
        fault = _told(error)
    await _check_control(run, reference, complaint, fault)
    try:
        return await run(submitted)
    except (ControlFailed, Exhausted):
        raise
    except Exception as error:
        raise Exhausted(
            f"could not be carried out twice while the control passed: {fault}; {_told(error)}"
        ) from error


async def _check_control(
    run: Callable[[Files], Awaitable[Run]],
    reference: Files,
    complaint: Callable[[Run], str],
    fault: str,
) -> None:
    try:
        problem = complaint(await run(reference))
    except (ControlFailed, Exhausted):
        raise
    except Exception as error:
        raise ControlFailed(
            f"{fault}; the control could not be carried out either: {_told(error)}"
        ) from error
    if problem:
        raise ControlFailed(f"{fault}; the control went wrong: {problem}")


def _told(error: Exception) -> str:
    """A fault in words; a crash is also logged, with its traceback."""
    if isinstance(error, SandboxError):
        return str(error)
    log.error("crash while grading", exc_info=error)
    return f"crash of the grader ({type(error).__name__})"
