"""Non-public names of the library that held-out tests use."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kaiju_grading.files import Files
from kaiju_grading.languages.rust.inline import is_inline
from kaiju_grading.languages.rust.syntax import descend, field, name_of, parse, text
from kaiju_grading.preparation import Split

_DECLARING = frozenset(
    {
        *(
            "function_item",
            "struct_item",
            "enum_item",
            "trait_item",
            "const_item",
            "static_item",
            "type_item",
        ),
        *("union_item", "mod_item", "field_declaration", "function_signature_item"),
    }
)

_TAKES_IN = re.compile(rb"\bpath\s*=\s*\"|\binclude\s*!")


def find_private_names(split: Split, tests: Files) -> frozenset[str]:
    """`path:name` of what is declared without `pub` and named in a test file that can reach it."""
    inside = (file.data for path, file in tests.items() if _is_inside(path, file.data))
    words = {text(node).decode(errors="replace") for data in inside for node in _names(data)}
    return frozenset(
        f"{path}:{name}"
        for path, file in split.library.items()
        if path.endswith(".rs")
        for name in _private(parse(file.data))
        if name in words
    )


def _is_inside(path: str, data: bytes) -> bool:
    """Whether a test file is part of the library or takes its files in; others see what is public."""
    return is_inline(path) or not path.startswith("tests/") or _TAKES_IN.search(data) is not None


def _names(data: bytes) -> Iterator[Node]:
    return (node for node in descend(parse(data)) if node.type.endswith("identifier"))


def _private(root: Node) -> Iterator[str]:
    for node in descend(root):
        if node.type not in _DECLARING or _in_trait(node):
            continue
        if not any(child.type == "visibility_modifier" for child in node.children):
            yield name_of(node)


def declarations(data: bytes, name: str) -> list[str]:
    """How a file declares a non-public name, without bodies."""
    found = []
    for node in descend(parse(data)):
        if node.type in _DECLARING and name_of(node) == name and not _in_trait(node):
            body = field(node, "body") if node.type in {"function_item", "mod_item"} else None
            end = node.end_byte if body is None else body.start_byte
            found.append(data[node.start_byte : end].decode(errors="replace").strip())
    return list(dict.fromkeys(found))


def _in_trait(node: Node) -> bool:
    """Items of traits and of their implementations are as public as the trait."""
    around = node.parent.parent if node.parent is not None else None
    if around is None:
        return False
    return around.type == "trait_item" or (around.type == "impl_item" and field(around, "trait") is not None)
