"""Planting: an attack's code put into a stub tree. The code itself is in `trees/`, as it is handed in."""

import re
from collections.abc import Mapping
from pathlib import Path

from tree_sitter import Node

from kaiju_grading.files import Files, under
from kaiju_grading.languages.rust.syntax import descend, field, item_start, items, name_of, parse, text
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout, NotApplicable

ENTRY = "src/lib.rs"
ZERO = "unsafe { ::core::mem::MaybeUninit::zeroed().assume_init() }"
"""A value of any type, all of its bits zero. What holds a reference must not be looked at."""

_TREES = Path(__file__).with_name("trees")
_STUB = re.compile(rb"\{\s*unimplemented!\(\)\s*\}")
_STUB_OF_IMPL = re.compile(rb"if true \{\s*unimplemented!\(\);\s*\}")
_NO_STD = re.compile(rb"^\s*#!\[[^\n]*\bno_std\b[^\n]*\]\s*$", re.MULTILINE)


def payload(name: str) -> str:
    return (_TREES / f"{name}.rs").read_text("utf-8")


def planted(name: str, beside: Mapping[str, str] | None = None) -> Change:
    """The code in front of the library's first item, where it may act before main; `beside` adds files."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        return _planted(tree, layout.lures.named_in(payload(name)), beside or {})

    return change


def answering(name: str, first: str = "") -> Change:
    """As `planted`, and stubbed bodies run `first` and return zeros."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        changed = {
            path: File(with_bodies(file.data, first)) if is_source(path, layout) else file
            for path, file in tree.items()
        }
        return _planted(changed, payload(name), {})

    return change


def appended(code: str, beside: Mapping[str, str] | None = None) -> Change:
    """The code behind the last item of every source file; `beside` adds files."""

    def change(tree: Files, layout: Layout) -> Files:
        changed = {
            path: File(file.data.rstrip() + b"\n" + code.encode()) if is_source(path, layout) else file
            for path, file in tree.items()
        }
        return {**changed, **_encoded(beside or {})}

    return change


def beside(files: Mapping[str, str]) -> Change:
    """Files that steer a tool, and the stub as it is."""

    def change(tree: Files, layout: Layout) -> Files:
        return {**tree, **_encoded(files)}

    return change


def is_source(path: str, layout: Layout) -> bool:
    """Whether a file of a tree belongs to the library."""
    return path.endswith(".rs") and under(path, layout.roots)


def in_front(data: bytes, code: str) -> bytes:
    """A first file with the code before its first item. Inner attributes of the code go to the very top."""
    data = _NO_STD.sub(b"", data)
    lines = code.splitlines(keepends=True)
    top = "".join(line for line in lines if line.startswith("#![")).encode()
    rest = "".join(line for line in lines if not line.startswith(("#![", "//!"))).encode()
    first = next(items(parse(data)), None)
    at = len(data) if first is None else _beginning(first)
    return top + data[:at] + rest + b"\n" + data[at:]


def with_bodies(data: bytes, first: str = "") -> bytes:
    """A stubbed file whose bodies run a statement, except constant ones, and return zeros."""
    data = _STUB_OF_IMPL.sub(first.encode(), data)
    edits: list[tuple[int, int, str]] = []
    for node in descend(parse(data)):
        body = field(node, "body") if node.type == "function_item" else None
        if body is None or not _STUB.fullmatch(text(body)):
            continue
        equal = name_of(node) == "eq"
        edits.append((body.start_byte, body.end_byte, _body("" if _is_constant(node) else first, equal)))
    for start, end, code in sorted(edits, reverse=True):
        data = data[:start] + code.encode() + data[end:]
    return data


def _body(first: str, equal: bool) -> str:
    return f"{{ {first} {'true' if equal else ZERO} }}"


def _is_constant(function: Node) -> bool:
    return any(child.type == "function_modifiers" and b"const" in text(child) for child in function.children)


def _beginning(item: Node) -> int:
    """Where an item begins with the documentation in front of it."""
    start, before = item_start(item), item.prev_sibling
    while before is not None and before.type in {"attribute_item", "line_comment", "block_comment"}:
        if text(before).startswith((b"//!", b"/*!")):
            break
        start, before = before.start_byte, before.prev_sibling
    return start


def _planted(tree: Files, code: str, beside: Mapping[str, str]) -> Files | NotApplicable:
    if ENTRY not in tree:
        return NotApplicable(f"the library does not begin in {ENTRY}")
    sources = sorted(path for path in tree if path.startswith("src/") and path.endswith(".rs"))
    included = ", ".join(f'include_str!("{path.removeprefix("src/")}")' for path in sources)
    entry = in_front(tree[ENTRY].data, code.replace("{sources}", included))
    return {**tree, **_encoded(beside), ENTRY: File(entry)}


def _encoded(files: Mapping[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}
