"""A pool: the words, texts and numbers that a test file itself writes, from which altered values come."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from kaiju_grading.languages.python.surgery_source import Source

RUNS = re.compile(r"[A-Za-z]+|[0-9]+")
"""What is replaced as a whole within a text."""
WORDS = re.compile(r"\w+")
NEAR = 8
"""Lines on either side that most likely belong to the same test."""
UNLIKE = 0.5
"""How much rarer a value is for each word or digit that it has more or less."""
MANY = 3
"""Occurrences that are counted."""
_PLAIN = re.compile(r"[^\\\"'\x00-\x1f\x7f-\U0010ffff]+")
"""The body of a text that reads the same within any quotes."""

Look = tuple[str, ...]
"""What can be seen of a value where it stands."""
Weights = dict[str, float]
Said = tuple[tuple[int, str], ...]
"""Line and text, as often as the file says it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands around a place, and what the file says at all."""

    near: str = field(repr=False)
    words: frozenset[str] = field(repr=False)
    """Of `near`."""
    texts: Mapping[str, int] = field(repr=False)
    numbers: Mapping[str, int] = field(repr=False)

    def of_text(self, body: str, own: str) -> Look:
        """Of a text: whether it was said nearby, its words were, and how often the file has it."""
        words = WORDS.findall(body)
        known = sum(word in self.words for word in words)
        share = "all" if known == len(words) else "some" if known else "none"
        return "text", str(body in self.near), share, _several(self.texts.get(body, 0) - (body == own))

    def of_number(self, token: str, own: str) -> Look:
        """Of a number: itself where the file expects it often, and whether it was said nearby."""
        count = self.numbers.get(token, 0)
        common = token if count > MANY else _several(count - (token == own))
        return "number", common, str(token in self.words)


@dataclass(frozen=True, slots=True)
class Pool:
    """What a file writes, in its order."""

    source: Source = field(repr=False)
    runs: Mapping[str, Said] = field(repr=False)
    """Words and numbers in texts, by form."""
    texts: tuple[tuple[int, str, int], ...] = field(repr=False)
    """Whole texts that read the same within any quotes: line, text, number of words."""
    numbers: Said = field(repr=False)
    """Whole numbers."""
    compared: tuple[ast.Constant, ...] = field(repr=False)
    """Texts and whole numbers that assertions compare with."""
    counts: tuple[Mapping[str, int], Mapping[str, int]] = field(repr=False)
    """How often each text, and each number that is compared with."""

    def scene(self, start: int, end: int) -> Scene:
        """Of the bytes from `start` to `end`."""
        data, line = self.source.data, self.source.line(start)
        first = self.source.lines[max(0, line - NEAR)]
        last = min(self.source.line(end) + NEAR + 1, len(self.source.lines) - 1)
        after = data[end : self.source.lines[last]] if last else b""
        near = (data[first:start] + b"\n" + after).decode(errors="replace")
        return Scene(near, frozenset(WORDS.findall(near)), *self.counts)

    def others(self, run: str, line: int) -> Counter[str]:
        """What could stand for a word or number of a text: of its length, or said nearby."""
        found = Counter(
            other
            for there, other in self.runs.get(form_of(run), ())
            if len(other) == len(run) or abs(there - line) <= NEAR
        )
        return _but(found, run)

    def other_texts(self, body: str, line: int) -> Weights:
        """Whole texts that could stand for one: said nearby, or with as many words."""
        size = len(RUNS.findall(body))
        found = Counter(
            other for there, other, words in self.texts if abs(there - line) <= NEAR or words == size
        )
        return {
            other: count * UNLIKE ** abs(len(RUNS.findall(other)) - size)
            for other, count in _but(found, body).items()
        }

    def other_numbers(self, token: str, line: int) -> Weights:
        """Numbers that the file expects, or says nearby; rather of as many digits."""
        near = Counter(other for there, other in self.numbers if abs(there - line) <= NEAR)
        return {
            other: count * UNLIKE ** abs(len(other) - len(token))
            for other, count in (Counter(self.counts[1]) + near).items()
            if other != token
        }


def _but(found: Counter[str], own: str) -> Counter[str]:
    """Without what says the same to somebody who looks less closely, and what holds it or is held by it."""
    return Counter({other: count for other, count in found.items() if not _alike(other, own)})


def _alike(one: str, other: str) -> bool:
    one, other = "".join(RUNS.findall(one)).lower(), "".join(RUNS.findall(other)).lower()
    if len(one) == len(other):
        return one == other
    return one in other or other in one


def form_of(run: str) -> str:
    """Digits, or letters with their case."""
    if run.isdigit():
        return "digits"
    return next((name for name in ("islower", "isupper", "istitle") if getattr(run, name)()), "mixed")


@lru_cache(maxsize=32)
def pool_of(source: Source) -> Pool:
    """Of a test file."""
    runs: dict[str, list[tuple[int, str]]] = {}
    texts: list[tuple[int, str]] = []
    numbers: list[tuple[int, str]] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value if isinstance(node.value, str) else node.value.decode("ascii", "replace")
            for run in RUNS.findall(value):
                runs.setdefault(form_of(run), []).append((node.lineno, run))
            texts += [(node.lineno, value)] if _PLAIN.fullmatch(value) and RUNS.search(value) else []
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            numbers.append((node.lineno, str(node.value)))
    compared = tuple(_compared(source.tree))
    expected = Counter(str(node.value) for node in compared if type(node.value) is int)
    whole = tuple(sorted((line, text, len(RUNS.findall(text))) for line, text in texts))
    said = {form: tuple(sorted(found)) for form, found in runs.items()}
    counts = (Counter(text for _, text in texts), expected)
    return Pool(source, said, whole, tuple(sorted(numbers)), compared, counts)


def tokens(source: Source, node: ast.Constant) -> Iterator[tuple[int, str]]:
    """(offset, text) of each token: adjacent strings are one constant of several tokens."""
    start, end = source.span(node)
    text = source.data[start:end].decode()
    lines = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    try:
        # Parentheses make line breaks between adjacent strings harmless.
        found = list(tokenize.generate_tokens(io.StringIO(f"({text})", newline="").readline))
    except (tokenize.TokenError, SyntaxError):
        return
    for token in found:
        if token.type in {tokenize.NUMBER, tokenize.STRING}:
            line, column = token.start
            position = lines[line - 1] + column - (1 if line == 1 else 0)
            yield start + len(text[:position].encode()), token.string


def _compared(tree: ast.Module) -> Iterator[ast.Constant]:
    """Indices and counts of what a test sets up have other habits than what it expects."""
    for node in ast.walk(tree):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            sides = node.args if node.func.attr.startswith("assert") else []
        for one in chain.from_iterable(map(_displayed, sides)):
            if type(one.value) in {int, str, bytes}:
                yield one


def _displayed(node: ast.expr) -> Iterator[ast.Constant]:
    """The constants of an expression that is one, or displays them."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        for item in node.values if isinstance(node, ast.Dict) else node.elts:
            yield from _displayed(item)


def _several(count: int) -> str:
    return str(min(count, MANY))
