"""A control: the same run over the reference, made when a run could not be carried out.

It tells a fault of the machine, which is nobody's verdict, from a submission that breaks its sandbox.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from kaiju_grading.files import Files
from kaiju_sandbox.errors import SandboxError

Run = TypeVar("Run")


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

    `complaint` says what is wrong with a control, empty when nothing is. Raises ControlFailed or Exhausted.
    """
    try:
        return await run(submitted)
    except SandboxError as error:
        fault = str(error)
    await _check_control(run, reference, complaint, fault)
    try:
        return await run(submitted)
    except SandboxError as error:
        raise Exhausted(
            f"could not be carried out twice while the control passed: {fault}; {error}"
        ) from error


async def _check_control(
    run: Callable[[Files], Awaitable[Run]],
    reference: Files,
    complaint: Callable[[Run], str],
    fault: str,
) -> None:
    try:
        problem = complaint(await run(reference))
    except SandboxError as error:
        raise ControlFailed(f"{fault}; the control could not be carried out either: {error}") from error
    if problem:
        raise ControlFailed(f"{fault}; the control went wrong: {problem}")
