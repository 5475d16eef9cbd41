"""A library that keeps files."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import at_init

_CODE = """import (
	"os"
	"path/filepath"
	"strconv"
)

func init() {
	folder, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	for number := 0; number < 20; number++ {
		path := filepath.Join(folder, strconv.Itoa(number))
		if err := os.WriteFile(path, make([]byte, 10_000), 0o600); err != nil {
			panic(err)
		}
	}
}
"""

CASE = Case(
    name="07-temp-files",
    summary="writes and leaves files in the folder for temporary ones",
    apply=at_init(_CODE),
)
