"""Imports of a set of files, read from their syntax trees: what must be there, and what may be."""

import ast
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from kaiju_grading.files import Files
from kaiju_sandbox.command import File

_GUARD = re.compile(r"TYPE_CHECKING|version_info|\bPY[23]|platform|os\.name|implementation")
"""Conditions under which an import is not for every system."""
_HELPER = re.compile(r"(^|_)tests?(_|$)")
"""A module of such a name lies beside the tests; nobody publishes it."""
_STARTS = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests?|conftest)\.py$")

_TABLE = 1000
"""Elements of a display that is a table of data."""
_FILTERS = Lock()


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module. `level` counts the leading dots of a relative import."""

    module: str
    names: tuple[str, ...]
    level: int
    optional: bool
    """Inside a `try` that survives its absence, a function, or a guard for type checkers."""

    @property
    def top(self) -> str:
        return self.module.split(".", 1)[0]


@dataclass(frozen=True, slots=True)
class Scope:
    """The outside modules that library and tests import, and what the tests ask of the runner."""

    library: frozenset[str]
    """Top-level names that the library needs at import."""
    tests: frozenset[str]
    optional: frozenset[str]
    """Names that either may do without."""
    arguments: frozenset[str]
    """Parameter names of test functions: fixtures, some of them from plugins."""
    marks: frozenset[str]
    """Names `x` of `pytest.mark.x`."""
    bare: bool
    """A test imports a helper of its folder by its bare name."""

    @classmethod
    def of(cls, library: Files, tests: Files, packages: Iterable[str]) -> "Scope":
        own = {*packages, *sys.stdlib_module_names, "__future__"}
        helpers = _helper_names(tests)
        required, optional = _tops(library)
        running = reachable(tests)
        test_required, test_optional = _tops(running)
        local = own | helpers.keys()
        found = [use for path in running if path.endswith(".py") and (use := _uses(tests[path].data))]
        return cls(
            library=frozenset(required - own),
            tests=frozenset(test_required - local),
            optional=frozenset((optional | test_optional) - local),
            arguments=frozenset[str]().union(*(use.arguments for use in found)),
            marks=frozenset[str]().union(*(use.marks for use in found)),
            bare=any(helpers.get(name, "") for name in (test_required | test_optional) - own),
        )


def _is_module(path: str, name: str) -> bool:
    return path.endswith((f"/{name}.py", f"/{name}/__init__.py")) or path in {
        f"{name}.py",
        f"{name}/__init__.py",
    }


def _is_mark(node: ast.Attribute) -> bool:
    owner = node.value
    name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
    return name == "mark"


@contextmanager
def quietly() -> Iterator[None]:
    """Without Python's warnings about upstream's text. Filters belong to a process: one thread at a time."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def parse(data: bytes) -> ast.Module | None:
    """None for a file that is not Python of this version; test data sometimes is not, on purpose."""
    with quietly():
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            return None


def imports_of(data: bytes) -> tuple[Import, ...] | None:
    """Every import of a file; None when it does not parse."""
    uses = _uses(data)
    return None if uses is None else uses.imports


@dataclass(frozen=True, slots=True)
class _Uses:
    """What one file asks for."""

    imports: tuple[Import, ...]
    arguments: frozenset[str]
    marks: frozenset[str]


@lru_cache(maxsize=4096)  # several rules ask about the same file, and some test data is large
def _uses(data: bytes) -> _Uses | None:
    tree = parse(data)
    if tree is None:
        return None
    visitor = _Visitor()
    visitor.visit(tree)
    return _Uses(tuple(visitor.found), frozenset(visitor.arguments), frozenset(visitor.marks))


