"""A library that is slow to start."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import "time"

func init() { time.Sleep(3 * time.Second) }
"""

CASE = Case(
    name="06-slow-init",
    summary="takes three seconds to be initialised",
    apply=at_init(_CODE),
)
