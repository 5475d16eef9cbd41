"""A library that speaks of tests."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """/* #[cfg(test)] mod tests { #[test] fn nothing() { panic!() } } */
#[allow(dead_code)]
const ODD_TEXT: &str = r##"
#[cfg(test)]
mod tests {
    #[test] fn nothing() { panic!("}") }
"##;
#[cfg(not(test))]
#[allow(dead_code)]
fn odd_users_only() {}
#[cfg(any(test, not(test)))]
#[allow(dead_code)]
pub(crate) fn odd_both() -> usize {
    ODD_TEXT.len()
}
"""

CASE = Case(
    name="18-looks-like-tests",
    summary="has strings, comments and conditions that look like tests",
    apply=in_crate(_CODE),
)
