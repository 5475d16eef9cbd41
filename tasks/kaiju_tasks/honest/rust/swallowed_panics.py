"""A library that panics by itself."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    for number in 0..50 {
        assert!(std::panic::catch_unwind(|| panic!("guess {number}")).is_err());
    }
    assert!(std::thread::spawn(|| panic!("alone")).join().is_err());
"""

CASE = Case(
    name="08-swallowed-panics",
    summary="catches its own panics, here and in threads",
    apply=at_first_call(_CODE),
)
