"""Private names: what of the library's inside its tests use, so that the specification can say what it is."""

import ast
from collections.abc import Iterable, Iterator

from kaiju_grading.files import Files
from kaiju_grading.languages.python.imports import parse
from kaiju_grading.languages.python.layout import import_folder
from kaiju_grading.preparation import Split


def find_private_names(split: Split, tests: Files) -> frozenset[str]:
    """`package.module:_name` and `package.module:Class._name` of each that is defined and used."""
    used = {name for path in tests if path.endswith(".py") for name in _used(tests[path].data)}
    return frozenset(
        f"{module}:{qualified}"
        for module, tree in library_trees(split).items()
        for qualified in private_definitions(module, tree)
        if _telling(qualified) <= used
    )


def _telling(qualified: str) -> set[str]:
    """The parts of a name that a user of it has to write: its last one, and every private one.

    A private member of a private class needs its own name alone: an object can be had without its class.
    """
    parts = qualified.split(".")
    if _is_private(parts[-1]):
        return {parts[-1]}
    return {parts[-1], *(part for part in parts if _is_private(part))}


def library_trees(split: Split) -> dict[str, ast.Module]:
    """Syntax trees of the library by dotted module name, sorted."""
    names = {module_name(path, split): path for path in sorted(split.library) if path.endswith(".py")}
    trees = {name: parse(split.library[path].data) for name, path in sorted(names.items()) if name}
    return {name: tree for name, tree in trees.items() if tree is not None}


def module_name(path: str, split: Split) -> str:
    """`src/simpy/core.py` -> `simpy.core`; empty for a path below no root."""
    root = next((root for root in split.roots if path == root or path.startswith(root + "/")), None)
    if root is None:
        return ""
    folder = import_folder(root)
    inside = path.removeprefix(folder + "/") if folder else path
    return inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def private_definitions(module: str, tree: ast.Module) -> Iterator[str]:
    """Qualified names that a reader of the public interface would not see."""
    hidden = _is_private(module)
    for scope, name in definitions(tree.body, ()):
        qualified = ".".join((*scope, name))
        if hidden or any(_is_private(part) for part in (*scope, name)):
            yield qualified


def definitions(body: Iterable[ast.stmt], scope: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """(scope, name) of what is not local to a function."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield scope, node.name
            yield from ((scope, name) for name in _set_on_self(node) if scope)
        elif isinstance(node, ast.ClassDef):
            yield scope, node.name
            yield from definitions(node.body, (*scope, node.name))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((scope, target.id) for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((scope, alias.asname) for alias in node.names if alias.asname)
        elif isinstance(node, ast.If | ast.Try):
            handlers = node.handlers if isinstance(node, ast.Try) else []
            caught = [statement for handler in handlers for statement in handler.body]
            yield from definitions([*node.body, *caught, *node.orelse], scope)


def _set_on_self(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Attributes that a method gives its instance: `self._x = ...`."""
    if not function.args.args:
        return
    instance = function.args.args[0].arg
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == instance:
            yield node.attr


def _used(data: bytes) -> Iterator[str]:
    """Every name that a test could mean: imported, an attribute, or given to getattr and patch as text."""
    tree = parse(data)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
            yield from (node.module or "").split(".")
        elif isinstance(node, ast.Import):
            yield from (part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (part for part in node.value.split(".") if part.isidentifier())


def _is_private(dotted: str) -> bool:
    last = dotted.rsplit(".", 1)[-1]
    return last.startswith("_") and not (last.startswith("__") and last.endswith("__"))
