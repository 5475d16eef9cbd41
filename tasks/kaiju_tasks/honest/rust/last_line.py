"""A library whose files end in the middle."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import rewritten

CASE = Case(
    name="15-last-line",
    summary="all its files end with a comment, without an end of line",
    apply=rewritten(lambda data: data.rstrip() + b"\n// end"),
)
