"""A library that reads what there is."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    use std::io::Read;
    let mut all = Vec::new();
    std::io::stdin().read_to_end(&mut all).unwrap();
    unsafe {
        std::env::set_var("RUST_TEST_THREADS", "1");
        std::env::set_var("RUST_BACKTRACE", "full");
        std::env::remove_var("CARGO_MANIFEST_DIR");
    }
"""

CASE = Case(
    name="12-standard-input",
    summary="reads standard input to its end, and sets variables",
    apply=at_first_call(_CODE),
)
