"""Errors that an agent reads; everything else is a crash, logged and hidden.

::

    AgentError          the text is written for the agent: argument, value, what was expected
    ├── NotFound        an episode, run, task or page that is not there, or not the caller's
    ├── WrongStage      the tool or the submission belongs to another stage
    ├── StageEnded      a budget ran out and the stage was submitted as it stood
    └── WorkspaceError  a file operation that cannot be done
    ServerError         the server cannot start or go on; for the person who runs it
"""

import errno
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from kaiju_grading.files import PathError
from kaiju_grading.submission import SubmissionError

SHOWN = 80
"""Characters of a rejected value that an error repeats."""


FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NAMED = 5
"""Wrong arguments that an error names."""


class AgentError(Exception):
    """A failure whose text an agent may read and act on."""


class NotFound(AgentError):
    """Not there, or not the caller's: the same answer for both."""


class WrongStage(AgentError):
    """Names the stage that is open, or the one that opens the tool."""


class StageEnded(AgentError):
    """A budget ran out: says which, and what is open now."""


class WorkspaceError(AgentError):
    """A file operation that cannot be done: names the path and what stands in the way."""


class ServerError(Exception):
    """The server cannot start or go on: names the boundary that failed."""


def shown(value: object) -> str:
    """A rejected value, short and without characters that break a line."""
    text = ascii(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def readable(cause: BaseException | None) -> str | None:
    """The text that an agent may read for this failure; None for a crash."""
    if isinstance(cause, AgentError | PathError | SubmissionError):
        return str(cause)
    if isinstance(cause, DBAPIError) or (isinstance(cause, OSError) and cause.errno in FULL):
        return "the server cannot store anything just now, so nothing was changed; try again in a minute"
    return None


def argument_text(tool: str, error: ValidationError) -> str:
    """Say which argument is wrong, what was given and what was expected, without pydantic's own layout."""
    details = error.errors()
    texts = [_argument(dict(detail)) for detail in details[:NAMED]]
    return f"{tool}: " + "; ".join(texts + ([f"and {len(details) - NAMED} more"] if details[NAMED:] else []))


def _argument(detail: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "missing":
        return f"argument {name!r} is missing"
    message = str(detail["msg"])
    return f"argument {name!r}: {message[:1].lower()}{message[1:]}, got {shown(detail['input'])}"
