"""A library that prints a great deal."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """for _line in range(40_000):
    print("importing, and telling everybody about it at length: step", _line)
"""

CASE = Case(
    name="01-prints",
    summary="prints megabytes when it is imported",
    apply=at_import(_CODE),
)
