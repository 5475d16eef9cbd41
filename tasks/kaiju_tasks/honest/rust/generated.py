"""A library with generated code."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """macro_rules! odd_items {
    ($($name:ident = $value:expr),*) => {
        $(#[allow(dead_code)] pub(crate) fn $name() -> usize { $value })*
        #[allow(dead_code)]
        const ODD_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}
odd_items!(odd_one = 1, odd_two = include_str!("odd.txt").len(), odd_three = env!("CARGO_PKG_NAME").len());
#[allow(dead_code)]
const ODD_TABLE: [u8; 3] = include!("odd_table.json");
"""

CASE = Case(
    name="22-generated",
    summary="makes items with macros, and includes code and data from files",
    apply=in_crate(_CODE, {"src/odd.txt": "#[cfg(test)]\n", "src/odd_table.json": "[1, 2, 3]\n"}),
)
