"""A library that needs room."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import "runtime/debug"

var oddRoom = make([]byte, 100<<20)

func init() {
	for index := 0; index < len(oddRoom); index += 4096 {
		oddRoom[index] = 1
	}
	debug.SetGCPercent(20)
	debug.FreeOSMemory()
}
"""

CASE = Case(
    name="10-memory",
    summary="holds a hundred megabytes, and collects garbage by its own rules",
    apply=at_init(_CODE),
)
