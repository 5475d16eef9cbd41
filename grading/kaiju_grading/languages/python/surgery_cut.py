"""Cutting: a test file that keeps some units' tests, and everything else as it was written."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kaiju_grading.languages.python.surgery_literals import is_plain
from kaiju_grading.languages.python.surgery_source import Definition, Function, Source, blocks, first_line


class CutError(ValueError):
    """A file that cannot be cut: it is not UTF-8 or not Python."""


def cut(path: str, data: bytes, units: frozenset[str]) -> bytes:
    """The file without the tests of other units.

    Imports, fixtures, helpers and formatting stay. Constants of the module that only removed tests used go
    with them: they may hold expected values. Raises CutError.
    """
    source = Source.parse(path, data)
    if source is None:
        raise CutError(f"{path} is not a Python file in UTF-8")
    plan = _Plan(source, units)
    plan.visit(source.tree.body, path, nested=False)
    plan.drop_constants()
    result = plan.result()
    if Source.parse(path, result) is None:
        raise CutError(f"{path} is no Python file any more without the tests of other units")
    return result


@dataclass(slots=True)
class _Plan:
    source: Source
    units: frozenset[str]
    removed: list[ast.stmt] = field(default_factory=list)
    emptied: set[int] = field(default_factory=set)
    """Of `removed`, by id: their block needs a `pass` in their place."""

    def visit(self, body: list[ast.stmt], prefix: str, *, nested: bool) -> None:
        """Mark what goes from one block; `prefix` is the unit so far."""
        before = len(self.removed)
        for statement in body:
            if isinstance(statement, Function):
                if _is_test(statement) and not self._kept(
                    f"{prefix}::{statement.name}", prefix, statement.name
                ):
                    self.removed.append(statement)
            elif isinstance(statement, ast.ClassDef):
                self._visit_class(statement, f"{prefix}::{statement.name}")
            else:
                for block in blocks(statement):
                    self.visit(block, prefix, nested=True)
        gone = set(map(id, self.removed[before:]))
        if nested and body and all(id(item) in gone for item in body):
            self.emptied.add(id(body[0]))

    def _visit_class(self, node: ast.ClassDef, unit: str) -> None:
        """A class of tests goes as a whole when none of its tests stays and nothing else names it."""
        if not _holds_tests(node):
            return
        kept = any(item == unit or item.startswith(unit + "::") for item in self.units)
        if not kept and not self._named_elsewhere(node):
            self.removed.append(node)
            return
        self.visit(node.body, unit, nested=True)

    def _kept(self, unit: str, prefix: str, name: str) -> bool:
        """Its own unit is kept, or that of a class that inherits it."""
        if unit in self.units:
            return True
        inherited = any(item.endswith(f"::{name}") for item in self.units)
        owner = prefix.rpartition("::")[2]
        return inherited and prefix != self.source.path and self._is_base(owner)

    def _is_base(self, name: str) -> bool:
        bases = [
            base
            for node in ast.walk(self.source.tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
        ]
        return any(isinstance(base, ast.Name) and base.id == name for base in bases)

    def _named_elsewhere(self, node: ast.ClassDef) -> bool:
        inside = set(map(id, ast.walk(node)))
        return any(
            isinstance(other, ast.Name) and other.id == node.name and id(other) not in inside
            for other in ast.walk(self.source.tree)
        )

    def drop_constants(self) -> None:
        """Constants of the module that removed tests used and nothing that stays does."""
        gone = {id(node) for statement in self.removed for node in ast.walk(statement)}
        used_there = {node.id for node in _names(self.removed)}
        used_here = {
            node.id
            for node in ast.walk(self.source.tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in gone
        }
        for statement in self.source.tree.body:
            if not isinstance(statement, ast.Assign) or not is_plain(statement.value):
                continue
            targets = {target.id for target in statement.targets if isinstance(target, ast.Name)}
            if len(targets) == len(statement.targets) and targets <= used_there and not targets & used_here:
                self.removed.append(statement)

    def result(self) -> bytes:
        data = bytearray(self.source.data)
        for statement in sorted(self.removed, key=lambda item: item.lineno, reverse=True):
            start, end = self._extent(statement)
            filling = b" " * statement.col_offset + b"pass\n" if id(statement) in self.emptied else b""
            data[start:end] = filling
        return bytes(data)

    def _extent(self, statement: ast.stmt) -> tuple[int, int]:
        """Whole lines: the statement, comments right above it, blank lines above those."""
        lines = self.source.data.splitlines(keepends=True)
        first, last = first_line(statement), statement.end_lineno or statement.lineno
        while first > 1 and _is_comment(lines[first - 2], statement.col_offset):
            first -= 1
        while first > 1 and not lines[first - 2].strip():
            first -= 1
        end = self.source.offset(last + 1, 0) if last < len(self.source.lines) else len(self.source.data)
        return self.source.offset(first, 0), end


def _names(statements: Iterable[ast.stmt]) -> Iterator[ast.Name]:
    for statement in statements:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Name))


def _is_comment(line: bytes, column: int) -> bool:
    return line[column : column + 1] == b"#" and not line[:column].strip()


def _is_test(node: Definition) -> bool:
    return node.name.startswith("test")


def _holds_tests(node: ast.ClassDef) -> bool:
    return any(isinstance(item, Function) and _is_test(item) for item in ast.walk(node))
