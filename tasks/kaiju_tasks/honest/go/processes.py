"""A library that runs programs."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import "os/exec"

func init() {
	for count := 0; count < 3; count++ {
		if err := exec.Command("/bin/sh", "-c", "echo PASS; exit 3").Run(); err == nil {
			panic("the shell has no status")
		}
	}
}
"""

CASE = Case(
    name="12-processes",
    summary="starts and waits for other processes",
    apply=at_init(_CODE),
)
