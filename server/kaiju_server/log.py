"""Logs: JSON lines on stderr for everybody, and a private file for what only the grader may know.

stderr may be stored where an agent can read it, so it gets ids, never grader details.
Call `configure` before an MCPServer is built: the SDK installs its own handlers when none are there.
"""

import logging
import os
import sys
from pathlib import Path

import structlog

GRADER = "kaiju.grader"
"""The logger whose records go to the private file only."""


def configure(level: str = "INFO") -> None:
    """Send all logging through structlog to stderr as JSON lines. Idempotent."""
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(shared))
    handler.addFilter(_without_traceback)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # The SDK repeats the text of every tool error at INFO, arguments of the agent included.
    for noisy in ("mcp", "uvicorn", "sse_starlette"):
        logging.getLogger(noisy).setLevel("WARNING")


def _formatter(shared: list[structlog.types.Processor]) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
    )


def _without_traceback(record: logging.LogRecord) -> bool:
    """A traceback may name held-out files: on stderr only the kind of the exception is left."""
    if record.exc_info and record.exc_info[0] is not None:
        record.msg = f"{record.getMessage()} [{record.exc_info[0].__name__}]"
        record.args = ()
        record.exc_info = None
        record.exc_text = None
    return True


def open_grader_log(path: Path) -> logging.Handler:
    """Route the private logger to a file that only this account reads; the caller closes the handler."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600))
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.getLogger(GRADER)
    logger.propagate = False
    logger.setLevel("INFO")
    logger.handlers[:] = [handler]
    return handler
