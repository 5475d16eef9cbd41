"""Questions: assertions whose expected side is written of literals only, and that hand over the other side.

The text of such an assertion changes in every program, by insertions alone: lines keep their numbers,
operands are evaluated once and in their order, and where nothing is asked the same assertion compares them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kaiju_grading.languages.rust import literals
from kaiju_grading.languages.rust.layout import VALUES
from kaiju_grading.languages.rust.literals import Literal
from kaiju_grading.languages.rust.surgery_operands import Leaf, leaves_of
from kaiju_grading.languages.rust.surgery_tests import TestFile
from kaiju_grading.languages.rust.surgery_tokens import may_be_skipped, segments
from kaiju_grading.languages.rust.syntax import descend, text
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.suite import Choice, Question, Site, SiteKind

MAX_QUESTIONS = 64
"""Of one test: the channel is bounded, and more make nothing harder to guess."""
_SIDES = ("kaiju_left", "kaiju_right")
_COMPARING = frozenset({b"std", b"core", b"pretty_assertions", b"similar_asserts"})
"""Crates whose `assert_eq!` compares by `==` alone."""
_NAMED = re.compile(rb"macro_rules!\s*assert_eq\b|(\w+)\s*::\s*(?:\{[^{}]*?\b)?assert_eq\b")


@dataclass(frozen=True, slots=True)
class Asking:
    """One assertion that can ask."""

    node: Node
    operands: tuple[list[Node], list[Node]]
    wanted: int
    """Which of the operands is expected."""
    leaves: tuple[Leaf, ...]

    def edits(self, path: str) -> tuple[Site, ...]:
        """All but the lookups."""
        macro, tree = part(self.node, "macro"), self.node.named_children[-1]
        (left, left_end), (right, right_end) = (_span(tokens) for tokens in self.operands)
        assertion = f"{text(macro).decode(errors='replace')}!(*{_SIDES[0]}, *{_SIDES[1]}"
        spans = [
            (self.node.start_byte, tree.start_byte + 1, "match ("),
            (left, left, "&("),
            (left_end, left_end, ")"),
            (right, right, "&("),
            (right_end, right_end, f")) {{ ({', '.join(_SIDES)}) => {{ {self._ask(path)} {{ {assertion}"),
            (self.node.end_byte, self.node.end_byte, " } } }"),
        ]
        return tuple(Site(path, start, end, code, SiteKind.EQUAL) for start, end, code in spans)

    def _ask(self, path: str) -> str:
        """The condition under which the assertion stands: nothing is asked, or something else differs."""
        slots = [literals.slot_of(path, leaf.literal.start) for leaf in self.leaves]
        got, wanted = _SIDES[1 - self.wanted], _SIDES[self.wanted]
        parts = [
            f'crate::{VALUES}::part("{slot}", {_way(got, leaf)}, {_way(wanted, leaf)})'
            for slot, leaf in zip(slots, self.leaves, strict=True)
        ]
        names = dict.fromkeys(step.trait for leaf in self.leaves for step in leaf.steps)
        traits = "".join(f"{name} as _, No{name} as _, " for name in names)
        used = f"use crate::{VALUES}::{{{traits}}}; " if traits else ""
        listed = ", ".join(f'"{slot}"' for slot in slots)
        heard = f"{{ {used}crate::{VALUES}::heard(&[{', '.join(parts)}]) }}"
        # What the comparison tells of types is known before anything of ours is typed.
        known = f"if false {{ let _ = *{_SIDES[0]} == *{_SIDES[1]}; }}"
        return f"{known} if !(crate::{VALUES}::asks(&[{listed}]) && {heard})"


def questions_of(
    file: TestFile, function: Node, pool: Iterable[Literal], flips: Sequence[Site]
) -> tuple[Site, ...]:
    """What a test can be asked beside its flips: lookups that have a question, and what lets it ask."""
    found: list[Asking] = []
    if any(named[1] not in _COMPARING for named in _NAMED.finditer(file.data)):
        return ()
    for node in descend(function):
        if node.type == "macro_invocation" and not may_be_skipped(node, function):
            asking = _asking(node)
            if asking is not None and _fits(asking, flips):
                found.append(asking)
    while sum(len(asking.leaves) for asking in found) > MAX_QUESTIONS:
        found.pop()
    asked = {leaf.literal.start for asking in found for leaf in asking.leaves}
    said = [
        literal
        for literal in pool
        if function.start_byte <= literal.start < function.end_byte and literal.start not in asked
    ]
    return tuple(
        site
        for asking in found
        for site in (*asking.edits(file.path), *(_lookup(file, leaf, said) for leaf in asking.leaves))
    )


def _asking(node: Node) -> Asking | None:
    name, tree = text(part(node, "macro")), node.named_children[-1]
    arguments = segments(tree)
    if name.rpartition(b"::")[2] != b"assert_eq" or len(arguments) < 2 or not text(tree).startswith(b"("):
        return None
    operands = (arguments[0], arguments[1])
    for wanted in (1, 0):
        leaves = leaves_of(operands[wanted])
        # Who is asked for nothing but true or false guesses as well as who is flipped.
        if any(leaf.literal.kind != "flag" for leaf in leaves):
            return Asking(node, operands, wanted, leaves)
    return None


def _fits(asking: Asking, flips: Sequence[Site]) -> bool:
    """Whether the flips within the assertion are at its own literals."""
    places = {(leaf.literal.start, leaf.literal.end) for leaf in asking.leaves}
    start, end = asking.node.start_byte, asking.node.end_byte
    return all((site.start, site.end) in places or site.end <= start or site.start >= end for site in flips)


def _lookup(file: TestFile, leaf: Leaf, said: Sequence[Literal]) -> Site:
    literal = leaf.literal
    slot = literals.slot_of(file.path, literal.start)
    missing = file.data[literal.start : literal.end].count(b"\n")
    return Site(
        path=file.path,
        start=literal.start,
        end=literal.end,
        replacement=literal.code(slot) + "\n" * missing,
        kind=SiteKind.EQUAL,
        choice=Choice(slot, literal.value, literal.value),
        question=Question(slot, leaf.expected, echoed=_echoed(literal, said), typed=True),
    )


def _echoed(literal: Literal, said: Iterable[Literal]) -> bool:
    """Whether the test says the value elsewhere, too: alone, or as a word of a text."""
    word = re.compile(rf"(?:^|[^A-Za-z0-9]){re.escape(literal.value)}(?:$|[^A-Za-z0-9])")
    return any(
        other.value == literal.value
        or (other.kind == "text" and literal.value != "" and word.search(other.value) is not None)
        for other in said
    )


def _span(tokens: Sequence[Node]) -> tuple[int, int]:
    return tokens[0].start_byte, tokens[-1].end_byte


def _way(side: str, leaf: Leaf) -> str:
    code = f"crate::{VALUES}::seen({side})"
    for step in leaf.steps:
        code = f"(&{code}).{step.call}"
    return code
