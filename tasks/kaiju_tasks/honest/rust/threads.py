"""A library with threads of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    for _ in 0..8 {
        std::thread::spawn(|| loop {
            std::thread::sleep(std::time::Duration::from_millis(20));
        });
    }
    std::thread::spawn(|| {
        let begun = std::time::Instant::now();
        while begun.elapsed() < std::time::Duration::from_secs(2) {}
    });
"""

CASE = Case(
    name="04-threads",
    summary="leaves threads running, one of them busy",
    apply=at_first_call(_CODE),
)
