"""A library that settles in."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func init() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)
	runtime.GOMAXPROCS(1)
	go runtime.LockOSThread()
}
"""

CASE = Case(
    name="11-signals",
    summary="handles signals, locks threads and runs on one processor",
    apply=at_init(_CODE),
)
