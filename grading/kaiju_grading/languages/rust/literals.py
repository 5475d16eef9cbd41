"""Literals: the value that one stands for, another value of its kind, and code that looks either up."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from kaiju_grading.languages.rust.layout import VALUES
from kaiju_grading.languages.rust.syntax import text

KINDS = frozenset(
    {
        "string_literal",
        "raw_string_literal",
        "char_literal",
        "integer_literal",
        "float_literal",
        "boolean_literal",
    }
)
_NUMBER = re.compile(
    r"(0x[0-9a-fA-F_]+?|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)([iuf](?:8|16|32|64|128|size))?"
)
_SMALLEST_TYPE = 127
"""What every type of integer holds."""
_WORD = re.compile(r"[A-Za-z]+|[0-9]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F_]+)\}|\n\s*|(.))", re.S)


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal with its minus sign, decoded."""

    kind: str
    """`text`, `bytes`, `letter`, `number` or `flag`."""
    value: str
    """As the table of values has it."""
    like: str
    """For numbers: a literal of the same type and no value."""
    start: int
    end: int

    def code(self, slot: str) -> str:
        """An expression of the literal's type that looks the value up."""
        call = f"crate::{VALUES}::{self.kind}"
        if self.kind == "number":
            return f'{call}({self.like}, "{slot}")'
        size = f"::<{len(self.value)}>" if self.kind == "bytes" else ""
        return f'{call}{size}("{slot}")'


def read(node: Node, *, negative: Node | None = None) -> Literal | None:
    """The literal at a node; `negative` is the minus sign before it. None: it cannot be looked up."""
    source = text(node).decode(errors="replace")
    start = negative.start_byte if negative is not None else node.start_byte
    sign = "-" if negative is not None else ""
    if node.type == "boolean_literal":
        return Literal("flag", source, "", start, node.end_byte)
    if node.type in {"integer_literal", "float_literal"}:
        return _number(source, sign, start, node.end_byte)
    if node.type == "char_literal":
        return _letter(source, start, node.end_byte)
    if source.startswith(("c", "br", "cr")) or "�" in source:
        return None
    if node.type == "raw_string_literal":
        inner = source[source.index('"') + 1 : source.rindex('"')]
        return Literal("text", inner, "", start, node.end_byte)
    binary = source.startswith("b")
    inner = _unescape(source[2 if binary else 1 : -1])
    if binary and any(ord(char) > 255 for char in inner):
        return None
    return Literal("bytes" if binary else "text", inner, "", start, node.end_byte)


def _number(source: str, sign: str, start: int, end: int) -> Literal | None:
    found = _NUMBER.fullmatch(source)
    if found is None:
        return None
    digits, suffix = found.group(1).replace("_", ""), found.group(2) or ""
    real = "." in digits or (not digits.startswith("0x") and "e" in digits.lower()) or suffix.startswith("f")
    value = digits if real else str(int(digits, 0) if digits[:2] in {"0x", "0o", "0b"} else int(digits))
    like = ("0.0" if real and not suffix else "0") + (f"_{suffix}" if suffix else "")
    return Literal("number", sign + value, like, start, end)


def _letter(source: str, start: int, end: int) -> Literal | None:
    binary = source.startswith("b")
    inner = _unescape(source[2 if binary else 1 : -1])
    if len(inner) != 1:
        return None
    if binary:
        return Literal("number", str(ord(inner)), "0_u8", start, end)
    return Literal("letter", inner, "", start, end)


