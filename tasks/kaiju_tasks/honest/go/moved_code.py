"""A file whose code has moved to an internal package."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import replaced

_INNER = """// Package zigzag maps signed numbers to unsigned ones.
package zigzag

// In is the unsigned number.
func In[N ~int64](n N) uint64 { return uint64(n<<1) ^ uint64(n>>63) }

// Out is the inverse of In.
func Out(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
"""
_EDITS = {
    'import "errors"': 'import (\n\t"errors"\n\n\t"kaiju.example/parcel/internal/zigzag"\n)',
    "\treturn uint64(n<<1) ^ uint64(n>>63)\n": "\treturn zigzag.In(n)\n",
    "\treturn int64(n>>1) ^ -int64(n&1)\n": "\treturn zigzag.Out(n)\n",
}

CASE = Case(
    name="24-moved-code",
    summary="functions only call what has moved to an internal package",
    apply=replaced("varint.go", _EDITS, {"internal/zigzag/zigzag.go": _INNER}),
)
