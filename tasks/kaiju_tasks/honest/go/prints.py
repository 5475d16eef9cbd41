"""A library that prints a great deal."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import "fmt"

func init() {
	for line := 0; line < 40_000; line++ {
		fmt.Println("initialising, and telling everybody about it at length: step", line)
	}
}
"""

CASE = Case(
    name="01-prints",
    summary="prints megabytes when it is initialised",
    apply=at_init(_CODE),
)
