"""Planting: an attack's code put into a stub tree. The code itself is in `trees/`, as it is handed in."""

import re
from collections.abc import Mapping
from pathlib import Path

from tree_sitter import Node

from kaiju_grading.files import Files
from kaiju_grading.languages.go.syntax import read, root_of, walk
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout

_TREES = Path(__file__).with_name("trees")
_STUB = b'{ panic("not implemented") }'
FILE = "zz_attack.go"


def payload(name: str) -> str:
    return (_TREES / f"{name}.go.txt").read_text("utf-8")


def at_init(name: str) -> Change:
    """A file of the code in every package of the library; stubbed bodies return zero values."""

    def change(tree: Files, layout: Layout) -> Files:
        return {**_with_bodies(tree, ""), **everywhere(tree, {FILE: "package {package}\n\n" + payload(name)})}

    return change


def told(name: str) -> Change:
    """As `at_init`, for code that is told where the lures are: `{file}`, `{socket}`, `{port}`,
    `{variable}`."""

    def change(tree: Files, layout: Layout) -> Files:
        code = "package {package}\n\n" + layout.lures.named_in(payload(name))
        return {**_with_bodies(tree, ""), **everywhere(tree, {FILE: code})}

    return change


def answering(statement: str, imports: str = "") -> Change:
    """Every stubbed body runs the statement, and returns zero values."""

    def change(tree: Files, layout: Layout) -> Files:
        return _with_bodies(tree, statement, imports)

    return change


def beside(files: Mapping[str, str]) -> Change:
    """Add files; stubbed bodies return zero values. `{folder}` stands for the library's first folder."""

    def change(tree: Files, layout: Layout) -> Files:
        folder = next(iter(packages(tree)), ".")
        added = {
            path.replace("{folder}/", "" if folder == "." else f"{folder}/"): File(text.encode())
            for path, text in files.items()
        }
        return {**_with_bodies(tree, ""), **added}

    return change


def in_packages(files: Mapping[str, str]) -> Change:
    """Add files to every package, `{package}` standing for its name; stubbed bodies return zero values."""

    def change(tree: Files, layout: Layout) -> Files:
        return {**_with_bodies(tree, ""), **everywhere(tree, files)}

    return change


def everywhere(tree: Files, files: Mapping[str, str]) -> dict[str, File]:
    """The files for each package of a tree, `{package}` in them standing for its name."""
    return {
        path if folder == "." else f"{folder}/{path}": File(text.replace("{package}", name).encode())
        for folder, name in packages(tree).items()
        for path, text in files.items()
    }


def packages(tree: Files) -> dict[str, str]:
    """Names of packages by folder, the outermost first."""
    found: dict[str, str] = {}
    for path in sorted(tree, key=lambda path: (path.count("/"), path)):
        if is_source(path):
            found.setdefault(path.rpartition("/")[0] or ".", read(tree[path].data).package)
    return found


def is_source(path: str) -> bool:
    """Whether a file of a tree belongs to the library."""
    return path.endswith(".go") and not path.endswith("_test.go") and "testdata/" not in path


def _with_bodies(tree: Files, statement: str, imports: str = "") -> dict[str, File]:
    return {
        path: File(_answered(file.data, statement, imports), file.executable) if is_source(path) else file
        for path, file in tree.items()
    }


def _answered(data: bytes, statement: str, imports: str) -> bytes:
    edits: list[tuple[int, int, bytes]] = []
    for node in walk(root_of(data)):
        body = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
        if body is not None and data[body.start_byte : body.end_byte] == _STUB:
            edits.append((body.start_byte, body.end_byte, f"{{ {statement}\nreturn }}".encode()))
            edits += _named(node.child_by_field_name("result"), data)
    for start, end, text in sorted(edits, reverse=True):
        data = data[:start] + text + data[end:]
    if imports and edits:
        data = re.sub(rb"^(package \w+.*)$", rb"\1\n\n" + imports.encode(), data, count=1, flags=re.MULTILINE)
    return data


_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})


def _named(result: Node | None, data: bytes) -> list[tuple[int, int, bytes]]:
    """Names for results, so that a bare return gives their zero values."""
    if result is None:
        return []
    if result.type != "parameter_list":
        text = data[result.start_byte : result.end_byte]
        return [(result.start_byte, result.end_byte, b"(_ " + text + b")")]
    parameters = [node for node in result.named_children if node.type == "parameter_declaration"]
    if any(node.child_by_field_name("name") for node in parameters):
        return []
    return [(node.start_byte, node.start_byte, b"_ ") for node in parameters]
