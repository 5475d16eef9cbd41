"""Habits: in which forms the tests of a file assert, and how often.

A complement is told by its form where the file hardly writes it: of tests that never say `not isinstance` the
one that does is altered.
"""

import ast
from collections import Counter
from functools import lru_cache

from kaiju_grading.languages.python.surgery_source import Source

RARE = 2
"""A form is at home where the file has one of it, or more, for so many of what it takes the place of."""
_ASKED = frozenset({"all", "any", "callable", "hasattr", "isinstance", "issubclass", "len"})
"""Functions of the language whose answers are asserted, each with habits of its own."""


def form_of_condition(test: ast.expr) -> str:
    """How a condition is asserted."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negated(form_of_condition(operand))
        case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=bool() as value)]):
            return f"is {value}"
        case ast.Compare(ops=[operator]):
            return type(operator).__name__
        case ast.Compare():
            return "chain"
        case ast.Call(func=ast.Name(id=name)) if name in _ASKED:
            return name
        case _:
            return "truth"


def negated(form: str) -> str:
    """The form with a `not` before it, or without."""
    return form.removeprefix("not ") if form.startswith("not ") else f"not {form}"


def at_home(source: Source, form: str, instead_of: str) -> bool:
    """Whether a form is no rare one where another usually stands."""
    habits = _habits(source)
    return habits[form] * RARE >= habits[instead_of] and habits[form] > 0


@lru_cache(maxsize=32)
def _habits(source: Source) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in ast.walk(source.tree):
        match node:
            case ast.Assert(test=ast.BoolOp(op=ast.And(), values=operands)):
                found.update(map(form_of_condition, operands))
            case ast.Assert(test=test):
                found[form_of_condition(test)] += 1
            case ast.Call(func=ast.Attribute(attr=attr)) if attr.startswith("assert"):
                found[attr] += 1
    return found
