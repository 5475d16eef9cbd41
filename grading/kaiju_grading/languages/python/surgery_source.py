"""A test file as source: its tree, byte offsets, comments, and where the code of a unit is defined."""

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from kaiju_grading.files import Files
from kaiju_grading.languages.python.imports import parse

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
_BOM = b"\xef\xbb\xbf"
_MAX_DEPTH = 8
"""Imports and base classes that are followed one after another."""


@dataclass(frozen=True)
class Source:
    """One parsed file. Offsets of `ast` are UTF-8 bytes, so only UTF-8 files without a mark are parsed."""

    path: str
    data: bytes = field(repr=False)
    tree: ast.Module = field(repr=False)
    secret: str = field(default="", repr=False)
    """Goes into what is drawn: code under test that reads a file must not be able to draw again."""

    @classmethod
    def parse(cls, path: str, data: bytes, secret: str = "") -> "Source | None":
        """None when the file is not UTF-8 or not Python."""
        if data.startswith(_BOM):
            return None
        try:
            data.decode()
            tree = parse(data)
        except (UnicodeDecodeError, MemoryError):
            return None
        return None if tree is None else cls(path, data, tree, secret)

    @cached_property
    def lines(self) -> list[int]:
        """Offset of each line, by Python's idea of a line."""
        return [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", self.data))]

    def line(self, offset: int) -> int:
        """The index of the line that holds a byte."""
        return bisect_right(self.lines, offset) - 1

    def offset(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.offset(node.lineno, node.col_offset)
        return start, self.offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """Line and text of each comment."""
        try:
            tokens = list(tokenize.tokenize(io.BytesIO(self.data).readline))
        except (tokenize.TokenError, SyntaxError):
            return []
        return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]

    def remarks(self, definition: Definition) -> str:
        """Comments and docstring of a definition: what could repeat a value that is altered."""
        start = first_line(definition)
        end = definition.end_lineno or start
        found = [text for line, text in self.comments if start - 1 <= line <= end]
        return "\n".join([*found, ast.get_docstring(definition, clean=False) or ""])


def first_line(node: ast.stmt) -> int:
    """The line where a statement starts, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def walk_here(node: ast.AST) -> Iterator[ast.AST]:
    """Everything below a node, but not the inside of nested functions, classes and lambdas."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from walk_here(child)


def blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The statement lists directly inside a compound statement that defines no scope."""
    if not isinstance(statement, ast.If | ast.Try | ast.With):
        return []
    found = [statement.body, getattr(statement, "orelse", []), getattr(statement, "finalbody", [])]
    return [*found, *(handler.body for handler in getattr(statement, "handlers", []))]


def definitions(body: Iterable[ast.stmt]) -> Iterator[Definition]:
    """Functions and classes of a scope, those under `if`, `try` and `with` too."""
    for statement in body:
        if isinstance(statement, Definition):
            yield statement
        for block in blocks(statement):
            yield from definitions(block)


@dataclass(frozen=True, slots=True)
class Defined:
    """A function, and the file that holds it."""

    source: Source
    function: Function
    in_class: ast.ClassDef | None
    equals: frozenset[str] = frozenset()
    """Functions known in that file that assert that their first two arguments are equal."""


def is_generator(defined: Defined) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk_here(defined.function))


@dataclass(frozen=True)
class Sources:
    """The test files of a task, each parsed when something of it is asked for: some are megabytes of data."""

    files: Files = field(repr=False)
    secret: str = field(default="", repr=False)
    _parsed: dict[str, Source | None] = field(default_factory=dict, repr=False)
    _equals: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def at(self, path: str) -> Source | None:
        """None where there is no file, or none that can be parsed."""
        if path not in self._parsed:
            usable = path in self.files and path.endswith(".py")
            self._parsed[path] = Source.parse(path, self.files[path].data, self.secret) if usable else None
        return self._parsed[path]

    def find(self, unit: str) -> Defined | None:
        """Where the code of a unit is: in its file, in a base class, or where either was imported from."""
        found = self._find(unit)
        return None if found is None else replace(found, equals=self._comparers(found.source))

    def _comparers(self, source: Source) -> frozenset[str]:
        if source.path not in self._equals:
            calls = (node.value for node in ast.walk(source.tree) if isinstance(node, ast.Expr))
            names = {
                node.func.id
                for node in calls
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            found = ((name, self._resolve(source, name)) for name in names)
            self._equals[source.path] = frozenset(
                name for name, place in found if place is not None and asserts_equal(place[1])
            )
        return self._equals[source.path]

    def _find(self, unit: str) -> Defined | None:
        path, separator, rest = unit.partition("::")
        source = self.at(path)
        if source is None or not separator:
            return None
        *classes, name = rest.split("::")
        if not classes:
            return _as_function(self._resolve(source, name))
        owner = self._resolve(source, classes[0])
        for inner in classes[1:]:
            body = owner[1].body if owner is not None else []
            nested = _only(definitions(body), inner)
            owner = (owner[0], nested) if owner is not None and nested is not None else None
        if owner is None or not isinstance(owner[1], ast.ClassDef):
            return None
        return self._method(owner[0], owner[1], name, depth=0)

    def _method(self, source: Source, owner: ast.ClassDef, name: str, depth: int) -> Defined | None:
        own = [item for item in definitions(owner.body) if item.name == name]
        if own:
            function = _only(own, name)
            return Defined(source, function, owner) if isinstance(function, Function) else None
        for base in owner.bases if depth < _MAX_DEPTH else ():
            found = self._named(source, base)
            if found is not None and isinstance(found[1], ast.ClassDef):
                method = self._method(found[0], found[1], name, depth + 1)
                if method is not None:
                    return method
        return None

    def _named(self, source: Source, node: ast.expr) -> tuple[Source, Definition] | None:
        """What `Name` or `module.Name` stands for."""
        if isinstance(node, ast.Name):
            return self._resolve(source, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            origin, name = _imported(source.tree, node.value.id)
            path = origin + ("" if not name or origin.endswith(".") else ".") + name
            module = self._module(source.path, path) if path else None
            return self._resolve(module, node.attr) if module is not None else None
        return None

    def _resolve(self, source: Source, name: str, depth: int = 0) -> tuple[Source, Definition] | None:
        """The definition of a name of a module, followed through imports."""
        local = _only(definitions(source.tree.body), name)
        if local is not None:
            return source, local
        origin, original = _imported(source.tree, name)
        other = self._module(source.path, origin) if origin else None
        return self._resolve(other, original, depth + 1) if other is not None and depth < _MAX_DEPTH else None

    def _module(self, importer: str, module: str) -> Source | None:
        folder = importer.rpartition("/")[0]
        dots = len(module) - len(module.lstrip("."))
        for _ in range(dots - 1):
            folder = folder.rpartition("/")[0]
        name = module.lstrip(".").replace(".", "/")
        beside = "/".join(part for part in (folder, name) if part)
        places = [beside] if dots else [beside, name]
        paths = (f"{place}{end}".lstrip("/") for place in places for end in (".py", "/__init__.py"))
        return next((source for path in paths if (source := self.at(path)) is not None), None)


def asserts_equal(definition: Definition) -> bool:
    """Whether it is a plain function that always asserts `==` of its first two parameters, as they came."""
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
        return False
    names = [argument.arg for argument in (*definition.args.posonlyargs, *definition.args.args)][:2]
    nodes = list(ast.walk(definition))
    changed = any(
        isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load)
        for node in nodes
    )
    left = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Await) for node in nodes)
    return (
        len(names) == 2
        and not changed
        and not left
        and any(_compares(node, names) for node in definition.body)
    )


def _compares(statement: ast.stmt, names: list[str]) -> bool:
    test = statement.test if isinstance(statement, ast.Assert) else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    return sorted(side.id for side in sides if isinstance(side, ast.Name)) == sorted(names)


def _as_function(found: tuple[Source, Definition] | None) -> Defined | None:
    if found is None or not isinstance(found[1], Function):
        return None
    return Defined(found[0], found[1], None)


def _imported(tree: ast.Module, name: str) -> tuple[str, str]:
    """(module, name there) of an imported name; leading dots as written; empty when it is not imported."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    return "." * statement.level + (statement.module or ""), alias.name
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    return alias.name, ""
    return "", ""


def _only(found: Iterable[Definition], name: str) -> Definition | None:
    """The one definition of that name; None when there is none or which one holds cannot be told."""
    named = [item for item in found if item.name == name]
    return named[0] if len(named) == 1 else None
