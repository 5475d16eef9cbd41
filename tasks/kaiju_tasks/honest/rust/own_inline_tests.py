"""A library with tests in its files."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import rewritten

_TESTS = b"""
#[cfg(test)]
mod own_tests {
    use super::*;

    #[test]
    fn fails() {
        panic!("not yet")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn fails_too() {
        let text = "}";
        panic!("{text}")
    }
}
"""

CASE = Case(
    name="20-own-inline-tests",
    summary="has test modules that fail in all of its files",
    apply=rewritten(lambda data: data.rstrip() + b"\n" + _TESTS),
)
