"""Helpers: functions beside the tests that compare for them, and which of their arguments."""

from collections.abc import Iterable

from tree_sitter import Node

from kaiju_grading.languages.rust.surgery_tests import TestFile, leaves
from kaiju_grading.languages.rust.surgery_tokens import is_plain, may_be_skipped, segments
from kaiju_grading.languages.rust.syntax import descend, text
from kaiju_grading.languages.rust.syntax import field as part


def helpers_of(files: Iterable[TestFile]) -> dict[str, frozenset[int]]:
    """By name of a helper: positions of parameters that an assertion of it surely compares as they are."""
    found: dict[str, frozenset[int]] = {}
    for file in files:
        for name, function in file.helpers.items():
            sure = _compared(function)
            found[name] = found.get(name, sure) & sure
    return found


def _compared(function: Node) -> frozenset[int]:
    given = part(function, "parameters")
    body = part(function, "body")
    if given is None or body is None:
        return frozenset()
    declared = [one for one in given.named_children if one.type == "parameter"]
    names = [text(part(one, "pattern")) for one in declared]
    sides = [
        [leaf for token in side for leaf in leaves(token)]
        for node in descend(body)
        if node.type == "macro_invocation" and text(part(node, "macro")) == b"assert_eq"
        if not may_be_skipped(node, function)
        for side in segments(node.named_children[-1])[:2]
    ]
    return frozenset(place for place, name in enumerate(names) if any(_is_only(side, name) for side in sides))


def _is_only(tokens: list[Node], name: bytes) -> bool:
    """Whether what an expression is hangs on this one name, and nothing else."""
    rest = [token for token in tokens if token.type != "identifier" or text(token) != name]
    return len(rest) < len(tokens) and is_plain(rest)
