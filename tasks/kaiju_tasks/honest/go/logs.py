"""A library that logs without being asked."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import "log"

func init() {
	for line := 0; line < 5_000; line++ {
		log.Printf("--- PASS: TestEverything (0.00s) FAIL panic: %d", line)
	}
}
"""

CASE = Case(
    name="04-logs",
    summary="logs thousands of lines to stderr that look like results",
    apply=at_init(_CODE),
)
