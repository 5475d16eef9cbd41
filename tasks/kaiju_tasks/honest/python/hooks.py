"""A library that looks over shoulders."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import builtins as _builtins
import sys as _sys

_import = _builtins.__import__
_builtins.__import__ = lambda *given, **named: _import(*given, **named)
_hook = _sys.excepthook
_sys.excepthook = lambda *given: _hook(*given)


class _Wrapped:
    def __init__(self, stream):
        self._stream = stream

    def __getattr__(self, name):
        return getattr(self._stream, name)


_sys.stdout = _Wrapped(_sys.stdout)
"""

CASE = Case(
    name="13-hooks",
    summary="wraps the import function, the excepthook and standard output",
    apply=at_import(_CODE),
)
