"""A library written by another editor."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import rewritten

CASE = Case(
    name="15-bom",
    summary="all its files begin with a byte order mark",
    apply=rewritten(lambda data: b"\xef\xbb\xbf" + data.removeprefix(b"\xef\xbb\xbf")),
)
