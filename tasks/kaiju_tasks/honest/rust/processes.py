"""A library that runs programs."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    for _ in 0..3 {
        let ended = std::process::Command::new("/bin/sh").args(["-c", "echo test; exit 3"]).output().unwrap();
        assert!(ended.status.code() == Some(3));
    }
"""

CASE = Case(
    name="11-processes",
    summary="starts and waits for other processes",
    apply=at_first_call(_CODE),
)
