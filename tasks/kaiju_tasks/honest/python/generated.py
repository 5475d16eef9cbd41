"""A library with generated code."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """_made = {}
exec(compile("answer = lambda: 42", "<generated>", "exec"), _made)
if _made["answer"]() != 42:
    raise ImportError("generated code is wrong")
"""

CASE = Case(
    name="10-generated",
    summary="makes part of itself with exec",
    apply=at_import(_CODE),
)
