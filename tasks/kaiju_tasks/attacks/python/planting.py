"""Planting: an attack's code put into a stub tree. The code itself is in `trees/`, as it is handed in."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path

from kaiju_grading.files import Files, under
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout

_TREES = Path(__file__).with_name("trees")
_STUB = re.compile(r"raise NotImplementedError\b(\([^\n]*\))?")
_ANSWER = 'return __import__("builtins").forged_answer()'
"""What stubbed bodies do in an attack that answers calls; its code defines the function."""


def payload(name: str) -> str:
    return (_TREES / f"{name}.py").read_text("utf-8")


def at_import(name: str, answer: str = "") -> Change:
    """Run the code when the library is imported; stubbed bodies return `answer`, an expression, if given."""

    def change(tree: Files, layout: Layout) -> Files:
        bodies = _with_bodies(tree, layout, f"return {answer}") if answer else tree
        return _planted(bodies, layout, payload(name))

    return change


def answering(name: str) -> Change:
    """Let every stubbed body return what the code's `forged_answer` gives."""

    def change(tree: Files, layout: Layout) -> Files:
        return _planted(_with_bodies(tree, layout, _ANSWER), layout, payload(name))

    return change


def told(name: str) -> Change:
    """Run code at import that is told where the lures are: `{file}`, `{socket}`, `{port}`, `{variable}`."""

    def change(tree: Files, layout: Layout) -> Files:
        return _planted(tree, layout, layout.lures.named_in(payload(name)))

    return change


def beside(files: Mapping[str, str]) -> Change:
    """Add files; `{package}` in a path stands for the library's first folder (or the tree's top)."""

    def change(tree: Files, layout: Layout) -> Files:
        root = layout.roots[0]
        folder = root.rpartition("/")[0] if root.endswith(".py") else root
        added = {
            path.replace("{package}", folder).lstrip("/"): File(text.encode()) for path, text in files.items()
        }
        return {**tree, **added}

    return change


def entry(tree: Files, layout: Layout) -> str:
    """The file that runs when the library is imported."""
    root = layout.roots[0]
    return root if root.endswith(".py") else f"{root}/__init__.py"


def in_front(text: str, code: str) -> str:
    """A source file with the code in front, but after `from __future__`, which has to come first."""
    future = [
        node.end_lineno or 0
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    lines = text.splitlines(keepends=True)
    after = max(future, default=0)
    return "".join([*lines[:after], code, "\n", *lines[after:]])


def _planted(tree: Files, layout: Layout, code: str) -> Files:
    path = entry(tree, layout)
    text = tree[path].data.decode() if path in tree else ""
    return {**tree, path: File(in_front(text, code).encode())}


def _with_bodies(tree: Files, layout: Layout, statement: str) -> Files:
    return {
        path: File(_STUB.sub(lambda _: statement, file.data.decode()).encode(), file.executable)
        if path.endswith(".py") and under(path, layout.roots)
        else file
        for path, file in tree.items()
    }
