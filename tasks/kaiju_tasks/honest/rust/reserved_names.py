"""A library whose names look reserved."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """#[allow(dead_code)]
mod kaiju_values {
    pub fn lookup() -> bool {
        false
    }
}
#[allow(dead_code)]
mod tests_support;
#[allow(dead_code)]
mod test {
    pub fn main() {}
}
#[allow(dead_code)]
fn main() {}
"""

CASE = Case(
    name="17-reserved-names",
    summary="has modules and functions whose names look like the test runner's",
    apply=in_crate(_CODE, {"src/tests_support.rs": "pub fn assert_test_result() {}\n"}),
)
