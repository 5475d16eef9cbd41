"""Logs: JSON lines on stderr for everybody, and a private file for what only the grader may know.

stderr may be stored where an agent can read it, so it gets ids, never grader details or tracebacks.
Call `configure` before an MCPServer is built: the SDK installs its own handlers when none are there.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from structlog.types import EventDict, Processor

GRADER = "kaiju.grader"
"""The logger whose records go to the private file only."""
SHARED: tuple[Processor, ...] = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso"),
)


def configure(level: str = "INFO") -> None:
    """Send all logging through structlog to stderr as JSON lines. Idempotent."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(_without_traceback))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # The SDK repeats the text of every tool error at INFO, arguments of the agent included.
    for noisy in ("mcp", "uvicorn", "sse_starlette"):
        logging.getLogger(noisy).setLevel("WARNING")


@contextmanager
def grader_log(path: Path) -> Iterator[None]:
    """Write the private logger's records, and every error with its traceback, to a file of ours alone."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600))
    private, errors = _file(path, "INFO"), _file(path, "ERROR")
    logger, root = logging.getLogger(GRADER), logging.getLogger()
    logger.propagate = False
    logger.setLevel("INFO")
    logger.addHandler(private)
    root.addHandler(errors)
    try:
        yield
    finally:
        logger.removeHandler(private)
        root.removeHandler(errors)
        private.close()
        errors.close()


def _file(path: Path, level: str) -> logging.Handler:
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setLevel(level)
    handler.setFormatter(_formatter(structlog.processors.format_exc_info))
    return handler


def _formatter(exceptions: Processor) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            exceptions,
            structlog.processors.JSONRenderer(),
        ],
        # Each handler decides about tracebacks itself; the record stays as it is for the next one.
        keep_exc_info=True,
    )


def _without_traceback(_: object, __: str, event: EventDict) -> EventDict:
    """A traceback may name held-out files: only the kind of the exception is left."""
    error = event.pop("exc_info", None)
    kind = error[0] if isinstance(error, tuple) else sys.exc_info()[0] if error else None
    return {**event, "exception": kind.__name__} if kind else event
