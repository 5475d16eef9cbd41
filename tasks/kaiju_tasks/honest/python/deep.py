"""A library that recurses."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import sys as _sys

_sys.setrecursionlimit(max(6_000, _sys.getrecursionlimit()))


def _down(left):
    return 0 if left == 0 else 1 + _down(left - 1)


_down(2_000)
"""

CASE = Case(
    name="09-deep-recursion",
    summary="recurses two thousand deep when it is imported",
    apply=at_import(_CODE),
)
