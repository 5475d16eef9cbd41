"""A library written on another system."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import rewritten

CASE = Case(
    name="13-crlf",
    summary="all its lines end with CRLF",
    apply=rewritten(lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")),
)
