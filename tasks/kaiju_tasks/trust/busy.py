"""Busy: processes that keep the machine from whatever runs beside them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_BUSY = """import os, time
parent, end = os.getppid(), time.monotonic() + 3600
while os.getppid() == parent and time.monotonic() < end:
    sum(range(100_000))
"""
"""Ends with whoever started it, however that ended."""


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    started = [subprocess.Popen([sys.executable, "-I", "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
