"""Assay: what Python offers the proof of a task."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from kaiju_grading.assay import Assay, Mutant, Named, Shake
from kaiju_grading.language import TestRun
from kaiju_grading.languages.python.imports import parse
from kaiju_grading.languages.python.mutants import find_mutants, is_text
from kaiju_grading.languages.python.private import definitions
from kaiju_grading.languages.python.shaken import shaken
from kaiju_sandbox.command import Command

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class PythonAssay:
    """See `kaiju_grading.assay.Assay`."""

    shakes: frozenset[Shake] = frozenset(Shake)

    def shaken(self, run: TestRun, shake: Shake, seed: int) -> Command:
        return shaken(run, shake, seed)

    def quiet(self, reference: bytes, stub: bytes) -> tuple[str, ...]:
        before = {name: _body(function) for name, function in functions(reference)}
        return tuple(
            name
            for name, function in functions(stub)
            if not _is_loud(function) and before.get(name) != _body(function)
        )

    def names(self, source: bytes) -> Named:
        tree = parse(source)
        if tree is None:
            return Named()
        declared = frozenset(name for _, name in definitions(tree.body, ())) - _only_read(tree)
        return Named(declared, frozenset(_used(tree)) - declared)

    def mutants(self, source: bytes) -> Iterator[Mutant]:
        return find_mutants(source)

    def is_source(self, path: str) -> bool:
        return path.endswith(".py")


ASSAY: Assay = PythonAssay()


def functions(source: bytes) -> Iterator[tuple[str, Function]]:
    """Every function by its qualified name; of a name with several, the n-th is `name#n`."""
    tree = parse(source)
    seen: dict[str, int] = {}
    todo: list[tuple[str, ast.AST]] = [("", tree)] if tree else []
    while todo:
        scope, node = todo.pop()
        if isinstance(node, ast.ClassDef | Function):
            scope = f"{scope}.{node.name}".lstrip(".")
        if isinstance(node, Function):
            seen[scope] = seen.get(scope, 0) + 1
            yield (scope if seen[scope] == 1 else f"{scope}#{seen[scope]}"), node
        todo += [(scope, child) for child in reversed(list(ast.iter_child_nodes(node)))]


def _is_loud(function: Function) -> bool:
    """Whether it raises before it does anything else. A finaliser runs where nobody would hear it."""
    body = [statement for statement in function.body if not is_text(statement)]
    if function.name == "__del__":
        return all(isinstance(statement, ast.Pass) for statement in body)
    return bool(body) and ast.unparse(body[0]) in {"raise NotImplementedError", "raise NotImplementedError()"}


def _body(function: Function) -> str:
    """What it says, functions inside of it excepted: they are looked at by themselves."""
    return "\n".join(_outline(statement) for statement in function.body)


def _outline(node: ast.AST) -> str:
    if isinstance(node, Function):
        return f"def {node.name}"
    inner = ", ".join(_outline(child) for child in ast.iter_child_nodes(node))
    said = "" if inner else ast.dump(node)
    plain = [str(value) for _, value in ast.iter_fields(node) if isinstance(value, str | int | float)]
    return f"{type(node).__name__}({' '.join(plain)} {said}{inner})"


def _only_read(tree: ast.Module) -> set[str]:
    """Members that some method reads of itself and none sets: they come from elsewhere."""
    members = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    written = {node.attr for node in members if not isinstance(node.ctx, ast.Load)}
    named = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | Function)}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return {node.attr for node in members} - written - named - bound


def _used(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
