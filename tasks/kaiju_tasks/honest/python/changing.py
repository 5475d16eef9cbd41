"""Changing: the ways in which cases alter a reference tree."""

from collections.abc import Callable, Mapping

from kaiju_grading.files import Files, under
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout, NotApplicable
from kaiju_tasks.attacks.python.planting import entry, in_front


def at_import(code: str) -> Change:
    """Run the code when the library is imported, before its own."""

    def change(tree: Files, layout: Layout) -> Files:
        path = entry(tree, layout)
        text = tree[path].data.decode("utf-8-sig") if path in tree else ""
        return {**tree, path: File(in_front(text, code).encode())}

    return change


def in_package(files: Mapping[str, str], code: str = "") -> Change:
    """Add files to the library's first package, and run the code when it is imported."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        root = layout.roots[0]
        if root.endswith(".py"):
            return NotApplicable("the library is a single file")
        added = {f"{root}/{path}": File(text.encode()) for path, text in files.items()}
        changed = at_import(code.replace("{package}", layout.packages[0]))(tree, layout) if code else tree
        return changed if isinstance(changed, NotApplicable) else {**changed, **added}

    return change


def beside(files: Mapping[str, str]) -> Change:
    """Add files to the tree, `{root}` standing for the library's first folder."""

    def change(tree: Files, layout: Layout) -> Files:
        root = layout.roots[0]
        folder = root.rpartition("/")[0] if root.endswith(".py") else root
        return {
            **tree,
            **{path.replace("{root}", folder): File(text.encode()) for path, text in files.items()},
        }

    return change


def rewritten(rewrite: Callable[[bytes], bytes]) -> Change:
    """Rewrite every source file of the library."""

    def change(tree: Files, layout: Layout) -> Files:
        return {
            path: File(rewrite(file.data), file.executable)
            if path.endswith(".py") and under(path, layout.roots)
            else file
            for path, file in tree.items()
        }

    return change


def replaced(path: str, edits: Mapping[str, str]) -> Change:
    """Other code for some of a known library's own; other libraries have no such file, or not that text."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        text = tree[path].data.decode() if path in tree else ""
        for old, new in edits.items():
            if old not in text:
                return NotApplicable(f"made for another library: no such text in {path}")
            text = text.replace(old, new)
        return {**tree, path: File(text.encode())}

    return change
