"""Mutants of a syntax tree of tree-sitter: what its grammars call the same things differently."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from kaiju_grading.assay import Mutant

_SWAPS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_NUMBER = re.compile(r"(\d+)([iu](?:\d+|size))?")
"""Decimal, with the type that some languages write behind it."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """Names of nodes."""

    numbers: frozenset[str]
    branches: frozenset[str]
    """What has a field `condition` of a boolean."""
    no_condition: frozenset[str] = frozenset()
    """Conditions that are no plain expression."""


def mutants_of(node: Node, body: str, grammar: Grammar) -> Iterator[Mutant]:
    """Of everything inside of one function, in the order of the text."""
    todo = list(reversed(node.children))
    while todo:
        found = todo.pop()
        mutant = _mutant(found, body, grammar)
        if mutant is not None:
            yield mutant
        todo += reversed(found.children)


def _mutant(node: Node, body: str, grammar: Grammar) -> Mutant | None:
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        swapped = _SWAPS.get(node_text(operator)) if operator else None
        if operator and swapped:
            return Mutant(operator.start_byte, operator.end_byte, swapped, body, "comparison")
    elif node.type in grammar.numbers:
        number = _NUMBER.fullmatch(node_text(node))
        if number:
            text = f"{int(number[1]) + 1}{number[2] or ''}"
            return Mutant(node.start_byte, node.end_byte, text, body, "constant")
    elif node.type in grammar.branches:
        condition = node.child_by_field_name("condition")
        if condition and condition.type not in grammar.no_condition:
            text = f"!({node_text(condition)})"
            return Mutant(condition.start_byte, condition.end_byte, text, body, "condition")
    return None


def node_text(node: Node) -> str:
    """Its source."""
    return (node.text or b"").decode(errors="replace")
