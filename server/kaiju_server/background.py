"""Background work: the one place where any exception stops, so that no fault of one run ends the server."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from kaiju_server.log import GRADER

grader_log = structlog.get_logger(GRADER)
log = structlog.get_logger("kaiju.background")


@contextmanager
def contained(what: str, **ids: str) -> Iterator[None]:
    """Log a crash, with its details in the private log only, and go on after the block."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the top of a background job: a crash ends neither server nor run
        grader_log.exception("crash", what=what, **ids)
        log.error("crash", what=what, kind=type(error).__name__, **ids)
