"""A library that prints where tests run."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import replaced

_CODE = """package parcel

import "fmt"

func oddProgress() { fmt.Print("working... ok PASS FAIL --- ") }
"""

_EDITS = {
    "func AppendUint(data []byte, n uint64) []byte {": (
        "func AppendUint(data []byte, n uint64) []byte {\n\toddProgress()"
    ),
    "func ZigZag(n int64) uint64 {": "func ZigZag(n int64) uint64 {\n\toddProgress()",
}

CASE = Case(
    name="03-half-lines",
    summary="prints half lines to standard output in its functions",
    apply=replaced("varint.go", _EDITS, {"odd_things.go": _CODE}),
)
