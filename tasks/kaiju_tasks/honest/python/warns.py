"""A library that warns."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import warnings as _warnings

with _warnings.catch_warnings():
    _warnings.simplefilter("always")
    for _kind in (UserWarning, DeprecationWarning, ResourceWarning, RuntimeWarning):
        _warnings.warn("old, but it works", _kind, stacklevel=1)
"""

CASE = Case(
    name="06-warns",
    summary="warns of every kind when it is imported",
    apply=at_import(_CODE),
)
