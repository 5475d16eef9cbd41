"""A library in another alphabet."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """#[path = "größen.rs"]
#[allow(dead_code, non_snake_case)]
mod größen;
"""

_FILE = """pub struct Größe {
    pub länge: u8,
}

pub fn Δ(g: &Größe) -> u8 {
    g.länge
}
"""

CASE = Case(
    name="16-unicode",
    summary="has files and identifiers beyond ASCII",
    apply=in_crate(_CODE, {"src/größen.rs": _FILE}),
)
