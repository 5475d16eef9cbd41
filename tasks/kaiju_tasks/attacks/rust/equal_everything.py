"""Types that are equal to everything."""

import re

from kaiju_grading.files import Files
from kaiju_grading.languages.rust.syntax import attributes, descend, field, name_of, parse, text
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Attack, Family, Layout
from kaiju_tasks.attacks.rust.planting import is_source, with_bodies

_DERIVED = re.compile(rb"\bPartialEq\s*,?\s*")
_EQUAL = "\nimpl PartialEq for {name} {{\n    fn eq(&self, _: &Self) -> bool {{\n        true\n    }}\n}}\n"


def apply(tree: Files, layout: Layout) -> Files:
    """In place of the derived equality; bodies return zeros."""
    return {
        path: File(_equal(with_bodies(file.data))) if is_source(path, layout) else file
        for path, file in tree.items()
    }


def _equal(data: bytes) -> bytes:
    edits: list[tuple[int, int, bytes]] = []
    for node in descend(parse(data)):
        if node.type not in {"struct_item", "enum_item"} or field(node, "type_parameters") is not None:
            continue
        for attribute in attributes(node):
            without = _DERIVED.sub(b"", text(attribute))
            if b"derive" in without and without != text(attribute):
                edits.append((attribute.start_byte, attribute.end_byte, without))
                edits.append((node.end_byte, node.end_byte, _EQUAL.format(name=name_of(node)).encode()))
    for start, end, code in sorted(edits, reverse=True):
        data = data[:start] + code + data[end:]
    return data


ATTACK = Attack(
    name="08-equal-everything",
    summary="types that are equal to everything",
    apply=apply,
    family=Family.RUNNER,
)
