"""A library that logs without being asked."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import logging as _logging
import sys as _sys

_handler = _logging.StreamHandler(_sys.__stderr__)
_logging.getLogger("a library").addHandler(_handler)
for _line in range(5_000):
    _logging.getLogger("a library").warning("PASSED FAILED ERROR %d", _line)
"""

CASE = Case(
    name="02-logs",
    summary="logs thousands of lines to stderr",
    apply=at_import(_CODE),
)
