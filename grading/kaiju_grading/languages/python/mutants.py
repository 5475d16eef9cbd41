"""Mutants: small mistakes in Python source, made between the positions that its parser tells."""

import ast
import re
from collections.abc import Iterator

from kaiju_grading.assay import Mutant
from kaiju_grading.languages.python.imports import parse

_SWAPS = {
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
_OPERATOR = re.compile(rb"==|!=|<=|>=|<|>|\bnot\s+in\b|\bis\s+not\b|\bin\b|\bis\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_mutants(source: bytes) -> Iterator[Mutant]:
    """A swapped comparison, a number one too large, a negated condition, a return before anything is done."""
    tree = parse(source)
    if tree is not None and not source.startswith(b"\xef\xbb\xbf"):
        yield from sorted(_Finder(source).within(tree, ""), key=lambda mutant: (mutant.start, mutant.kind))


class _Finder:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.lines = [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", source))]

    def within(self, node: ast.AST, body: str) -> Iterator[Mutant]:
        """Of everything inside of `node`; nothing outside of functions."""
        for child in ast.iter_child_nodes(node):
            name = body
            if isinstance(child, ast.JoinedStr):
                continue  # positions inside of one are not told by every version of Python
            if isinstance(child, Function | ast.ClassDef):
                name = f"{body}.{child.name}".lstrip(".")
            if isinstance(child, Function):
                yield from self._early(child, name)
                for statement in child.body:
                    yield from self._of(statement, name)
                    yield from self.within(statement, name)
                continue
            if isinstance(node, ast.Module | ast.ClassDef) and not isinstance(child, ast.ClassDef):
                continue
            yield from self._of(child, name)
            yield from self.within(child, name)

    def _of(self, node: ast.AST, body: str) -> Iterator[Mutant]:
        match node:
            case ast.Compare(left=left, ops=[_], comparators=[right]):
                start, end = self._end(left), self._start(right)
                found = _OPERATOR.search(self.source, start, end)
                if found:
                    swapped = _SWAPS[b" ".join(found[0].split()).decode()]
                    yield Mutant(*found.span(), swapped, body, "comparison")
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                yield Mutant(self._start(node), self._end(node), str(value + 1), body, "constant")
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                start, end = self._start(test), self._end(test)
                yield Mutant(start, end, f"(not ({self.source[start:end].decode()}))", body, "condition")

    def _early(self, function: Function, body: str) -> Iterator[Mutant]:
        """Before the first statement that is no docstring, if that stands on a line of its own."""
        first = next((statement for statement in function.body if not is_text(statement)), None)
        if first is None or isinstance(first, ast.Pass | ast.Return | ast.ClassDef | Function):
            return
        start = self._start(first)
        indent = self.source[self.lines[first.lineno - 1] : start]
        if not indent.strip():
            yield Mutant(start, start, f"return None\n{indent.decode()}", body, "early return")

    def _start(self, node: ast.stmt | ast.expr) -> int:
        return self.lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None  # the parser sets both
        assert node.end_col_offset is not None
        return self.lines[node.end_lineno - 1] + node.end_col_offset


def is_text(statement: ast.stmt) -> bool:
    """Whether it is a constant alone: a docstring, or `...`."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
