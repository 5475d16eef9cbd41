"""A library that is strict with itself."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, unreachable_pub)]
"""

CASE = Case(
    name="24-strict",
    summary="forbids unsafe code and denies every warning",
    apply=in_crate(_CODE),
)
