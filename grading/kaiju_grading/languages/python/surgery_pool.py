"""A pool: the words and numbers that a test file itself writes, from which its altered values are drawn.

A value that stands elsewhere in the same file looks like one of its own. Drawn as often as the file has it,
it is no rarer than the value whose place it takes.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from kaiju_grading.languages.python.imports import parse
from kaiju_grading.languages.python.surgery_source import Source

RUNS = re.compile(r"[A-Za-z]+|[0-9]+")
"""What is replaced as a whole within a text."""
NUMBER = "number"
"""The form of a whole number outside of texts."""
NEAR = 8
"""Lines on either side that most likely belong to the same test."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What a file writes, by form and length: line and text, as often as it does, in its order."""

    runs: Mapping[tuple[str, int], tuple[tuple[int, str], ...]] = field(repr=False)

    @classmethod
    def of(cls, source: Source) -> "Pool":
        """Of the texts of the file, and of the numbers that it compares with."""
        return _pool(source.data)

    def others(self, text: str, form: str, line: int) -> tuple[str, ...]:
        """What could stand for `text` in a line: of its form and length, different without regard to case.

        Expected values are often said nearby, as what a test sets up: what stands near counts twice as much
        as all the rest of the file.
        """
        alike = self.runs.get((form, len(text)), ())
        usable = [(there, other) for there, other in alike if other.lower() != text.lower()]
        near = [other for there, other in usable if abs(there - line) <= NEAR]
        far = [other for _, other in usable]
        weight = 2 * max(1, len(far) // len(near)) if near else 0
        return tuple(far + near * weight)


def form_of(run: str) -> str:
    """Digits, or letters with their case."""
    if run.isdigit():
        return "digits"
    return next((name for name in ("islower", "isupper", "istitle") if getattr(run, name)()), "mixed")


@lru_cache(maxsize=128)
def _pool(data: bytes) -> Pool:
    tree = parse(data)
    assert tree is not None, "a Source is Python"
    found: defaultdict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, bytes):
            value = value.decode("ascii", errors="replace")
        if isinstance(node, ast.Constant) and isinstance(value, str):
            for run in RUNS.findall(value):
                found[form_of(run), len(run)].append((node.lineno, run))
    for number in _compared_numbers(tree):
        found[NUMBER, len(str(number.value))].append((number.lineno, str(number.value)))
    return Pool({form: tuple(sorted(runs)) for form, runs in found.items()})


def _compared_numbers(tree: ast.Module) -> Iterator[ast.Constant]:
    """Indices and counts of what a test sets up have other habits than what it expects."""
    for node in ast.walk(tree):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            sides = node.args if node.func.attr.startswith("assert") else []
        for side in sides:
            yield from (one for one in _displayed(side) if type(one.value) is int)


def _displayed(node: ast.expr) -> Iterator[ast.Constant]:
    """The constants of an expression that is one, or displays them."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        for item in node.values if isinstance(node, ast.Dict) else node.elts:
            yield from _displayed(item)
