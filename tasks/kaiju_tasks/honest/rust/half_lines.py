"""A library that shows its progress."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_functions

_CODE = """    use std::io::Write;
    std::io::stdout().write_all(b"working... ").unwrap();
    std::io::stdout().flush().unwrap();
"""

CASE = Case(
    name="02-half-lines",
    summary="writes half lines to standard output in every function, past what the runner captures",
    apply=in_functions(_CODE),
)
