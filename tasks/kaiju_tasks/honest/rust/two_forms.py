"""A library that is another one under test."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """
#[cfg(not(test))]
#[allow(unused_imports)]
use std::collections::HashMap as OddMap;
#[cfg(test)]
#[allow(unused_imports)]
use std::collections::BTreeMap as OddMap;
#[cfg(not(test))]
fn odd_seed() -> u64 {
    std::process::id().into()
}
#[cfg(test)]
fn odd_seed() -> u64 {
    7
}
#[allow(dead_code)]
pub(crate) fn odd_map() -> OddMap<u64, u64> {
    OddMap::from([(odd_seed(), 1)])
}
"""

CASE = Case(
    name="28-two-forms",
    summary="has one form of some items for tests, and another for everything else",
    apply=in_crate(_CODE),
)
