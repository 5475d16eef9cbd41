"""A library that is slow to start."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import before_main

_CODE = """    std::thread::sleep(std::time::Duration::from_secs(3));
"""

CASE = Case(
    name="05-slow-start",
    summary="takes three seconds before anything else happens",
    apply=before_main(_CODE),
)
