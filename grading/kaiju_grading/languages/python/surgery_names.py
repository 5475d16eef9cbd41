"""Names that a test does nothing with but compare them: their value may be altered where it is set."""

import ast
from collections.abc import Iterator

from kaiju_grading.languages.python.surgery_asserts import EQUALS, Assertions, first_two, values_of
from kaiju_grading.languages.python.surgery_flow import called_name, certain
from kaiju_grading.languages.python.surgery_source import Defined, walk_here


def assigned(defined: Defined, name: str) -> ast.expr | None:
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
        for sides in Assertions.certain(defined).expected
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
            sides = [side for test in tests for side in values_of(test)]
        elif isinstance(node, ast.Call) and called_name(node) in EQUALS | {"assertAlmostEqual"}:
            sides = list(node.args[:2])
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in defined.equals
        ):
            sides = first_two(node)
        yield from (side for side in sides if isinstance(side, ast.Name))
