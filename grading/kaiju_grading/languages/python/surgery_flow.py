"""Which statements of a test run in every run that passes, and which in those of the reference perhaps.

An altered assertion that another implementation skips passes twice. Where that can be, it must accuse nobody;
where the test itself leaves the choice (`if`, an exception that need not come), nothing is altered at all.
"""

import ast
from collections.abc import Iterator

from kaiju_grading.languages.python.surgery_source import Function, walk_here

RAISES = frozenset({"assertRaises", "assertRaisesRegex", "raises"})
_TRANSPARENT = frozenset(
    {
        *(
            "NamedTemporaryFile",
            "StringIO",
            "TemporaryDirectory",
            "assertLogs",
            "assertNoLogs",
            "assertWarns",
        ),
        *("assertWarnsRegex", "catch_warnings", "closing", "context", "deprecated_call", "dict", "disabled"),
        *("freeze_time", "isolated_filesystem", "multiple", "nullcontext", "object", "open", "patch"),
        *("redirect_stderr", "redirect_stdout", "subTest", "test", "warns"),
    }
)
"""Context managers of the standard library and of test tools that let an AssertionError through."""
_LEFT_EARLY = RAISES | {"suppress"}
"""Context managers whose body need not run to its end."""
_SWALLOWING = frozenset({"AssertionError", "BaseException", "Exception"})


def certain(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run, each of them, whenever the test passes."""
    for statement in body:
        yield statement
        yield from _inside(statement)
        if isinstance(statement, ast.Return) or _may_return(statement):
            return


def _inside(statement: ast.stmt) -> Iterator[ast.stmt]:
    match statement:
        case ast.With() | ast.AsyncWith() if _transparent(statement):
            yield from certain(statement.body)
        case ast.For() if _runs(statement.iter) and not _jumps(statement):
            yield from certain(statement.body)
        case ast.Try() if not _interferes(statement):
            yield from certain(statement.body)
            yield from certain(statement.finalbody)


def reached(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that may run before the test passes, those that do so by the test's own choice left out.

    Nested functions, loops and context managers of the library are part of it: whether they run is not known
    here, and shown by a run.
    """
    for statement in body:
        yield statement
        for block in _reached_blocks(statement):
            yield from reached(block)
        if isinstance(statement, ast.Return) or _may_return(statement):
            return


def _reached_blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.body]
        case ast.For() | ast.AsyncFor() | ast.While():
            return [statement.body, statement.orelse]
        case ast.With() | ast.AsyncWith():
            early = any(called_name(item.context_expr) in _LEFT_EARLY for item in statement.items)
            return [] if early else [statement.body]
        case ast.Try() if not _interferes(statement):
            demanded = _fails(statement.body) or _fails(statement.orelse)
            handlers = [handler.body for handler in statement.handlers] if demanded else []
            return [statement.body, *handlers, statement.finalbody]
        case _:
            return []


def _fails(block: list[ast.stmt]) -> bool:
    """Whether a block ends in a failure, so that it must not be left by its end."""
    match block[-1] if block else None:
        case ast.Raise() | ast.Assert(test=ast.Constant(value=False | 0)):
            return True
        case ast.Expr(value=ast.Call() as call):
            return called_name(call) == "fail"
        case _:
            return False


def _interferes(statement: ast.Try) -> bool:
    """Whether a failed assertion inside may not be the end of the test."""
    return any(_swallows(handler) for handler in statement.handlers) or _returns(statement.finalbody)


def _transparent(statement: ast.With | ast.AsyncWith) -> bool:
    return all(called_name(item.context_expr) in _TRANSPARENT for item in statement.items)


def called_name(node: ast.expr) -> str:
    """`raises` of `pytest.raises(...)`; empty when it is no call of a name."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _runs(iterable: ast.expr) -> bool:
    """Whether a loop over it runs at least once, whatever the library does."""
    if isinstance(iterable, ast.List | ast.Tuple):
        return any(not isinstance(item, ast.Starred) for item in iterable.elts)
    if called_name(iterable) == "range" and isinstance(iterable, ast.Call) and len(iterable.args) == 1:
        stop = iterable.args[0]
        return isinstance(stop, ast.Constant) and isinstance(stop.value, int) and stop.value > 0
    return False


def _jumps(loop: ast.For) -> bool:
    return any(isinstance(node, ast.Break | ast.Continue) for node in walk_here(loop))


def _swallows(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(not isinstance(name, ast.Name) or name.id in _SWALLOWING for name in named)


def _returns(body: list[ast.stmt]) -> bool:
    return any(isinstance(statement, ast.Return) or _may_return(statement) for statement in body)


def _may_return(statement: ast.stmt) -> bool:
    if isinstance(statement, Function | ast.ClassDef):
        return False
    return any(isinstance(node, ast.Return) for node in walk_here(statement))
