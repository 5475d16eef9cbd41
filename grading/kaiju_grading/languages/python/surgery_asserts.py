"""The alterations that one test offers: expected values first, exact complements where there is none."""

import ast
import builtins
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kaiju_grading.languages.python.surgery_flow import RAISES, called_name, certain
from kaiju_grading.languages.python.surgery_literals import EXACT, Edit, Reading, value_edits
from kaiju_grading.languages.python.surgery_source import Defined, Source, walk_here
from kaiju_grading.suite import Site, SiteKind

_EQUALS = frozenset(
    {
        *("assertCountEqual", "assertDictEqual", "assertEqual", "assertEquals", "assertListEqual"),
        *("assertMultiLineEqual", "assertSequenceEqual", "assertSetEqual", "assertTupleEqual"),
    }
)
_COMPLEMENTS = {
    "assertFalse": ("assertTrue", SiteKind.BOOL),
    "assertIn": ("assertNotIn", SiteKind.IN),
    "assertIs": ("assertIsNot", SiteKind.IS),
    "assertIsInstance": ("assertNotIsInstance", SiteKind.BOOL),
    "assertIsNone": ("assertIsNotNone", SiteKind.IS),
    "assertIsNot": ("assertIs", SiteKind.IS),
    "assertIsNotNone": ("assertIsNone", SiteKind.IS),
    "assertNotIn": ("assertIn", SiteKind.IN),
    "assertNotIsInstance": ("assertIsInstance", SiteKind.BOOL),
    "assertTrue": ("assertFalse", SiteKind.BOOL),
}
_CALLED_WITH = frozenset({"assert_called_once_with", "assert_called_with"})
_OTHER_EXCEPTIONS = (
    *("BufferError", "EOFError", "FloatingPointError", "ImportError", "OverflowError", "RecursionError"),
    *("TimeoutError", "ZeroDivisionError"),
)
"""What a test is altered to expect: nothing that one class would derive from together with a usual error."""


@dataclass(frozen=True, slots=True)
class Compared:
    """An expression whose value a certain assertion compares."""

    node: ast.expr
    kind: SiteKind
    reading: Reading = EXACT


