"""Single functions written otherwise: another algorithm, more traits on types."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import replaced

_EDITS = {
    "    let bits = 64 - (value | 1).leading_zeros() as usize;\n    bits.div_ceil(7)\n": (
        "    (1..=MAX_BYTES).find(|&bytes| bytes == MAX_BYTES || value >> (7 * bytes) == 0).unwrap()\n"
    ),
    "    ((value << 1) ^ (value >> 63)) as u64\n": (
        "    if value < 0 {\n        !(value as u64) * 2 + 1\n    } else {\n        value as u64 * 2\n    }\n"
    ),
    "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum VarintError": (
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n"
        "#[repr(u16)]\npub enum VarintError"
    ),
    "    while !bytes.is_empty() {\n        let (value, rest) = read(bytes)?;\n"
    "        found.push(value);\n        bytes = rest;\n    }\n    Ok(found)\n": (
        "    let mut next = || {\n"
        "        (!bytes.is_empty()).then(|| read(bytes).map(|(value, rest)| {\n"
        "            bytes = rest;\n            value\n        }))\n    };\n"
        "    while let Some(value) = next() {\n        found.push(value?);\n    }\n    Ok(found)\n"
    ),
}

CASE = Case(
    name="27-other-algorithm",
    summary="single functions are written otherwise, types have more traits",
    apply=replaced("src/varint.rs", _EDITS),
)
