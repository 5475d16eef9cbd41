"""Operands that are written of literals only, and the way to each literal in their value."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kaiju_grading import plain
from kaiju_grading.languages.rust import literals
from kaiju_grading.languages.rust.literals import KINDS, Literal
from kaiju_grading.languages.rust.surgery_tokens import segments
from kaiju_grading.languages.rust.syntax import text

_WRAPPING = {"Some": "SomeOf.kaiju_some()", "Ok": "OkOf.kaiju_ok()", "Err": "ErrOf.kaiju_err()"}
_PLACES = ("FirstOf", "SecondOf", "ThirdOf", "FourthOf")
_OWNING = frozenset({b"to_string", b"to_owned", b"into"})


@dataclass(frozen=True, slots=True)
class Step:
    """One way into a value: a method of `answers.rs`, and the trait that has it."""

    trait: str
    call: str

    @classmethod
    def named(cls, name: str) -> "Step":
        trait, _, call = name.partition(".")
        return cls(trait, call)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A literal of an operand."""

    literal: Literal
    steps: tuple[Step, ...] = ()

    @property
    def expected(self) -> str:
        """Plain data. Raises NotPlain."""
        kind, value = self.literal.kind, self.literal.value
        if kind == "flag":
            return plain.encode(value == "true")
        if kind != "number":
            return plain.encode(value)
        return plain.encode(int(value) if value.lstrip("-").isdigit() else float(value))


class _NotWritten(Exception):
    """Something that is no literal has a part in the value."""


def leaves_of(tokens: Sequence[Node]) -> tuple[Leaf, ...]:
    """All of which the value of an operand is made, in order; none where it is made of anything else."""
    try:
        found = tuple(_read(list(tokens), ()))
        for leaf in found:
            plain.decode(leaf.expected)
    except (_NotWritten, plain.NotPlain):
        return ()
    return found


def _read(tokens: list[Node], steps: tuple[Step, ...]) -> Iterator[Leaf]:
    kinds = [token.type for token in tokens]
    words = [text(token) for token in tokens]
    if kinds[:1] == ["&"] and (_is_row(tokens[1:]) or _literal(tokens[1:])):
        yield from _read(tokens[1:], steps)
    elif literal := _literal(tokens):
        yield Leaf(literal, steps)
    elif len(tokens) == 2 and words[0].decode(errors="replace") in _WRAPPING and kinds[1] == "token_tree":
        yield from _read(_inside(tokens[1]), (*steps, Step.named(_WRAPPING[words[0].decode()])))
    elif _is_row(tokens):
        parts = segments(tokens[-1])
        for place, part in enumerate(_some(parts)):
            step = Step("ElementOf", f"kaiju_element({len(parts)}, {place})")
            yield from _read(part, (*steps, step))
    elif kinds == ["token_tree"] and words[0].startswith(b"("):
        parts = segments(tokens[0])
        if not 2 <= len(parts) <= len(_PLACES):
            raise _NotWritten
        for place, part in enumerate(parts):
            yield from _read(part, (*steps, Step(_PLACES[place], f"kaiju_at{place}()")))
    else:
        raise _NotWritten


def _is_row(tokens: Sequence[Node]) -> bool:
    """`[...]` or `vec![...]`."""
    if [text(token) for token in tokens[:-1]] not in ([], [b"vec", b"!"]):
        return False
    return bool(tokens) and tokens[-1].type == "token_tree" and text(tokens[-1]).startswith(b"[")


def _literal(tokens: list[Node]) -> Literal | None:
    """A literal alone, or the text of one that is owned."""
    words = [text(token) for token in tokens]
    if len(tokens) == 4 and words[:3] == [b"String", b"::", b"from"] and tokens[3].type == "token_tree":
        return _of_kind(_literal(_inside(tokens[3])), "text")
    if len(tokens) == 4 and words[1] == b"." and words[2] in _OWNING and words[3] == b"()":
        return _of_kind(_literal(tokens[:1]), "text")
    negative = tokens[0] if len(tokens) == 2 and words[0] == b"-" else None
    written = tokens[-1] if negative is not None or len(tokens) == 1 else None
    if written is None or written.type not in KINDS:
        return None
    found = literals.read(written, negative=negative)
    if found is None or found.kind == "bytes" or (negative is not None and found.kind != "number"):
        return None
    return found if found.kind != "number" or math.isfinite(float(found.value)) else None


def _of_kind(literal: Literal | None, kind: str) -> Literal | None:
    return literal if literal is not None and literal.kind == kind else None


def _inside(tree: Node) -> list[Node]:
    """What stands alone in brackets."""
    parts = segments(tree)
    if len(parts) != 1:
        raise _NotWritten
    return parts[0]


def _some(parts: list[list[Node]]) -> list[list[Node]]:
    """An empty row has no literal, and would not be compared."""
    if not parts:
        raise _NotWritten
    return parts
