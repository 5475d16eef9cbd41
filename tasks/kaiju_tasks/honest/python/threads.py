"""A library with threads of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import threading as _threading
import time as _time


def _tick():
    while True:
        _time.sleep(0.05)


for _number in range(4):
    _threading.Thread(target=_tick, daemon=True).start()
"""

CASE = Case(
    name="03-threads",
    summary="leaves daemon threads running",
    apply=at_import(_CODE),
)
