"""A library for many platforms."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """#[cfg(windows)]
mod odd_windows;
#[cfg(all(unix, not(windows)))]
#[cfg_attr(all(), path = "odd_elsewhere.rs")]
mod odd_unix;
#[cfg(target_pointer_width = "16")]
fn odd() -> nonsense {}
#[cfg(debug_assertions)]
#[allow(dead_code)]
fn odd_checks() {}
"""

CASE = Case(
    name="23-conditions",
    summary="has code for other platforms and versions, some of which does not compile",
    apply=in_crate(
        _CODE,
        {"src/odd_elsewhere.rs": '#![allow(dead_code)]\npub fn place() -> &\'static str {\n    "/"\n}\n'},
    ),
)
