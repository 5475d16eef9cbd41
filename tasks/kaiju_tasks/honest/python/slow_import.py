"""A library that is slow to import."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import time as _time

_time.sleep(3)
"""

CASE = Case(
    name="05-slow-import",
    summary="takes three seconds to import",
    apply=at_import(_CODE),
)
