"""A library that looks over shoulders."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        eprintln!("something went wrong: {panic}");
        before(panic);
    }));
"""

CASE = Case(
    name="09-panic-hook",
    summary="has a hook for panics that tells of them and goes on",
    apply=at_first_call(_CODE),
)
