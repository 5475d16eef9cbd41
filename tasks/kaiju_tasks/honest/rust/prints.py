"""A library that prints a great deal."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import before_main

_CODE = """    use std::io::Write;
    let mut out = std::io::stdout().lock();
    for line in 0..40_000 {
        writeln!(out, "starting, and telling everybody about it at length: step {line}").unwrap();
    }
"""

CASE = Case(
    name="01-prints",
    summary="prints megabytes to standard output before anything else happens",
    apply=before_main(_CODE),
)
