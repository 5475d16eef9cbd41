"""An own build: what an agent's whole tree, build files and all, came to when its ecosystem built it."""

from enum import StrEnum

from pydantic import Field

from kaiju_grading.record import Record, Text
from kaiju_sandbox.result import Result

SAID = 2000
"""Characters that are kept of what a build printed."""


class BuildsItself(StrEnum):
    YES = "yes"
    NO = "no"
    NOT_MEASURED = "not_measured"
    """The machine or the task cannot tell; says nothing of the tree."""


class OwnBuild(Record):
    """Never part of a reward."""

    outcome: BuildsItself
    cause: Text = ""
    """Why not, in words that an agent may read: its own build's, or why nothing was measured."""
    seconds: float = Field(default=0.0, ge=0)


def not_measured(cause: str) -> OwnBuild:
    return OwnBuild(outcome=BuildsItself.NOT_MEASURED, cause=cause)


def broken(cause: str, result: Result) -> OwnBuild:
    return OwnBuild(outcome=BuildsItself.NO, cause=cause, seconds=result.wall)


def read_own_build(result: Result) -> OwnBuild:
    """What the exit status says; the end of its error output is the cause."""
    if result.ok:
        return OwnBuild(outcome=BuildsItself.YES, seconds=result.wall)
    return broken("\n".join(filter(None, (said(result.stderr), ended(result)))), result)


def ended(result: Result) -> str:
    """How a build ended that did not go well."""
    if result.limit is not None:
        return f"the build reached its limit on {result.limit.name}"
    if result.signal is not None:
        return f"the build was ended by signal {result.signal}"
    return f"the build ended with status {result.exit_code}"


def said(output: bytes) -> str:
    """The end of what a build printed, as much as a person reads."""
    return output.decode(errors="replace").strip()[-SAID:]
