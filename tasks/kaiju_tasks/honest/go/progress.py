"""A library that shows its progress."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import in_functions

_CODE = """import "os"

func oddProgress() { os.Stderr.WriteString("--- FAIL: TestEverything \\x16=== RUN .") }
"""

CASE = Case(
    name="02-progress",
    summary="writes to stderr without an end of line in every function",
    apply=in_functions("oddProgress()", _CODE),
)
