"""A library that needs room."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import gc as _gc

_held = bytearray(100 * 1024 * 1024)
_gc.collect()
_gc.freeze()
"""

CASE = Case(
    name="15-memory",
    summary="holds a hundred megabytes, and collects garbage by itself",
    apply=at_import(_CODE),
)