def _unescape(inner: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found.group(1) or found.group(2):
            return chr(int((found.group(1) or found.group(2)).replace("_", ""), 16))
        return _ESCAPES.get(found.group(3), found.group(3)) if found.group(3) else ""

    return _ESCAPE.sub(one, inner)


def slot_of(path: str, start: int) -> str:
    """Names a place of the held-out files; tells nothing to whoever does not have them."""
    return hashlib.sha256(f"{path}\0{start}".encode()).hexdigest()[:12]


def altered(literal: Literal, pool: Iterable[Literal]) -> str | None:
    """Another value of the same kind that looks like the file's own; None where there is none.

    It is drawn as often as the file has it: a rare value would tell.
    """
    others = sorted(one.value for one in pool if one.kind == literal.kind and one.like == literal.like)
    seed = int(hashlib.sha256(f"{literal.start}\0{literal.value}".encode()).hexdigest()[:8], 16)
    if literal.kind == "flag":
        return "false" if literal.value == "true" else "true"
    if literal.kind == "number":
        return _other_number(literal, others, seed)
    alike = [
        one
        for one in others
        if len(one.encode()) == len(literal.value.encode()) and _differ(one, literal.value)
    ]
    if alike:
        return alike[seed % len(alike)]
    changed = _other_word(literal.value, others, seed) or _changed_text(literal.value, "".join(others), seed)
    if changed is not None or literal.kind != "text":
        return changed
    different = [one for one in others if _differ(one, literal.value)]
    return different[seed % len(different)] if different else None


def _differ(one: str, other: str) -> bool:
    """Whether no comparison that folds case and white space takes them for the same."""
    return "".join(one.casefold().split()) != "".join(other.casefold().split())


def _other_word(value: str, texts: list[str], seed: int) -> str | None:
    """The text with one of its words or numbers become another of the same length and form."""
    words: list[str] = [word for one in texts for word in _WORD.findall(one)]
    found = list(_WORD.finditer(value))
    for turn in range(len(found)):
        match = found[(seed + turn) % len(found)]
        alike = [word for word in words if _form(word) == _form(match[0]) and _differ(word, match[0])]
        if alike:
            return value[: match.start()] + alike[seed % len(alike)] + value[match.end() :]
    return None


def _form(word: str) -> tuple[int, bool, bool, bool]:
    return len(word), word.isdigit(), word.islower(), word.isupper()


def _changed_text(value: str, letters: str, seed: int) -> str | None:
    places = [place for place, char in enumerate(value) if char.isalnum()]
    for turn in range(len(places)):
        place = places[(seed + turn) % len(places)]
        options = _others(value[place], letters)
        if options:
            return value[:place] + options[seed % len(options)] + value[place + 1 :]
    return None


def _others(char: str, letters: str) -> list[str]:
    """Characters of the same class and width that are another letter."""
    if char.isascii():
        alphabet = "0123456789" if char.isdigit() else "abcdefghijklmnoprstuvw"
        letters = alphabet.upper() if char.isupper() else alphabet
    width = len(char.encode())
    return sorted(
        {
            one
            for one in letters
            if len(one.encode()) == width
            and one.casefold() != char.casefold()
            and (one.isupper(), one.isalpha()) == (char.isupper(), char.isalpha())
        }
    )


def _other_number(literal: Literal, others: list[str], seed: int) -> str | None:
    value = literal.value
    if "." in value or "e" in value.lower() or literal.like.startswith("0.0"):
        return _other_real(value)
    # No type is too small for these where it holds the real one.
    most = max(abs(int(value)), _SMALLEST_TYPE)
    alike = [one for one in others if len(one) == len(value) and one != value and abs(int(one)) <= most]
    if alike:
        return alike[seed % len(alike)]
    last = int(value[-1])
    if value in {"0", "1"}:
        return str(int(value) + 1)
    digit = last - 1 if last > 0 else 1
    return value[:-1] + str(digit)


def _other_real(value: str) -> str | None:
    """The first digit that counts is another: further away than any tolerance."""
    mantissa = re.split("[eE]", value)[0]
    place = next((at for at, char in enumerate(mantissa) if char in "123456789"), None)
    if place is None:
        place = next((at for at, char in enumerate(mantissa) if char == "0"), None)
        return None if place is None else value[:place] + "1" + value[place + 1 :]
    digit = int(value[place])
    return value[:place] + str(digit - 2 if digit > 5 else digit + 3) + value[place + 1 :]
