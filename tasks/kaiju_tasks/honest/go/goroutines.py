"""A library with goroutines of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import "time"

func init() {
	for count := 0; count < 50; count++ {
		go func() {
			for range time.Tick(20 * time.Millisecond) {
			}
		}()
	}
	go func() {
		for until := time.Now().Add(2 * time.Second); time.Now().Before(until); {
		}
	}()
}
"""

CASE = Case(
    name="05-goroutines",
    summary="leaves goroutines running, one of them busy",
    apply=at_init(_CODE),
)
