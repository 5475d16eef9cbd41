"""Complements: what holds exactly where an assertion does not, in a form that tests are written in."""

import ast
import re
from dataclasses import dataclass

from kaiju_grading.languages.python.surgery_habits import at_home, form_of_condition, negated
from kaiju_grading.languages.python.surgery_source import Source
from kaiju_grading.suite import Site, SiteKind


@dataclass(frozen=True, slots=True)
class Complement:
    """A negation of one assertion."""

    site: Site
    natural: bool = True
    """Whether people write it so: `assert not 1 < x < 3` shows by its form that it was made."""
    usual: bool = True
    """Whether the file writes it so about as often as what it takes the place of."""


@dataclass(frozen=True, slots=True)
class _Operator:
    pattern: bytes
    replacement: str
    kind: SiteKind
    exact: bool = True
    """Not exact: a class may answer both, each with no regard to the other."""


_OPERATORS = {
    ast.In: _Operator(rb"\bin\b", "not in", SiteKind.IN),
    ast.NotIn: _Operator(rb"\bnot\s+in\b", "in", SiteKind.IN),
    ast.Is: _Operator(rb"\bis\b", "is not", SiteKind.IS),
    ast.IsNot: _Operator(rb"\bis\s+not\b", "is", SiteKind.IS),
    ast.Eq: _Operator(rb"==", "!=", SiteKind.EQUAL, exact=False),
    ast.NotEq: _Operator(rb"!=", "==", SiteKind.BOOL, exact=False),
    ast.Lt: _Operator(rb"<", ">=", SiteKind.BOOL, exact=False),
    ast.LtE: _Operator(rb"<=", ">", SiteKind.BOOL, exact=False),
    ast.Gt: _Operator(rb">", "<=", SiteKind.BOOL, exact=False),
    ast.GtE: _Operator(rb">=", "<", SiteKind.BOOL, exact=False),
}
_OTHER = {
    "Eq": "NotEq",
    "Gt": "LtE",
    "GtE": "Lt",
    "In": "NotIn",
    "Is": "IsNot",
    "IsNot": "Is",
    "Lt": "GtE",
    "LtE": "Gt",
    "NotEq": "Eq",
    "NotIn": "In",
    "is False": "is True",
    "is True": "is False",
}
"""By form: that of its complement."""
_METHODS = {
    "assertEqual": ("assertNotEqual", SiteKind.EQUAL, False),
    "assertFalse": ("assertTrue", SiteKind.BOOL, True),
    "assertGreater": ("assertLessEqual", SiteKind.BOOL, False),
    "assertGreaterEqual": ("assertLess", SiteKind.BOOL, False),
    "assertIn": ("assertNotIn", SiteKind.IN, True),
    "assertIs": ("assertIsNot", SiteKind.IS, True),
    "assertIsInstance": ("assertNotIsInstance", SiteKind.BOOL, True),
    "assertIsNone": ("assertIsNotNone", SiteKind.IS, True),
    "assertIsNot": ("assertIs", SiteKind.IS, True),
    "assertIsNotNone": ("assertIsNone", SiteKind.IS, True),
    "assertLess": ("assertGreaterEqual", SiteKind.BOOL, False),
    "assertLessEqual": ("assertGreater", SiteKind.BOOL, False),
    "assertNotEqual": ("assertEqual", SiteKind.BOOL, False),
    "assertNotIn": ("assertIn", SiteKind.IN, True),
    "assertNotIsInstance": ("assertIsInstance", SiteKind.BOOL, True),
    "assertTrue": ("assertFalse", SiteKind.BOOL, True),
}
"""What another method asserts instead, and whether it does so exactly where this one does not."""


def of_method(source: Source, call: ast.Call) -> Complement | None:
    """Of `self.assertX(...)`: the method's name alone changes."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in _METHODS or not call.args:
        return None
    name, kind, exact = _METHODS[function.attr]
    end = source.span(function)[1]
    start = end - len(function.attr)
    site = Site(source.path, start, end, name, kind, weak=True, conditional=not exact)
    return Complement(site, usual=at_home(source, name, function.attr))


def of_condition(source: Source, test: ast.expr) -> Complement | None:
    """Of `assert test`; None where a `not` in front of it would negate something else."""
    if isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda | ast.NamedExpr):
        return None
    start, _ = source.span(test)
    form = form_of_condition(test)
    usual = at_home(source, negated(form), form)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        match = re.compile(rb"not[ \t]*").match(source.data, start)
        assert match is not None
        return Complement(Site(source.path, start, match.end(), "", SiteKind.BOOL, weak=True), usual=usual)
    compared = isinstance(test, ast.Compare)
    site = _operator(source, test) if isinstance(test, ast.Compare) and len(test.ops) == 1 else None
    if site is not None:
        return Complement(site, usual=at_home(source, _OTHER.get(form, form), form))
    equal = isinstance(test, ast.Compare) and all(isinstance(operator, ast.Eq) for operator in test.ops)
    kind = SiteKind.EQUAL if equal else SiteKind.BOOL
    return Complement(
        Site(source.path, start, start, "not ", kind, weak=True), natural=not compared, usual=usual
    )


def _operator(source: Source, test: ast.Compare) -> Site | None:
    """The other operator, or the other constant of `is True`."""
    right = test.comparators[0]
    begin, end = source.span(test.left)[1], source.span(right)[0]
    if isinstance(test.ops[0], ast.Is) and isinstance(right, ast.Constant) and isinstance(right.value, bool):
        start, stop = source.span(right)
        return Site(source.path, start, stop, str(not right.value), SiteKind.IS, weak=True)
    form = _OPERATORS[type(test.ops[0])]
    between = source.data[begin:end]
    match = re.search(form.pattern, between)
    if match is None or b"#" in between:
        return None
    return Site(
        path=source.path,
        start=begin + match.start(),
        end=begin + match.end(),
        replacement=form.replacement,
        kind=form.kind,
        weak=True,
        conditional=not form.exact,
    )
