"""Features of a place in a test file that may be altered: what a reader can tell of it without running it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

Features = dict[str, str]
"""A bucket by the name of a feature."""

QUOTES = frozenset("\"'`")
NEAR = 8
"""Lines on either side that most likely belong to the same test."""
MANY = 3
"""Occurrences that are counted."""
_TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\d[\w.]*|\w+|[^\w\s]+")
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?", re.ASCII)
_CLASSES = (("[a-z]", "a"), ("[A-Z]", "A"), ("[0-9]", "9"))


@dataclass(frozen=True, slots=True)
class Counts:
    """What a file holds, and how often."""

    tokens: Counter[str]
    words: Counter[str]
    shapes: Counter[str]
    pairs: Counter[str]
    """Of letters, small."""

    @classmethod
    def of(cls, text: str) -> "Counts":
        tokens = Counter(match[0] for match in _TOKEN.finditer(text))
        shapes: Counter[str] = Counter()
        for token, count in tokens.items():
            shapes[_shape(token)] += count
        return cls(tokens, Counter(_words(text)), shapes, Counter(_pairs(text)))


@lru_cache(maxsize=8)  # alterations come file by file
def _counts(text: str) -> Counts:
    return Counts.of(text)


@dataclass(frozen=True, slots=True)
class Spot:
    """A token in a file, and what stands around it."""

    token: str
    own: str
    """What stands there as written: it is no part of its surroundings."""
    line: str
    near: str = field(repr=False)
    """Lines around, without the token."""
    file: str = field(repr=False)
    """As written."""

    @classmethod
    def at(cls, text: str, start: int, end: int) -> "Spot":
        """The tokens of one line that the characters `start` to `end` touch."""
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", max(start, end - 1))
        last = len(text) if last < 0 else last
        spans = [(first + match.start(), first + match.end()) for match in _TOKEN.finditer(text[first:last])]
        touched = [span for span in spans if span[0] < max(end, start + 1) and start < span[1]]
        begin, stop = (touched[0][0], touched[-1][1]) if touched else (start, end)
        above = text[:begin].split("\n")[-1 - NEAR :]
        below = text[stop:].split("\n")[: 1 + NEAR]
        token = text[begin:stop]
        return cls(token, token, text[first:last], "\n".join([*above, *below]), text)

    def reading(self, token: str) -> "Spot":
        """The same place with another value: what a program reads there, or the token itself."""
        if self.own[:1] in QUOTES and token[:1] not in QUOTES:
            token = f"{self.own[0]}{token}{self.own[0]}"
        return replace(self, token=token, line=self.line.replace(self.token, token, 1))


def form_of(spot: Spot) -> Features:
    """Its look alone: kind, shape, length and digits, and how common its shape is in the file."""
    token, shape = spot.token, _shape(spot.token)
    own = _shape(spot.own)
    others = _counts(spot.file).shapes[shape] - (own == shape and _is_one(spot.own))
    found = {
        "length": str(min(len(token), 16)),
        "line": str(min(len(spot.line) // 4, 30)),
        "shape": shape[:12],
        "usual shape": _several(others),
        "repeats": str(sum(one == other for one, other in pairwise(token))),
    }
    if _NUMBER.fullmatch(token):
        found |= _digits(token)
    elif token[:1] not in QUOTES:
        found["word"] = token[:24]
    return found


def context_of(spot: Spot) -> Features:
    """How well what it says fits to what stands around it: repeated values, known words, usual letters."""
    counts, own = _counts(spot.file), Counter(_words(spot.own))
    content = spot.token.strip("".join(QUOTES))
    words, near = _words(content), set(_words(spot.near))
    known = sum(counts.words[word] > own[word] for word in words)
    found = {
        "again": _several(counts.tokens[spot.token] - (spot.token == spot.own and _is_one(spot.own))),
        "near": str(spot.token in spot.near),
        "content near": str(bool(content) and content in spot.near),
        "known words": f"{known} of {len(words)}" if len(words) < 9 else _share(known, len(words)),
        "near words": _share(sum(word in near for word in words), len(words)),
    }
    pairs, written = list(_pairs(content)), Counter(_pairs(spot.own))
    if pairs:
        usual = [counts.pairs[pair] - written[pair] for pair in pairs]
        found["letters"] = _share(sum(count > MANY for count in usual), len(usual))
        found["oddest letters"] = _several(min(usual))
    if content.isdecimal() and content.isascii() and len(content) < 16:
        found["neighbour near"] = str(any(str(int(content) + step) in near for step in (-1, 1)))
    return found


def both(spot: Spot) -> Features:
    """Form and context together."""
    return form_of(spot) | context_of(spot)


def _digits(token: str) -> Features:
    digits = [int(char) for char in token if char.isdigit()]
    steps = pairwise(digits)
    return {
        "first digit": str(digits[0]),
        "last digit": str(digits[-1]),
        "zeros": str(len(token) - len(token.rstrip("0"))),
        "different digits": f"{len(set(digits))} of {len(digits)}",
        "runs": str(sum(abs(one - other) == 1 for one, other in steps)),
    }


def _is_one(token: str) -> bool:
    """Whether it is a single token, which is counted: `not in` are two."""
    return _TOKEN.fullmatch(token) is not None


def _shape(token: str) -> str:
    for pattern, char in _CLASSES:
        token = re.sub(pattern, char, token)
    return token


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _pairs(text: str) -> Iterator[str]:
    """Letters that stand beside each other."""
    small = text.lower()
    return (small[place : place + 2] for place in range(len(small) - 1) if small[place : place + 2].isalpha())


def _several(count: int) -> str:
    return str(min(count, MANY))


def _share(part: int, whole: int) -> str:
    return f"{4 * part // whole}/4" if whole else "none"