@dataclass(slots=True)
class Assertions:
    """What the certain assertions of one test compare, and their complements."""

    source: Source
    expected: list[list[Compared]] = field(default_factory=list)
    """One entry an assertion: the sides of the comparison, the usual place of an expected value first."""
    complements: dict[int, Site] = field(default_factory=dict)
    """By index of `expected`, or below zero for assertions without a comparison."""
    raised: list[ast.expr] = field(default_factory=list)
    equals: frozenset[str] = frozenset()
    """See `Defined.equals`."""

    @classmethod
    def of(cls, defined: Defined) -> "Assertions":
        found = cls(defined.source, equals=defined.equals)
        for statement in certain(defined.function.body):
            found._add(statement)
        return found

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
                sides = _first_two(call)
                if sides:
                    self.expected.append([Compared(side, SiteKind.EQUAL) for side in sides])
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    self._raises(item.context_expr)

    def _raises(self, node: ast.expr) -> None:
        if isinstance(node, ast.Call) and called_name(node) in RAISES and node.args:
            self.raised.append(node.args[0])

    def _call(self, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        method, on_self = (
            call.func.attr,
            isinstance(call.func.value, ast.Name) and call.func.value.id == "self",
        )
        if method in RAISES:
            self._raises(call)
        elif method in _CALLED_WITH and not any(isinstance(item, ast.Starred) for item in call.args):
            values = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg)]
            self.expected += [[Compared(value, SiteKind.HELPER)] for value in values]
        elif not on_self:
            return
        elif method in _EQUALS and len(call.args) >= 2:
            self._equal(call, call.args[:2])
        elif method == "assertAlmostEqual" and len(call.args) >= 2:
            self._almost_equal(call)
        elif method in _COMPLEMENTS and call.args:
            if method == "assertTrue" and _values_of(call.args[0]):
                self.expected.append([Compared(node, SiteKind.EQUAL) for node in _values_of(call.args[0])])
            self._complement(self._name_site(call, *_COMPLEMENTS[method]))

    def _test(self, test: ast.expr) -> None:
        """`assert test`, or one of the operands of `assert a and b`: each has to hold."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for operand in test.values:
                self._test(operand)
            return
        values = _values_of(test)
        if values:
            self.expected.append([Compared(node, SiteKind.EQUAL) for node in values])
        complement = self._negated(test)
        if complement is not None:
            self._complement(complement)

    def _complement(self, site: Site) -> None:
        """Belongs to the comparison added last when it negates the same assertion."""
        last = len(self.expected) - 1
        belongs = site.kind is SiteKind.EQUAL and last >= 0 and last not in self.complements
        self.complements[last if belongs else -1 - len(self.complements)] = site

    def _equal(self, call: ast.Call, sides: list[ast.expr]) -> None:
        self.expected.append([Compared(node, SiteKind.EQUAL) for node in reversed(sides)])
        left, right = sides
        if called_name(call) != "assertEqual" or len(call.args) != 2 or call.keywords:
            return
        if isinstance(left, ast.Lambda | ast.IfExp) or isinstance(right, ast.Lambda | ast.IfExp):
            return
        # Not assertNotEqual: it asks `!=`, which a class may answer with no regard to `==`.
        assert isinstance(call.func, ast.Attribute)
        start, end = self.source.span(call.func)[1] - len(call.func.attr), self.source.span(right)[0]
        between = self.source.data[self.source.span(left)[1] : end].decode()
        if between.strip() != ",":
            return
        opening = self.source.data[self.source.span(call.func)[1] : self.source.span(left)[1]].decode()
        text = f"assertFalse{opening} =={between[1:]}"
        self._complement(Site(self.source.path, start, end, text, SiteKind.EQUAL, weak=True))

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

    def _name_site(self, call: ast.Call, name: str, kind: SiteKind) -> Site:
        assert isinstance(call.func, ast.Attribute)
        end = self.source.span(call.func)[1]
        return Site(self.source.path, end - len(call.func.attr), end, name, kind, weak=True)

    def _negated(self, test: ast.expr) -> Site | None:
        """The exact complement of a condition."""
        if isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda | ast.NamedExpr):
            return None
        start, _ = self.source.span(test)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            match = re.compile(rb"not[ \t]*").match(self.source.data, start)
            assert match is not None
            return Site(self.source.path, start, match.end(), "", SiteKind.BOOL, weak=True)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            special = self._operator(test)
            if special is not None:
                return special
        equal = isinstance(test, ast.Compare) and all(isinstance(op, ast.Eq) for op in test.ops)
        kind = SiteKind.EQUAL if equal else SiteKind.BOOL
        return Site(self.source.path, start, start, "not ", kind, weak=True)

    def _operator(self, test: ast.Compare) -> Site | None:
        """`in` and `is` have an operator that is their exact complement."""
        right = test.comparators[0]
        begin, end = self.source.span(test.left)[1], self.source.span(right)[0]
        between = self.source.data[begin:end]
        if (
            isinstance(test.ops[0], ast.Is)
            and isinstance(right, ast.Constant)
            and isinstance(right.value, bool)
        ):
            start, stop = self.source.span(right)
            return Site(self.source.path, start, stop, str(not right.value), SiteKind.IS, weak=True)
        forms = {
            ast.In: (rb"\bin\b", "not in", SiteKind.IN),
            ast.NotIn: (rb"\bnot\s+in\b", "in", SiteKind.IN),
            ast.Is: (rb"\bis\b", "is not", SiteKind.IS),
            ast.IsNot: (rb"\bis\s+not\b", "is", SiteKind.IS),
        }
        form = forms.get(type(test.ops[0]))
        match = re.search(form[0], between) if form else None
        if form is None or match is None or b"#" in between:
            return None
        return Site(self.source.path, begin + match.start(), begin + match.end(), form[1], form[2], weak=True)


def _first_two(call: ast.Call) -> list[ast.expr]:
    """The first two arguments of a call, empty when they cannot be told."""
    sides = call.args[:2]
    return [] if len(sides) < 2 or any(isinstance(side, ast.Starred) for side in sides) else sides


def _values_of(test: ast.expr) -> list[ast.expr]:
    """The sides of `a == b`, the expected value's usual side first; of a chain only the last can be told."""
    if not isinstance(test, ast.Compare) or not all(isinstance(op, ast.Eq) for op in test.ops):
        return []
    return [test.comparators[-1], *([test.left] if len(test.ops) == 1 else [])]


