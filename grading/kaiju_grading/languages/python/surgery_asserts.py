"""Assertions: what those of one test compare, what they expect to be raised, and their complements."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from kaiju_grading.languages.python.surgery_complements import Complement, of_condition, of_method
from kaiju_grading.languages.python.surgery_flow import RAISES, called_name, certain
from kaiju_grading.languages.python.surgery_literals import EXACT, Reading
from kaiju_grading.languages.python.surgery_raises import PLAIN_PATTERN, message_of
from kaiju_grading.languages.python.surgery_source import Defined, Source
from kaiju_grading.suite import SiteKind

EQUALS = frozenset(
    {
        *("assertCountEqual", "assertDictEqual", "assertEqual", "assertEquals", "assertListEqual"),
        *("assertMultiLineEqual", "assertSequenceEqual", "assertSetEqual", "assertTupleEqual"),
    }
)
_CALLED_WITH = frozenset({"assert_called_once_with", "assert_called_with"})


@dataclass(frozen=True, slots=True)
class Compared:
    """An expression whose value an assertion compares."""

    node: ast.expr
    kind: SiteKind
    reading: Reading = EXACT
    conditional: bool = False
    """See `Site.conditional`."""


@dataclass(slots=True)
class Assertions:
    """What the assertions among some statements of one test compare, and their complements."""

    source: Source
    expected: list[list[Compared]] = field(default_factory=list)
    """One entry an assertion: the sides of the comparison, the usual place of an expected value first."""
    complements: dict[int, Complement] = field(default_factory=dict)
    """By index of `expected`, or below zero for assertions without a comparison."""
    raised: list[ast.expr] = field(default_factory=list)
    equals: frozenset[str] = frozenset()
    """See `Defined.equals`."""

    @classmethod
    def of(cls, defined: Defined, statements: Iterable[ast.stmt]) -> "Assertions":
        found = cls(defined.source, equals=defined.equals)
        for statement in statements:
            found._add(statement)
        return found

    @classmethod
    def certain(cls, defined: Defined) -> "Assertions":
        """Those that every run of the test reaches which passes."""
        return cls.of(defined, certain(defined.function.body))

    def _add(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assert():
                self._test(statement.test)
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute()) as call)
                | ast.Expr(value=ast.Await(value=ast.Call(func=ast.Attribute()) as call))
            ):
                self._call(call)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if name in self.equals:
                sides = first_two(call)
                if sides:
                    self.expected.append([Compared(side, SiteKind.EQUAL) for side in sides])
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    self._raises(item.context_expr)

    def _raises(self, node: ast.expr) -> None:
        if not isinstance(node, ast.Call) or called_name(node) not in RAISES or not node.args:
            return
        self.raised.append(node.args[0])
        text = message_of(node)
        if text is not None:
            self.expected.append([Compared(text, SiteKind.RAISES, PLAIN_PATTERN, conditional=True)])

    def _call(self, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        method = call.func.attr
        if method in RAISES:
            self._raises(call)
        elif method in _CALLED_WITH and not any(isinstance(item, ast.Starred) for item in call.args):
            values = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg)]
            self.expected += [[Compared(value, SiteKind.HELPER)] for value in values]
        elif isinstance(call.func.value, ast.Name) and call.func.value.id == "self":
            self._own(call, method)

    def _own(self, call: ast.Call, method: str) -> None:
        """A call of one of the methods that `unittest` gives a test."""
        if method == "assertAlmostEqual" and len(call.args) >= 2:
            self._almost_equal(call)
        elif method in EQUALS and len(call.args) >= 2:
            self.expected.append([Compared(node, SiteKind.EQUAL) for node in reversed(call.args[:2])])
        elif method == "assertTrue" and call.args and values_of(call.args[0]):
            self.expected.append([Compared(node, SiteKind.EQUAL) for node in values_of(call.args[0])])
        self._complement(of_method(self.source, call))

    def _test(self, test: ast.expr) -> None:
        """`assert test`, or one of the operands of `assert a and b`: each has to hold."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for operand in test.values:
                self._test(operand)
            return
        values = values_of(test)
        if values:
            self.expected.append([Compared(node, SiteKind.EQUAL) for node in values])
        self._complement(of_condition(self.source, test))

    def _complement(self, complement: Complement | None) -> None:
        """Belongs to the comparison added last when it negates the same assertion."""
        if complement is None:
            return
        last = len(self.expected) - 1
        belongs = complement.site.kind is SiteKind.EQUAL and last >= 0 and last not in self.complements
        self.complements[last if belongs else -1 - len(self.complements)] = complement

    def _almost_equal(self, call: ast.Call) -> None:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        places = call.args[2] if len(call.args) > 2 else given.get("places")
        allowed = 10.0**-7
        if isinstance(places, ast.Constant) and isinstance(places.value, int):
            allowed = 10.0 ** -min(places.value, 300)
        elif places is not None:
            return
        if "delta" in given:
            delta = given["delta"]
            if not isinstance(delta, ast.Constant) or not isinstance(delta.value, int | float):
                return
            allowed = float(delta.value)
        reading = Reading(absolute=allowed)
        self.expected.append([Compared(node, SiteKind.EQUAL, reading) for node in reversed(call.args[:2])])


def first_two(call: ast.Call) -> list[ast.expr]:
    """The first two arguments of a call, empty when they cannot be told."""
    sides = call.args[:2]
    return [] if len(sides) < 2 or any(isinstance(side, ast.Starred) for side in sides) else sides


def values_of(test: ast.expr) -> list[ast.expr]:
    """The sides of `a == b`, the expected value's usual side first; of a chain only the last can be told."""
    if not isinstance(test, ast.Compare) or not all(isinstance(op, ast.Eq) for op in test.ops):
        return []
    return [test.comparators[-1], *([test.left] if len(test.ops) == 1 else [])]
