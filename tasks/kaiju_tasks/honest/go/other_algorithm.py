"""Single functions written otherwise: another algorithm, more errors, methods on top."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import replaced

_EDITS = {
    'import "errors"': 'import (\n\t"encoding/binary"\n\t"errors"\n\t"math/bits"\n)',
    """	for n >= 0x80 {
		data = append(data, byte(n)|0x80)
		n >>= 7
	}
	return append(data, byte(n))
""": "\treturn binary.AppendUvarint(data, n)\n",
    """	size := 1
	for n >= 0x80 {
		n >>= 7
		size++
	}
	return size
""": "\treturn (bits.Len64(n|1) + 6) / 7\n",
    "\treturn uint64(n<<1) ^ uint64(n>>63)\n": (
        "\tif n < 0 {\n\t\treturn ^uint64(n) * 2 + 1\n\t}\n\treturn uint64(n) * 2\n"
    ),
}

CASE = Case(
    name="25-other-algorithm",
    summary="single functions are written otherwise",
    apply=replaced("varint.go", _EDITS),
)
