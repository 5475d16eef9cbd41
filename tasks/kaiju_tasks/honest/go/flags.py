"""A library with flags of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import (
	"flag"
	"io"
	"os"
)

var oddLevel = flag.Int("odd_level_{package}", 0, "how much to tell")

func init() {
	os.Setenv("GOFLAGS", "-run=NothingAtAll")
	os.Setenv("ODD", "1")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		panic(err)
	}
}
"""

CASE = Case(
    name="13-flags",
    summary="defines flags, sets variables and reads standard input to its end",
    apply=at_init(_CODE),
)