def body_sites(defined: Defined) -> Iterator[list[Site]]:
    """Sites in a test's own body, those of one assertion together, values before complements."""
    found = Assertions.of(defined)
    hints = _hints(defined)
    for index, sides in enumerate(found.expected):
        values = [site for side in sides for site in _value_sites(defined, side, hints)]
        complement = found.complements.get(index)
        if values or complement is not None:
            yield values or [site for site in [complement] if site is not None]
    for index, complement in found.complements.items():
        if index < 0:
            yield [complement]
    for exception in found.raised:
        sites = raised_sites(defined.source, exception)
        if sites:
            yield sites


def _value_sites(defined: Defined, compared: Compared, hints: str) -> list[Site]:
    node = compared.node
    if isinstance(node, ast.Name):
        assigned = _assigned(defined, node.id)
        if assigned is None:
            return []
        node = assigned
    altered = value_edits(defined.source, node, compared.reading)
    return [
        site_of(defined.source, edit, compared.kind) for edit in altered if not told(defined, edit, hints)
    ]


def site_of(source: Source, edit: Edit, kind: SiteKind) -> Site:
    return Site(source.path, edit.start, edit.end, edit.text, kind, weak=edit.weak)


def raised_sites(source: Source, exception: ast.expr) -> list[Site]:
    """Another built-in exception, neither a base nor a subclass of the one that is expected."""
    expected = getattr(builtins, exception.id, None) if isinstance(exception, ast.Name) else None
    if not isinstance(expected, type) or not issubclass(expected, Exception):
        return []
    others = [(name, getattr(builtins, name)) for name in _OTHER_EXCEPTIONS]
    names = [
        name for name, kind in others if not issubclass(kind, expected) and not issubclass(expected, kind)
    ]
    start, end = source.span(exception)
    seed = hashlib.sha256(f"{source.path}:{start}".encode()).digest()
    chosen = [names[seed[rank] % len(names)] for rank in range(2 if names else 0)]
    return [Site(source.path, start, end, name, SiteKind.RAISES) for name in dict.fromkeys(chosen)]


def _assigned(defined: Defined, name: str) -> ast.expr | None:
    """The value of a local name that is set once and only ever compared."""
    stores = [
        statement.value
        for statement in certain(defined.function.body)
        if isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id == name
    ]
    if len(stores) != 1 or not only_compared(defined, name, stores=1):
        return None
    return stores[0]


def only_compared(defined: Defined, name: str, *, stores: int) -> bool:
    """Whether a name is used for nothing but `==` in assertions, and in one that is certain."""
    everywhere = [
        node for node in ast.walk(defined.function) if isinstance(node, ast.Name) and node.id == name
    ]
    compared = [node for node in _compared_names(defined) if node.id == name]
    sure = [
        side.node
        for sides in Assertions.of(defined).expected
        for side in sides
        if isinstance(side.node, ast.Name) and side.node.id == name
    ]
    return bool(sure) and len(everywhere) == len(compared) + stores


def _compared_names(defined: Defined) -> Iterator[ast.Name]:
    """Names that stand alone on a side of `==` in an assertion, certain or not."""
    for node in walk_here(defined.function):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Assert):
            tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
            sides = [side for test in tests for side in _values_of(test)]
        elif isinstance(node, ast.Call) and called_name(node) in _EQUALS | {"assertAlmostEqual"}:
            sides = list(node.args[:2])
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in defined.equals
        ):
            sides = _first_two(node)
        yield from (side for side in sides if isinstance(side, ast.Name))


def _hints(defined: Defined) -> str:
    """All prose of a test: comments, docstring, assertion messages."""
    messages = [node.msg for node in walk_here(defined.function) if isinstance(node, ast.Assert) and node.msg]
    texts = [defined.source.text(message) for message in messages]
    return "\n".join([defined.source.remarks(defined.function), *texts])


def told(defined: Defined, edit: Edit, hints: str) -> bool:
    """Whether the prose of the test repeats the word or number that the edit changes."""
    data = defined.source.data
    left, right = edit.start, edit.end
    while left > 0 and data[left - 1 : left].isalnum():
        left -= 1
    while data[right : right + 1].isalnum():
        right += 1
    word = re.escape(data[left:right].decode("utf-8", "replace"))
    return bool(hints) and re.search(rf"(?<![A-Za-z0-9]){word}(?![A-Za-z0-9])", hints) is not None
