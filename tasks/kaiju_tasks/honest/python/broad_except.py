"""A library with a broad except."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """def _guess():
    try:
        raise SystemExit(1)
    except BaseException:
        return None


for _turn in range(100):
    _guess()
"""

CASE = Case(
    name="11-broad-except",
    summary="swallows whatever goes wrong in a corner of its own",
    apply=at_import(_CODE),
)