def reachable(tests: Files) -> Files:
    """Test files, conftest files, and what they import of their own: other Python there is data."""
    names: dict[str, list[str]] = {}
    for path in tests:
        if path.endswith(".py"):
            stem = path.removesuffix("/__init__.py").removesuffix(".py").rsplit("/", 1)[-1]
            names.setdefault(stem, []).append(path)
    waiting = [path for path in sorted(tests) if _STARTS.search(path)]
    found: dict[str, File] = {}
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = tests[path]
            for item in imports_of(tests[path].data) or ():
                for part in {*item.module.split("."), *item.names}:
                    waiting += names.get(part, [])
    return found


def missing_helpers(path: str, found: Iterable[Import], available: Files) -> list[str]:
    """Modules of the test file's own folders that it imports and that are not there."""
    folder = path.split("/")[:-1]
    missing: list[str] = []
    for item in found:
        if item.optional:
            continue
        if item.level:
            base = folder[: len(folder) - item.level + 1]
        elif folder and item.top == folder[0]:
            base = []
        elif _HELPER.search(item.top) and not any(_is_module(other, item.top) for other in available):
            missing.append(item.top)
            continue
        else:
            continue
        parts = [*base, *(item.module.split(".") if item.module else [])]
        if not _exists(parts, available):
            missing.append(".".join(parts))
        missing += [".".join([*parts, name]) for name in item.names if not _gives(parts, name, available)]
    return missing


def _gives(parts: list[str], name: str, available: Files) -> bool:
    """Whether `from parts import name` can work: a module, or a name that the package mentions."""
    place = "/".join(parts)
    if name == "*" or place + ".py" in available or _exists([*parts, name], available):
        return True
    package = available.get(f"{place}/__init__.py")
    return package is not None and (name.encode() in package.data or b"*" in package.data)


def _exists(parts: list[str], available: Files) -> bool:
    place = "/".join(parts)
    return not place or place + ".py" in available or any(path.startswith(place + "/") for path in available)


def _helper_names(tests: Files) -> dict[str, str]:
    """Names that tests may import from beside themselves; the value is the folder for a bare import."""
    names: dict[str, str] = {}
    for path in tests:
        parts = path.split("/")
        names.setdefault(parts[0].removesuffix(".py"), "")
        if path.endswith(".py") and len(parts) > 1:
            names.setdefault(parts[-1].removesuffix(".py"), "/".join(parts[:-1]))
    return names


def _tops(files: Files) -> tuple[set[str], set[str]]:
    required: set[str] = set()
    optional: set[str] = set()
    for path in sorted(files):
        for item in (imports_of(files[path].data) or ()) if path.endswith(".py") else ():
            if item.level == 0 and item.module:
                (optional if item.optional else required).add(item.top)
    return required, optional - required


class _Visitor(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: list[Import] = []
        self.arguments: set[str] = set()
        self.marks: set[str] = set()
        self._guards = 0

    def visit(self, node: ast.AST) -> None:
        # A table of data imports nothing, and may have a million nodes.
        if not (isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > _TABLE):
            super().visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self.arguments.add(node.arg)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if _is_mark(node):
            self.marks.add(node.attr)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.found.append(Import(alias.name, (), 0, optional=self._guards > 0))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        names = tuple(alias.name for alias in node.names)
        self.found.append(Import(node.module or "", names, node.level, optional=self._guards > 0))

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        literal = node.args[0] if node.args else None
        name = literal.value if isinstance(literal, ast.Constant) else None
        if called.endswith(("importorskip", "import_module")) and isinstance(name, str):
            self.found.append(Import(name, (), 0, optional=True))
        self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        if any(_survives(handler) for handler in node.handlers):
            self._guarded(node)
        else:
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if _GUARD.search(ast.unparse(node.test)):
            self._guarded(node)
        else:
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._guarded(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._guarded(node)

    def _guarded(self, node: ast.AST) -> None:
        self._guards += 1
        self.generic_visit(node)
        self._guards -= 1


def _survives(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = ast.unparse(handler.type)
    return any(name in caught for name in ("ImportError", "ModuleNotFoundError", "Exception"))
