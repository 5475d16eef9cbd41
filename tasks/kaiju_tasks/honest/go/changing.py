"""Changing: the ways in which cases alter a reference tree."""

import re
from collections.abc import Callable, Mapping

from kaiju_grading.files import Files
from kaiju_grading.languages.go.syntax import root_of, walk
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout, NotApplicable
from kaiju_tasks.attacks.go.planting import everywhere, is_source

FILE = "odd_things.go"
_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})


def in_packages(files: Mapping[str, str]) -> Change:
    """Add files to every package of the library, `{package}` standing for its name."""

    def change(tree: Files, layout: Layout) -> Files:
        return {**tree, **everywhere(tree, files)}

    return change


def at_init(code: str) -> Change:
    """Add a file of the code to every package, its own name and a package clause in front."""
    return in_packages({FILE: "package {package}\n\n" + code})


def beside(files: Mapping[str, str]) -> Change:
    """Add files to the tree, `{module}` in them standing for the module's path."""

    def change(tree: Files, layout: Layout) -> Files:
        module = module_of(tree)
        return {
            **tree,
            **{path: File(text.replace("{module}", module).encode()) for path, text in files.items()},
        }

    return change


def rewritten(rewrite: Callable[[bytes], bytes]) -> Change:
    """Rewrite every source file of the library."""

    def change(tree: Files, layout: Layout) -> Files:
        return {
            path: File(rewrite(file.data), file.executable) if is_source(path) else file
            for path, file in tree.items()
        }

    return change


def in_functions(statement: str, code: str) -> Change:
    """Begin every function of the library with the statement; the code stands in each package."""

    def begun(data: bytes) -> bytes:
        bodies = [node.child_by_field_name("body") for node in walk(root_of(data)) if node.type in _FUNCTIONS]
        for at in sorted((body.start_byte + 1 for body in bodies if body is not None), reverse=True):
            data = data[:at] + f" {statement};".encode() + data[at:]
        return data

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        changed = rewritten(begun)(tree, layout)
        return changed if isinstance(changed, NotApplicable) else at_init(code)(changed, layout)

    return change


def replaced(path: str, edits: Mapping[str, str], added: Mapping[str, str] | None = None) -> Change:
    """Other code for some of a known library's own; other libraries have no such file, or not that text."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        text = tree[path].data.decode() if path in tree else ""
        for old, new in edits.items():
            if old not in text:
                return NotApplicable(f"made for another library: no such text in {path}")
            text = text.replace(old, new)
        more = {name: File(code.encode()) for name, code in (added or {}).items()}
        return {**tree, path: File(text.encode()), **more}

    return change


def module_of(tree: Files) -> str:
    """The module's path, as go.mod has it; empty without one."""
    found = _MODULE.search(tree["go.mod"].data) if "go.mod" in tree else None
    return found.group(1).decode().strip('"') if found else ""
