"""Functions whose code has moved to another module."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import replaced

_INNER = """//! Numbers of either sign as numbers without one.

pub(super) fn into(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(super) fn back(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
"""
_EDITS = {
    "use std::fmt;\n": "mod either;\n\nuse std::fmt;\n",
    "    ((value << 1) ^ (value >> 63)) as u64\n": "    either::into(value)\n",
    "fn unzigzag(value: u64) -> i64 {\n    (value >> 1) as i64 ^ -((value & 1) as i64)\n}\n": (
        "use either::back as unzigzag;\n"
    ),
}

CASE = Case(
    name="26-moved-code",
    summary="functions only call, or only rename, what has moved to another module",
    apply=replaced("src/varint.rs", _EDITS, {"src/varint/either.rs": _INNER}),
)
