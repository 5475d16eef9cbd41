"""The rewrite behind stubbing: one pass over a syntax tree that keeps every byte outside of bodies."""

from collections.abc import Mapping, Sequence

import libcst as cst

from kaiju_grading.languages.python.stub_bodies import (
    DOING_NOTHING,
    RAISING,
    RAISING_LAMBDA,
    UNREACHABLE_YIELD,
    code_lines,
    docstring_of,
    has_own_yield,
    is_trivial_body,
    is_trivial_lambda,
    last_name,
)
from kaiju_grading.preparation import FileAccount

LAMBDA = "<lambda>"


class Stubber(cst.CSTTransformer):
    """Bodies of functions become a raise; their signatures, decorators and docstrings stay as they are.

    Functions inside a kept body are stubbed, too, unless they are kept themselves, as `outer.inner`.
    A lambda outside of functions is named `<scope>.<lambda>#N`, N counting those of the file from 0 in the
    order of the text.
    """

    def __init__(self, keep: Mapping[str, str]) -> None:
        super().__init__()
        self._keep = keep
        self._scope: list[str] = []
        self._bodies: list[bool] = []
        """Of the functions around: whether each is kept."""
        self._lambda_names: list[str] = []
        self._lambdas_seen = 0
        self._stubbed: list[str] = []
        self._trivial: list[str] = []
        self._kept: dict[str, str] = {}
        self._kept_lambdas = 0
        self._body_lines = 0
        self._kept_lines = 0

    def account(self) -> FileAccount:
        return FileAccount(
            stubbed=tuple(self._stubbed),
            trivial=tuple(self._trivial),
            kept=dict(self._kept),
            lambdas=self._kept_lambdas,
            body_lines=self._body_lines,
            kept_lines=self._kept_lines,
        )

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._scope.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self._scope.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._scope.append(node.name.value)

    def visit_FunctionDef_body(self, node: cst.FunctionDef) -> None:
        self._bodies.append(".".join(self._scope) in self._keep)

    def leave_FunctionDef_body(self, node: cst.FunctionDef) -> None:
        self._bodies.pop()

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        name = ".".join(self._scope)
        self._scope.pop()
        if not all(self._bodies):
            return original_node  # goes with the body around it
        if is_trivial_body(original_node.body) or _is_overload(original_node.decorators):
            self._trivial.append(name)
            return updated_node.with_changes(body=original_node.body)
        lines = code_lines(original_node.body)
        self._body_lines += 0 if self._bodies else lines
        if name in self._keep:
            self._kept[name] = self._keep[name]
            self._kept_lines += 0 if self._bodies else lines
            return updated_node
        self._stubbed.append(name)
        self._kept_lines -= lines if self._bodies else 0
        return updated_node.with_changes(body=_stub_body(original_node))

    def visit_Lambda(self, node: cst.Lambda) -> None:
        if not self._bodies:
            self._lambda_names.append(".".join([*self._scope, f"{LAMBDA}#{self._lambdas_seen}"]))
            self._lambdas_seen += 1

    def leave_Lambda(self, original_node: cst.Lambda, updated_node: cst.Lambda) -> cst.Lambda:
        if self._bodies:
            return original_node
        name = self._lambda_names.pop()
        if is_trivial_lambda(original_node):
            return updated_node.with_changes(body=original_node.body)
        self._body_lines += 1
        if name in self._keep:
            self._kept[name] = self._keep[name]
            self._kept_lines += 1
            self._kept_lambdas += 1
            return updated_node.with_changes(body=original_node.body)
        self._stubbed.append(name)
        return updated_node.with_changes(body=RAISING_LAMBDA)


def _stub_body(function: cst.FunctionDef) -> cst.IndentedBlock:
    """Docstring, then a raise; a generator stays one by a yield that is never reached."""
    last: list[cst.SimpleStatementLine] = [RAISING]
    if function.name.value == "__del__":
        last = [DOING_NOTHING]  # runs from the collector, where an error is only noise
    elif has_own_yield(function.body):
        last = [RAISING, UNREACHABLE_YIELD]
    body = [*docstring_of(function), *last]
    if isinstance(function.body, cst.IndentedBlock):
        return function.body.with_changes(body=body, footer=())
    return cst.IndentedBlock(body=body)


def _is_overload(decorators: Sequence[cst.Decorator]) -> bool:
    return any(last_name(decorator.decorator) == "overload" for decorator in decorators)
