"""A library that panics by itself."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import (
	"runtime"
	"sync"
)

func oddGuess(number int) {
	defer func() { recover() }()
	panic(number)
}

func init() {
	var wait sync.WaitGroup
	for number := 0; number < 100; number++ {
		oddGuess(number)
		wait.Add(1)
		go func() {
			defer wait.Done()
			runtime.Goexit()
		}()
	}
	wait.Wait()
}
"""

CASE = Case(
    name="09-recovers",
    summary="panics, recovers, and ends goroutines in the middle",
    apply=at_init(_CODE),
)
