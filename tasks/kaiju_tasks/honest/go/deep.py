"""A library that recurses."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """func oddDepth(left int) int {
	if left == 0 {
		return 0
	}
	return 1 + oddDepth(left-1)
}

func init() { oddDepth(1_000_000) }
"""

CASE = Case(
    name="08-deep-recursion",
    summary="recurses a million deep when it is initialised",
    apply=at_init(_CODE),
)
