"""Options: what else could stand for an expected value, how it would look there, and how often it is taken.

A value tells by its looks that it was put there when real ones look so less often: tests expect what they
were given a line before, or a count of 1. So options are weighed until those that are drawn, over all
comparisons of the file, look as its real values do.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kaiju_grading.languages.python.surgery_pool import RUNS, Look, Pool, Scene, pool_of, tokens
from kaiju_grading.languages.python.surgery_source import Source

LITERAL = re.compile(r"(?P<prefix>[a-zA-Z]*)(?P<quote>\"\"\"|'''|\"|')")
_ESCAPE = re.compile(
    r"\\(?:N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL
)
_WHOLE = re.compile(r"[0-9]+", re.ASCII)
MOST = 40
"""Words that are weighed for one place of a text, the commonest of the file."""
ROUNDS = 30
"""Of weighing."""
SMOOTH = 0.1
"""What looks count that no real value has, or none that could be drawn."""
FIRMEST = 1e3
"""How far a look is weighed up or down."""


Tilt = Mapping[Look, float]
"""How much more often each look is taken, so that altered comparisons look as the real ones do."""


@dataclass(frozen=True, slots=True)
class Option:
    """`new` in the place of some characters of a token."""

    start: int
    end: int
    new: str
    weight: float
    look: Look

    @property
    def place(self) -> tuple[int, int]:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Token:
    """A literal of a file, and where it stands."""

    text: str
    start: int
    """In the file's bytes."""
    masks: tuple[re.Pattern[str], ...] = ()
    """Parts of a text that are instructions, not content."""
    digits_only: bool = False
    """A text that is read as a number."""

    @property
    def end(self) -> int:
        return self.start + len(self.text.encode())

    def body(self) -> tuple[int, int]:
        """Of a text: where it begins and ends within the quotes; nothing for what is read as code."""
        opening = LITERAL.match(self.text)
        if opening is None or "f" in opening["prefix"].lower():
            return 0, 0
        return opening.end(), len(self.text) - len(opening["quote"])

    def closed(self) -> set[int]:
        """Characters of a text that stand for something else."""
        first, last = self.body()
        raw = "r" in self.text[:first].lower()
        patterns = [*([] if raw else [_ESCAPE]), *self.masks]
        found = (match for pattern in patterns for match in pattern.finditer(self.text[first:last]))
        return {first + index for match in found for index in range(match.start(), match.end())}


def options(pool: Pool, token: Token) -> list[Option]:
    """Not weighed yet by how they look."""
    scene, line = pool.scene(token.start, token.end), 1 + pool.source.line(token.start)
    if _WHOLE.fullmatch(token.text):
        return _numbers(pool, scene, token, line)
    return [*_words(pool, scene, token, line), *_texts(pool, scene, token, line)]


def _numbers(pool: Pool, scene: Scene, token: Token, line: int) -> list[Option]:
    if len(token.text) > 1 and token.text[0] == "0":
        return []
    found = pool.other_numbers(token.text, line)
    size = len(token.text)
    return [
        Option(0, size, other, count, scene.of_number(other, token.text))
        for other, count in sorted(found.items())
    ]


def _words(pool: Pool, scene: Scene, token: Token, line: int) -> Iterator[Option]:
    """Words and numbers of a text that become others of the file; each is as likely to be the one."""
    first, last = token.body()
    own, closed = token.text[first:last], token.closed()
    for match in RUNS.finditer(token.text, first, last):
        start, end = match.span()
        if not closed.isdisjoint(range(start, end)) or (token.digits_only and not match[0].isdigit()):
            continue
        # What the text itself says does not stand elsewhere.
        for other, share in _shares(pool.others(match[0], line) - Counter(RUNS.findall(own))):
            body = token.text[first:start] + other + token.text[end:last]
            yield Option(start, end, other, share, scene.of_text(body, own))


def _texts(pool: Pool, scene: Scene, token: Token, line: int) -> Iterator[Option]:
    """Whole texts."""
    first, last = token.body()
    own = token.text[first:last]
    if token.masks or token.digits_only or not RUNS.search(own):
        return
    for body, share in _shares(pool.other_texts(own, line)):
        yield Option(first, last, body, share, scene.of_text(body, own))


def _shares(found: Mapping[str, float]) -> list[tuple[str, float]]:
    """The commonest, with the share of each."""
    most = sorted(found.items(), key=lambda one: (-one[1], one[0]))[:MOST]
    total = sum(weight for _, weight in most)
    return [(text, weight / total) for text, weight in most]


def weighed(pool: Pool, found: Iterable[Option]) -> list[tuple[Option, float]]:
    """The options with what each counts in a draw."""
    tilt = _tilt(pool.source)
    return [(option, option.weight * tilt.get(option.look, 1.0)) for option in found]


@lru_cache(maxsize=32)
def _tilt(source: Source) -> Tilt:
    pool = pool_of(source)
    real: Counter[Look] = Counter()
    places: list[dict[Look, float]] = []
    for node in pool.compared:
        for start, text in tokens(source, node):
            token = Token(text, start)
            found: dict[Look, float] = defaultdict(float)
            for option in options(pool, token):
                found[option.look] += option.weight
            if found:
                real[_real_look(pool, token)] += 1
                places.append(found)
    return _fitted(real, places)


def _real_look(pool: Pool, token: Token) -> Look:
    scene = pool.scene(token.start, token.end)
    if _WHOLE.fullmatch(token.text):
        return scene.of_number(token.text, token.text)
    first, last = token.body()
    return scene.of_text(token.text[first:last], token.text[first:last])


def _fitted(real: Mapping[Look, int], places: list[dict[Look, float]]) -> Tilt:
    """Iterative scaling: what is drawn too rarely counts more the next time."""
    tilt = dict.fromkeys([*real, *(look for place in places for look in place)], 1.0)
    for _ in range(ROUNDS):
        drawn: dict[Look, float] = defaultdict(float)
        for place in places:
            total = sum(weight * tilt[look] for look, weight in place.items())
            for look, weight in place.items():
                drawn[look] += weight * tilt[look] / total
        for look, factor in tilt.items():
            scaled = factor * (real.get(look, 0) + SMOOTH) / (drawn[look] + SMOOTH)
            tilt[look] = min(FIRMEST, max(1 / FIRMEST, scaled))
    return tilt
