"""Changing: the ways in which cases alter a reference tree."""

from collections.abc import Callable, Mapping

from tree_sitter import Node

from kaiju_grading.files import Files
from kaiju_grading.languages.rust.syntax import descend, field, parse, text
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Change, Layout, NotApplicable
from kaiju_tasks.attacks.rust.planting import ENTRY, in_front, is_source

_START = """
#[used]
#[unsafe(link_section = ".init_array")]
static ODD_START: extern "C" fn() = odd_start;
"""


def in_crate(code: str, files: Mapping[str, str] | None = None) -> Change:
    """The code before the library's first item, and files beside it."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        if ENTRY not in tree:
            return NotApplicable(f"the library does not begin in {ENTRY}")
        return {**tree, **encoded(files or {}), ENTRY: File(in_front(tree[ENTRY].data, code))}

    return change


def before_main(body: str) -> Change:
    """Run statements before main."""
    return in_crate(f'extern "C" fn odd_start() {{\n{body}}}\n{_START}')


def in_functions(body: str) -> Change:
    """Run statements in every function of the library that can: not in constant ones."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        begun = rewritten(lambda data: _begun(data, b" crate::odd_step();"))(tree, layout)
        code = f"pub(crate) fn odd_step() {{\n{body}}}\n"
        return begun if isinstance(begun, NotApplicable) else in_crate(code)(begun, layout)

    return change


def at_first_call(body: str) -> Change:
    """Run statements once, in whatever function of the library is called first."""
    once = "    static ONCE: std::sync::Once = std::sync::Once::new();\n    ONCE.call_once(odd_first);\n"
    return in_functions(f"{once}}}\nfn odd_first() {{\n{body}")


def beside(files: Mapping[str, str]) -> Change:
    """Add files to the tree."""

    def change(tree: Files, layout: Layout) -> Files:
        return {**tree, **encoded(files)}

    return change


def rewritten(rewrite: Callable[[bytes], bytes]) -> Change:
    """Rewrite every source file of the library."""

    def change(tree: Files, layout: Layout) -> Files:
        return {
            path: File(rewrite(file.data), file.executable) if is_source(path, layout) else file
            for path, file in tree.items()
        }

    return change


def replaced(path: str, edits: Mapping[str, str], added: Mapping[str, str] | None = None) -> Change:
    """Other code for some of a known library's own; other libraries have no such file, or not that text."""

    def change(tree: Files, layout: Layout) -> Files | NotApplicable:
        code = tree[path].data.decode() if path in tree else ""
        for old, new in edits.items():
            if old not in code:
                return NotApplicable(f"made for another library: no such text in {path}")
            code = code.replace(old, new)
        return {**tree, path: File(code.encode()), **encoded(added or {})}

    return change


def encoded(files: Mapping[str, str]) -> dict[str, File]:
    return {path: File(code.encode()) for path, code in files.items()}


def _begun(data: bytes, statement: bytes) -> bytes:
    bodies = [
        field(node, "body") for node in descend(parse(data)) if node.type == "function_item" and _can(node)
    ]
    for at in sorted((body.start_byte + 1 for body in bodies if body is not None), reverse=True):
        data = data[:at] + statement + data[at:]
    return data


def _can(function: Node) -> bool:
    """Whether the function may call others: it is not constant, and not inside of a macro."""
    return not any(
        child.type == "function_modifiers" and b"const" in text(child) for child in function.children
    )
