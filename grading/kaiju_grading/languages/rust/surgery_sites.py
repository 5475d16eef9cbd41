"""Sites: the places of a test where an expected value can be another one.

Values first: literals of the expected side of an equality, of a call's last argument, of a table's last
column. Where an assertion has none its condition is turned around, which is one bit (`weak`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from tree_sitter import Node

from kaiju_grading.languages.rust import literals
from kaiju_grading.languages.rust.layout import VALUES
from kaiju_grading.languages.rust.literals import KINDS, Literal
from kaiju_grading.languages.rust.others import bit, others
from kaiju_grading.languages.rust.surgery_tests import TestFile, leaves
from kaiju_grading.languages.rust.surgery_tokens import (
    PRINTING,
    flat,
    is_no_value,
    is_number,
    is_plain,
    may_be_skipped,
    minus,
    segments,
)
from kaiju_grading.languages.rust.syntax import descend, text
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.suite import Choice, Site, SiteKind

_OTHER_MACROS = frozenset(
    {
        *PRINTING,
        b"vec",
        b"matches",
        b"dbg",
        b"todo",
        b"concat",
        b"env",
        b"include_str",
        b"include_bytes",
        b"line",
        b"file",
        b"cfg",
        b"stringify",
        b"json",
    }
)

_CLOSE = re.compile(rb"assert\w*(delta|approx|close|near)")
"""Names of macros that compare numbers."""
UNSAID = 0.01
"""What a comparison allows that does not say so, and more than any does."""


@dataclass(slots=True)
class Finder:
    """The sites of one held file."""

    file: TestFile
    helpers: Mapping[str, frozenset[int]]
    """Functions that tests call to compare for them: which arguments they surely compare as they are."""
    pool: list[Literal] = field(default_factory=list)

    def written(self, function: Node) -> tuple[list[Site], list[Site]]:
        """Sites of a test that is a function: with values, and complements."""
        body = part(function, "body")
        strong: list[Site] = []
        weak: list[Site] = []
        for node in descend(body) if body is not None else ():
            conditional = may_be_skipped(node, function)
            if node.type == "macro_invocation":
                self._macro(node, strong, weak, conditional=conditional)
            elif node.type == "call_expression":
                self._call(node, strong, conditional=conditional)
        if not strong and body is not None:
            strong = self._tables(body)
        return _apart(strong), _apart(weak)

    def generated(self, tokens: Sequence[Node]) -> list[Site]:
        """Sites of a test that a macro call makes: what stands behind the last arrow, or the last literal."""
        arrows = [place for place, token in enumerate(tokens) if token.type == "=>"]
        behind = tokens[arrows[-1] + 1 :] if arrows else tokens
        found = self._literals(behind)
        chosen = found if arrows else found[-1:]
        return self._sites(chosen, SiteKind.EQUAL if arrows else SiteKind.HELPER, conditional=not arrows)

    def _macro(self, node: Node, strong: list[Site], weak: list[Site], *, conditional: bool) -> None:
        name = text(part(node, "macro")).rpartition(b"::")[2]
        arguments = segments(node.named_children[-1])
        if name == b"assert_eq" and len(arguments) >= 2:
            strong += self._equality(arguments[0], arguments[1], conditional=conditional)
            weak += self._complement(node, arguments, b"==", conditional=conditional)
        elif name == b"assert_ne" and len(arguments) >= 2:
            weak += self._complement(node, arguments, b"!=", conditional=conditional)
        elif name == b"assert" and arguments:
            self._condition(arguments[0], strong, weak, conditional=conditional)
        elif _CLOSE.match(name) and (near := self._near(arguments, conditional=conditional)):
            strong += near
        elif name not in _OTHER_MACROS and not name.startswith(b"debug_assert") and arguments:
            named = [one for one in self._literals(flat(arguments)) if not self._is_setting(one)]
            # The last one may be a tolerance.
            strong += self._sites(named[-3:], SiteKind.HELPER, conditional=True)

    def _near(self, arguments: list[list[Node]], *, conditional: bool) -> list[Site]:
        """The expected number of a comparison that allows a distance, where other values lie beyond it."""
        read = [self._literals(tokens) if is_number(tokens) else [] for tokens in arguments[:3]]
        expected = next((found for found in read[:2] if found), [])
        allowed = float(read[2][0].value) if len(read) > 2 and read[2] else UNSAID
        made = self._sites(expected, SiteKind.HELPER, conditional=conditional)
        far = (site.choice and abs(float(site.choice.real) - float(site.choice.altered)) for site in made)
        return made if all(distance and distance > 2 * allowed for distance in far) else []

    def _condition(
        self, tokens: list[Node], strong: list[Site], weak: list[Site], *, conditional: bool
    ) -> None:
        kinds = [token.type for token in tokens]
        if kinds.count("==") == 1 and not {"&&", "||", "=>", "if"} & set(kinds):
            place = kinds.index("==")
            strong += self._equality(tokens[:place], tokens[place + 1 :], conditional=conditional)
        start, end = tokens[0].start_byte, tokens[-1].end_byte
        condition = self.file.data[start:end].decode(errors="replace")
        weak.append(self._flip(start, end, condition, conditional=conditional))

    def _complement(
        self, node: Node, arguments: list[list[Node]], operator: bytes, *, conditional: bool
    ) -> list[Site]:
        """`assert_eq!(a, b)` as a condition that a bit of the table turns around."""
        one, two = (self._text(tokens) for tokens in arguments[:2])
        condition = f"({one}) {operator.decode()} ({two})"
        start, end = node.start_byte, node.end_byte
        missing = self.file.data[start:end].count(b"\n") - condition.count("\n")
        site = self._flip(start, end, condition, conditional=conditional)
        code = f"assert!({site.replacement})" + "\n" * max(0, missing)
        return [replace(site, replacement=code)]

    def _flip(self, start: int, end: int, condition: str, *, conditional: bool) -> Site:
        slot = literals.slot_of(self.file.path, start)
        # Bits in a table must not tell what is altered.
        real, call = (("true", "same"), ("false", "unlike"))[bit(slot, self.file.data)]
        return Site(
            path=self.file.path,
            start=start,
            end=end,
            replacement=f'crate::{VALUES}::{call}("{slot}", {condition})',
            kind=SiteKind.BOOL,
            weak=True,
            conditional=conditional,
            choice=Choice(slot, real, "false" if real == "true" else "true"),
        )

    def _equality(self, left: list[Node], right: list[Node], *, conditional: bool) -> list[Site]:
        sides = [(right, self._literals(right)), (left, self._literals(left))]
        for tokens, found in sides:
            if found and is_plain(tokens):
                return self._sites(found, SiteKind.EQUAL, conditional=conditional)
        for _, found in sides:
            if found:
                # A constructor of the library may ignore what it is given.
                return self._sites(found[-2:], SiteKind.EQUAL, conditional=True)
        return []

    def _call(self, node: Node, strong: list[Site], *, conditional: bool) -> None:
        """A call of a function that stands beside the tests and compares for them."""
        name = text(part(node, "function")).rpartition(b"::")[2].decode(errors="replace")
        arguments = part(node, "arguments")
        if name not in self.helpers or arguments is None:
            return
        given = [one for one in arguments.named_children if "comment" not in one.type]
        sure = [given[place] for place in sorted(self.helpers[name]) if place < len(given)]
        expected = [one for argument in sure if is_plain([argument]) for one in self._literals([argument])]
        if expected:
            strong += self._sites(expected, SiteKind.HELPER, conditional=conditional)
        else:
            found = self._literals(list(leaves(arguments)))
            strong += self._sites(found[-2:], SiteKind.HELPER, conditional=True)

    def _tables(self, body: Node) -> list[Site]:
        """The last literal of each row, where rows are tuples or the elements of an array."""
        rows = [node for node in descend(body) if node.type in {"tuple_expression", "array_expression"}]
        found = [self._literals(list(leaves(row)))[-1:] for row in rows]
        return [site for row in found for site in self._sites(row, SiteKind.HELPER, conditional=True)]

    def _literals(self, tokens: Iterable[Node]) -> list[Literal]:
        ordered = list(tokens)
        flat = [leaf for token in ordered for leaf in leaves(token)]
        found: list[Literal] = []
        for place, token in enumerate(flat):
            if token.type in KINDS and not is_no_value(flat, place):
                literal = literals.read(token, negative=minus(flat, place))
                if literal is not None:
                    found.append(literal)
        return found

    def _is_setting(self, literal: Literal) -> bool:
        """Whether it is named, as a tolerance is: `epsilon = 1e-6`."""
        return (
            re.search(rb"[^=!<>]=\s*$", self.file.data[max(0, literal.start - 8) : literal.start]) is not None
        )

    def _sites(self, found: Iterable[Literal], kind: SiteKind, *, conditional: bool) -> list[Site]:
        """One for each wrong value of each literal."""
        return [
            self._site(literal, other, kind, conditional=conditional)
            for literal in found
            for other in others(literal, self.pool, self.file.data)
        ]

    def _site(self, literal: Literal, other: str, kind: SiteKind, *, conditional: bool) -> Site:
        slot = literals.slot_of(self.file.path, literal.start)
        missing = self.file.data[literal.start : literal.end].count(b"\n")
        return Site(
            path=self.file.path,
            start=literal.start,
            end=literal.end,
            replacement=literal.code(slot) + "\n" * missing,
            kind=SiteKind.BOOL if literal.kind == "flag" else kind,
            weak=literal.kind == "flag",
            conditional=conditional,
            choice=Choice(slot, literal.value, other),
        )

    def _text(self, tokens: list[Node]) -> str:
        return self.file.data[tokens[0].start_byte : tokens[-1].end_byte].decode(errors="replace")


def finder(file: TestFile, root: Node, helpers: Mapping[str, frozenset[int]]) -> Finder:
    """A finder that knows the values of the whole file."""
    found = Finder(file, helpers)
    tokens = list(leaves(root))
    found.pool = [
        literal
        for place, token in enumerate(tokens)
        if token.type in KINDS
        and (literal := literals.read(token, negative=minus(tokens, place))) is not None
    ]
    return found


def _apart(sites: list[Site]) -> list[Site]:
    """Without those that overlap an earlier one; the values of one place stay together."""
    kept: list[Site] = []
    for site in sorted(dict.fromkeys(sites), key=lambda one: (one.start, one.end)):
        if not kept or site.start >= kept[-1].end or _same_place(site, kept[-1]):
            kept.append(site)
    return kept


def _same_place(one: Site, other: Site) -> bool:
    return replace(one, choice=None) == replace(other, choice=None)


def spread(strong: list[Site], weak: list[Site], most: int) -> Iterator[Site]:
    """At most `most` places over the whole test; complements only where there are few values.

    A value that may never be compared, such as a table's, may turn out to be none that is expected. It stays
    where its condition could be turned around instead: a type that is equal to everything would pass that.
    """
    certain = [site for site in strong if not site.conditional] or strong
    places = [tuple(sites) for _, sites in groupby(certain, key=lambda site: (site.start, site.end))]
    step = max(1, len(places) // most)
    chosen = [site for sites in places[::step][:most] for site in sites]
    yield from chosen
    if len(places) < 2 or all(site.conditional for site in chosen):
        free = [
            site for site in weak if all(site.end <= one.start or site.start >= one.end for one in chosen)
        ]
        step = max(1, len(free) // 2)
        yield from free[::step][:2]
