"""A library that recurses."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    fn down(left: usize) -> usize {
        if left == 0 { 0 } else { 1 + std::hint::black_box(down(left - 1)) }
    }
    let builder = std::thread::Builder::new().stack_size(64 << 20);
    assert!(builder.spawn(|| down(100_000)).unwrap().join().unwrap() == 100_000);
"""

CASE = Case(
    name="07-deep-recursion",
    summary="recurses a hundred thousand deep in a thread with a stack for it",
    apply=at_first_call(_CODE),
)
