"""Questions: assertions `computed == literal` whose literal leaves the file, and the runner is told the rest.

`assert f(x) == 3` becomes `assert __kaiju_ask__(__kaiju_key__("..."), f(x))`. An expected value that has a
name, in the test or as a parameter, gives way to a key where it stands, and its comparisons to asking by
name; for rows that keep their value these still compare.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kaiju_grading import plain
from kaiju_grading.languages.python.surgery_asserts import values_of
from kaiju_grading.languages.python.surgery_flow import certain
from kaiju_grading.languages.python.surgery_names import assigned, only_compared
from kaiju_grading.languages.python.surgery_prose import prose
from kaiju_grading.languages.python.surgery_rows import Table, row_hints, table_of
from kaiju_grading.languages.python.surgery_source import Defined
from kaiju_grading.suite import Question, Site, SiteKind

MAX_QUESTIONS = 24
"""Of one cell: the channel is bounded, and more make nothing harder to guess."""
_EXACT = frozenset(
    {"assertDictEqual", "assertEqual", "assertEquals", "assertListEqual"}
    | {"assertMultiLineEqual", "assertTupleEqual"}
)
"""Methods of `unittest` that are `==`, and no more lenient."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """`computed == expected`, asserted whenever the test passes."""

    node: ast.expr
    """All of it, to be replaced."""
    computed: ast.expr
    expected: ast.expr
    statement: bool
    """It stands as a call of its own, not behind `assert`."""


def body_questions(defined: Defined) -> tuple[Site, ...]:
    """To be asked of all tests that share the function."""
    found: list[Site] = []
    replaced: set[ast.expr] = set()
    hints, comparisons = prose(defined), list(_comparisons(defined))
    said = _said(defined.function, {id(one.expected) for one in comparisons})
    for one in comparisons:
        name = one.expected.id if isinstance(one.expected, ast.Name) else ""
        value = assigned(defined, name) if name else one.expected
        question = _question(defined, value, said, hints) if value is not None else None
        if value is None or question is None or one.node in replaced or len(found) >= MAX_QUESTIONS:
            continue
        replaced.add(one.node)
        if name:
            found += [_asking(defined, one, name), _key_in_place(defined, value, question)]
        else:
            found.append(_asking(defined, one, _key(question), question))
    return tuple(dict.fromkeys(found))


def row_questions(defined: Defined) -> list[tuple[Site, ...]]:
    """By row of the one table of the test; empty for a row whose expected values are no literals."""
    table = table_of(defined)
    if table is None:
        return []
    columns = {name for name in table.names if only_compared(defined, name, stores=0)}
    asking: dict[ast.expr, Site] = {}
    named: set[str] = set()
    for one in _comparisons(defined):
        if isinstance(one.expected, ast.Name) and one.expected.id in columns and one.node not in asking:
            asking[one.node] = _asking(defined, one, one.expected.id)
            named.add(one.expected.id)
    return [_row(defined, table, row, named, list(asking.values())) for row in table.rows]


def _row(
    defined: Defined, table: Table, row: tuple[ast.expr, ...], named: set[str], asking: list[Site]
) -> tuple[Site, ...]:
    expected = [value for name, value in zip(table.names, row, strict=True) if name in named]
    said = {text for value in row if value not in expected for text in _said(value, set())}
    hints = row_hints(defined, table)
    questions = [(value, _question(defined, value, said, hints)) for value in expected]
    keys = [_key_in_place(defined, value, question) for value, question in questions if question is not None]
    complete = len(keys) == len(questions) > 0
    return tuple(dict.fromkeys([*asking, *keys])) if complete else ()


def _comparisons(defined: Defined) -> Iterator[Comparison]:
    for statement in certain(defined.function.body):
        if isinstance(statement, ast.Assert):
            yield from _compared(statement.test)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from _called(statement.value)


def _compared(test: ast.expr) -> Iterator[Comparison]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for operand in test.values:
            yield from _compared(operand)
    elif len(values_of(test)) == 2:
        yield from _sides(test, values_of(test), statement=False)


def _called(call: ast.Call) -> Iterator[Comparison]:
    method, plain_call = call.func, len(call.args) == 2 and not call.keywords
    if isinstance(method, ast.Attribute) and method.attr in _EXACT and plain_call:
        own = isinstance(method.value, ast.Name) and method.value.id == "self"
        if own and not any(isinstance(side, ast.Starred) for side in call.args):
            yield from _sides(call, [call.args[1], call.args[0]], statement=True)


def _sides(node: ast.expr, sides: list[ast.expr], *, statement: bool) -> Iterator[Comparison]:
    """Both ways round where both sides are names. A literal is never computed."""
    for expected, computed in (sides, sides[::-1]):
        if _encoded(computed) is not None:
            continue
        if isinstance(expected, ast.Name) or _encoded(expected) is not None:
            yield Comparison(node, computed, expected, statement)


def _encoded(node: ast.expr) -> str | None:
    """The value of a literal; None for what is none."""
    try:
        return plain.encode(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _question(defined: Defined, value: ast.expr, said: set[str], hints: str) -> Question | None:
    expected = _encoded(value)
    if expected is None or _told(defined.source.text(value), hints):
        return None
    start, _ = defined.source.span(value)
    return Question(f"{defined.source.path}:{start}", expected, echoed=expected in said)


def _told(literal: str, hints: str) -> bool:
    """Whether comments, docstring or messages say every word of it."""
    words = re.findall(r"[A-Za-z0-9]+", literal)
    return bool(words) and set(words) <= set(re.findall(r"[A-Za-z0-9]+", hints))


def _said(node: ast.AST, but: set[int]) -> set[str]:
    """Every literal that stands in a node, those below the nodes of `but` excepted."""
    found: set[str] = set()
    todo = [node]
    while todo:
        one = todo.pop()
        if id(one) in but and not isinstance(one, ast.Name):
            continue
        if isinstance(one, ast.expr) and (text := _encoded(one)) is not None:
            found.add(text)
        todo += ast.iter_child_nodes(one)
    return found


def _key(question: Question) -> str:
    return f"__kaiju_key__({question.key!r})"


def _asking(defined: Defined, one: Comparison, expected: str, question: Question | None = None) -> Site:
    start, end = defined.source.span(one.node)
    text = f"__kaiju_ask__({expected}, {defined.source.text(one.computed)})"
    text = f"assert {text}" if one.statement else text
    return Site(defined.source.path, start, end, text, SiteKind.EQUAL, question=question)


def _key_in_place(defined: Defined, value: ast.expr, question: Question) -> Site:
    start, end = defined.source.span(value)
    return Site(defined.source.path, start, end, _key(question), SiteKind.EQUAL, question=question)
