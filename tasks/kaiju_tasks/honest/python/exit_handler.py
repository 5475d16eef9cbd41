"""A library whose end is untidy."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import atexit as _atexit


def _leave():
    raise RuntimeError("too late to matter")


_atexit.register(_leave)
"""

CASE = Case(
    name="08-exit-handler",
    summary="has a handler at exit that fails",
    apply=at_import(_CODE),
)
