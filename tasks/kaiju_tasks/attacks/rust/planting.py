"""Planting: an attack's code put into a stub tree. The code itself is in `trees/`, as it is handed in.

Each tree is a whole `src/lib.rs` of the toy library that the tests of attacks use. In any other library, what
stands in it before the toy's own functions is put in front of the stub.
"""

from collections.abc import Mapping
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout

_TREES = Path(__file__).with_name("trees")
_ENTRY = "src/lib.rs"
_TOY = b"//! A toy library"
_OWN = "pub fn add("


def payload(name: str) -> str:
    return (_TREES / f"{name}.rs").read_text("utf-8")


def planted(name: str, beside: Mapping[str, str] | None = None) -> Change:
    """The code in the library's first file; `beside` has further files by path."""

    def change(tree: Files, layout: Layout) -> Files:
        added = {path: File(text.encode()) for path, text in (beside or {}).items()}
        return {**tree, **added, _ENTRY: _entry(tree, payload(name))}

    return change


def beside(files: Mapping[str, str]) -> Change:
    """Files that steer a tool, and the stub as it is."""

    def change(tree: Files, layout: Layout) -> Files:
        return {**tree, **{path: File(text.encode()) for path, text in files.items()}}

    return change


def _entry(tree: Files, code: str) -> File:
    stub = tree[_ENTRY].data if _ENTRY in tree else b""
    if stub.startswith(_TOY):
        return File(code.encode())
    head = "\n".join(line for line in code.partition(_OWN)[0].splitlines() if not line.startswith("//!"))
    # Inner attributes and documentation of the crate have to stay in front.
    lines = stub.decode(errors="replace").splitlines(keepends=True)
    after = next(
        (at for at, line in enumerate(lines) if line.strip() and line[:3] not in {"//!", "#!["}), len(lines)
    )
    return File("".join([*lines[:after], head, "\n", *lines[after:]]).encode())
