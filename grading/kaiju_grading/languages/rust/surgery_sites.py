"""Sites: the places of a test where an expected value can be another one.

Values first: literals of the expected side of an equality, of a call's last argument, of a table's last
column. Where an assertion has none its condition is turned around, which is one bit (`weak`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from kaiju_grading.languages.rust import literals
from kaiju_grading.languages.rust.layout import VALUES
from kaiju_grading.languages.rust.literals import KINDS, Literal
from kaiju_grading.languages.rust.surgery_tests import TestFile, leaves
from kaiju_grading.languages.rust.syntax import descend, text
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.suite import Choice, Site, SiteKind

_PLAIN = re.compile(
    rb"Some|Ok|Err|None|Box|Vec|String|Cow|Rc|Arc|vec|from|to_string|to_owned|into|to_vec|as_bytes|as_str|iter"
    rb"|collect|true|false|[ui](8|16|32|64|128|size)|f32|f64|str|char|bool|mut|as|concat"
)
"""Words of an expression that is a value, whatever the library does."""
_MAYBE = frozenset(
    {
        *("if_expression", "match_expression", "for_expression", "while_expression", "loop_expression"),
        *("closure_expression", "async_block", "function_item"),
    }
)
"""What an assertion may stand in and never be reached, or be reached in another place."""
_PRINTING = (
    b"format",
    b"println",
    b"print",
    b"eprintln",
    b"eprint",
    b"panic",
    b"write",
    b"writeln",
    b"format_args",
)
_OTHER_MACROS = frozenset(
    {
        *_PRINTING,
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


@dataclass(slots=True)
class Finder:
    """The sites of one held file."""

    file: TestFile
    helpers: frozenset[str]
    """Names of functions that tests call to compare for them."""
    pool: list[Literal] = field(default_factory=list)

    def written(self, function: Node) -> tuple[list[Site], list[Site]]:
        """Sites of a test that is a function: with values, and complements."""
        body = part(function, "body")
        strong: list[Site] = []
        weak: list[Site] = []
        for node in descend(body) if body is not None else ():
            conditional = _may_be_skipped(node, function)
            if node.type == "macro_invocation":
                self._macro(node, strong, weak, conditional=conditional)
            elif node.type == "call_expression":
                self._call(node, strong)
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
        elif name not in _OTHER_MACROS and not name.startswith(b"debug_assert") and arguments:
            named = [one for one in self._literals(_flat(arguments)) if not self._is_setting(one)]
            # The last one may be a tolerance.
            strong += self._sites(named[-3:], SiteKind.HELPER, conditional=True)

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
        return [_with_code(site, code)]

    def _flip(self, start: int, end: int, condition: str, *, conditional: bool) -> Site:
        slot = literals.slot_of(self.file.path, start)
        return Site(
            path=self.file.path,
            start=start,
            end=end,
            replacement=f'crate::{VALUES}::flip("{slot}", {condition})',
            kind=SiteKind.BOOL,
            weak=True,
            conditional=conditional,
            choice=Choice(slot, "false", "true"),
        )

    def _equality(self, left: list[Node], right: list[Node], *, conditional: bool) -> list[Site]:
        sides = [(right, self._literals(right)), (left, self._literals(left))]
        for tokens, found in sides:
            if found and _is_plain(tokens):
                return self._sites(found, SiteKind.EQUAL, conditional=conditional)
        for _, found in sides:
            if found:
                # A constructor of the library may ignore what it is given.
                return self._sites(found[-2:], SiteKind.EQUAL, conditional=True)
        return []

    def _call(self, node: Node, strong: list[Site]) -> None:
        """A call of a function that stands beside the tests and compares for them."""
        name = text(part(node, "function")).rpartition(b"::")[2].decode(errors="replace")
        arguments = part(node, "arguments")
        if name in self.helpers and arguments is not None:
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
            if token.type in KINDS and not _is_no_value(flat, place):
                literal = literals.read(token, negative=_minus(flat, place))
                if literal is not None:
                    found.append(literal)
        return found

    def _is_setting(self, literal: Literal) -> bool:
        """Whether it is named, as a tolerance is: `epsilon = 1e-6`."""
        return (
            re.search(rb"[^=!<>]=\s*$", self.file.data[max(0, literal.start - 8) : literal.start]) is not None
        )

    def _sites(self, found: Iterable[Literal], kind: SiteKind, *, conditional: bool) -> list[Site]:
        made = (self._site(literal, kind, conditional=conditional) for literal in found)
        return [site for site in made if site is not None]

    def _site(self, literal: Literal, kind: SiteKind, *, conditional: bool) -> Site | None:
        other = literals.altered(literal, self.pool)
        if other is None or other == literal.value:
            return None
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


def finder(file: TestFile, root: Node, helpers: frozenset[str]) -> Finder:
    """A finder that knows the values of the whole file."""
    found = Finder(file, helpers)
    tokens = list(leaves(root))
    found.pool = [
        literal
        for place, token in enumerate(tokens)
        if token.type in KINDS
        and (literal := literals.read(token, negative=_minus(tokens, place))) is not None
    ]
    return found


def segments(tree: Node) -> list[list[Node]]:
    """The arguments of a macro call: its tokens between commas."""
    found: list[list[Node]] = [[]]
    for token in tree.children[1:-1]:
        if token.type == ",":
            found.append([])
        elif token.type not in {"line_comment", "block_comment"}:
            found[-1].append(token)
    return [tokens for tokens in found if tokens]


def _flat(arguments: list[list[Node]]) -> list[Node]:
    return [token for tokens in arguments for token in tokens]


def _is_plain(tokens: Iterable[Node]) -> bool:
    """Whether the value of an expression is up to the test alone."""
    flat = [leaf for token in tokens for leaf in leaves(token)]
    for place, leaf in enumerate(flat):
        following = flat[place + 1].type if place + 1 < len(flat) else ""
        if leaf.type != "identifier" or _PLAIN.fullmatch(text(leaf)) or following in {":", "::", "{"}:
            continue
        if not text(leaf)[:1].isupper() or following == "!":
            return False
    return True


def _is_no_value(tokens: list[Node], place: int) -> bool:
    """A tuple's field, an array's length, the text of a format."""
    before = tokens[place - 1].type if place else ""
    if before in {".", ";"}:
        return True
    return (
        place >= 3
        and before == "("
        and tokens[place - 2].type == "!"
        and text(tokens[place - 3]) in _PRINTING
    )


def _minus(tokens: list[Node], place: int) -> Node | None:
    if place == 0 or tokens[place - 1].type != "-" or not tokens[place].type.startswith(("integer", "float")):
        return None
    before = tokens[place - 2].type if place > 1 else ""
    operand = before.endswith(("identifier", "_literal")) or before in {")", "]", "}", "self"}
    return None if operand else tokens[place - 1]


def _may_be_skipped(node: Node, function: Node) -> bool:
    around = node.parent
    while around is not None and around.id != function.id:
        if around.type in _MAYBE:
            return True
        around = around.parent
    return False


def _apart(sites: list[Site]) -> list[Site]:
    """Without those that overlap an earlier one."""
    kept: list[Site] = []
    for site in sorted(dict.fromkeys(sites), key=lambda one: (one.start, one.end)):
        if not kept or site.start >= kept[-1].end:
            kept.append(site)
    return kept


def _with_code(site: Site, code: str) -> Site:
    return Site(site.path, site.start, site.end, code, site.kind, site.weak, site.conditional, site.choice)


def spread(strong: list[Site], weak: list[Site], most: int) -> Iterator[Site]:
    """At most `most` sites over the whole test; complements only where there are few values.

    A value that may never be compared, such as a table's, may turn out to be none that is expected.
    """
    step = max(1, len(strong) // most)
    chosen = strong[::step][:most]
    yield from chosen
    if len(chosen) < 2 or all(site.conditional for site in chosen):
        free = [
            site for site in weak if all(site.end <= one.start or site.start >= one.end for one in chosen)
        ]
        step = max(1, len(free) // 2)
        yield from free[::step][:2]
