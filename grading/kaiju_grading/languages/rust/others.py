"""Other values: what could stand for a literal, and looks like the file's own.

Values are drawn as often as the file has them: a rare one would tell. All that are drawn for one literal come
about in the same way, and nothing of it depends on which of them is the real one: who sees several of them
must not see which one the others were made of.
"""

import hashlib
import random
import re
from collections.abc import Iterable

from kaiju_grading.languages.rust.literals import Literal

MOST = 3
"""Wrong values of one literal: four runs can show that many."""
_BOUNDS = tuple(2**bits - 1 for bits in (7, 8, 15, 16, 31, 32, 63, 64, 127, 128))
"""What types of integers hold at most: a type that holds a number holds the bound above it."""
_WORD = re.compile(r"[A-Za-z]+|[0-9]+")


def others(literal: Literal, pool: Iterable[Literal], salt: bytes = b"") -> tuple[str, ...]:
    """Up to MOST other values of the literal's kind; none where there is none.

    `salt` is what a library under test cannot know, such as the text of the file.
    """
    alike = [one.value for one in pool if one.kind == literal.kind and one.like == literal.like]
    seed = hashlib.sha256(f"{literal.start}\0{literal.value}\0".encode() + salt).digest()
    chance = random.Random(seed)  # noqa: S311 - repeatable; unknown to who lacks the file
    if literal.kind == "flag":
        return ("false" if literal.value == "true" else "true",)
    if literal.kind == "number":
        return _numbers(literal, sorted(alike), chance)
    return _texts(literal, sorted(alike), chance)


def bit(name: str, salt: bytes) -> int:
    """0 or 1, the same for every preparation."""
    return hashlib.sha256(name.encode() + b"\0" + salt).digest()[0] & 1


def _texts(literal: Literal, texts: list[str], chance: random.Random) -> tuple[str, ...]:
    value = literal.value
    different = [one for one in texts if _differ(one, value)]
    alike = [one for one in different if _alike_in_look(value, one)]
    whole = _drawn([one for one in alike if len(one.encode()) == len(value.encode())], chance)
    code = _look(value) == "code"
    found = _richest(whole, _other_words(value, alike if code else different, chance))
    if not found or code:
        found = _richest(found, _other_letters(value, "".join(texts), chance))
    return found if found or literal.kind != "text" else _drawn(alike or different, chance)


def _alike_in_look(value: str, other: str) -> bool:
    """No sentence stands for an empty text, and anything else may."""
    return _look(value) == _look(other) if value else _look(other) != "sentence"


def _look(text: str) -> str:
    """A sentence, a word, something with digits and without a blank, or with neither letters nor digits."""
    if " " in text or "\n" in text or "\t" in text:
        return "sentence"
    if any(char.isdigit() for char in text):
        return "code"
    return "word" if any(char.isalpha() for char in text) else "marks"


def _richest(*ways: tuple[str, ...]) -> tuple[str, ...]:
    """The first of those that give the most."""
    return max(ways, key=len)


def _drawn(values: list[str], chance: random.Random) -> tuple[str, ...]:
    """Different ones, the more likely the more often they are listed."""
    return tuple(dict.fromkeys(chance.sample(values, len(values))))[:MOST]


def _differ(one: str, other: str) -> bool:
    """Whether no comparison that folds case and white space takes them for the same."""
    return "".join(one.casefold().split()) != "".join(other.casefold().split())


def _other_words(value: str, texts: list[str], chance: random.Random) -> tuple[str, ...]:
    """The text with one of its words or numbers become others of the same length and form."""
    words: list[str] = [word for one in texts for word in _WORD.findall(one)]
    places = list(_WORD.finditer(value))
    found: tuple[str, ...] = ()
    for match in chance.sample(places, len(places)):
        alike = [word for word in words if _form(word) == _form(match[0]) and _differ(word, match[0])]
        made = (
            value[: match.start()] + word + value[match.end() :] for word in chance.sample(alike, len(alike))
        )
        found = _richest(found, tuple(dict.fromkeys(made))[:MOST])
        if len(found) == MOST:
            break
    return found


def _form(word: str) -> tuple[int, bool, bool, bool]:
    return len(word), word.isdigit(), word.islower(), word.isupper()


def _other_letters(value: str, letters: str, chance: random.Random) -> tuple[str, ...]:
    """The text with one of its letters or digits become others."""
    places = [place for place, char in enumerate(value) if char.isalnum()]
    found: tuple[str, ...] = ()
    for place in chance.sample(places, len(places)):
        options = _siblings(value[place], letters)
        made = (value[:place] + one + value[place + 1 :] for one in chance.sample(options, len(options)))
        found = _richest(found, tuple(made)[:MOST])
    return found


def _siblings(char: str, letters: str) -> list[str]:
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


def _numbers(literal: Literal, numbers: list[str], chance: random.Random) -> tuple[str, ...]:
    value = literal.value
    if "." in value or "e" in value.lower() or literal.like.startswith("0.0"):
        return _other_reals(value, chance)
    own = _drawn([one for one in numbers if one != value and _class_of(one) == _class_of(value)], chance)
    if len(own) == MOST:
        return own
    if len(value) == 1:
        near = tuple(one for one in _other_digits(value, chance) if one not in own)
        return (own + near)[:MOST]
    return _richest(own, _other_digits(value, chance)) if len(own) < 2 else own


def _class_of(number: str) -> tuple[int, bool, int]:
    """Length, sign and bound: what holds one number of a class holds all."""
    bound = next((bound for bound in _BOUNDS if abs(int(number)) <= bound), 0)
    return len(number), number.startswith("-"), bound


def _other_digits(value: str, chance: random.Random) -> tuple[str, ...]:
    """The number with another last digit: of neighbours on a ring of ten, in any position among them."""
    last, first = int(value[-1]), chance.randrange(MOST + 1)
    ring = (value[:-1] + str((last - first + step) % 10) for step in range(MOST + 1))
    made = [one for one in ring if one not in {value, "-0"} and _class_of(one) == _class_of(value)]
    return tuple(chance.sample(made, len(made)))


def _other_reals(value: str, chance: random.Random) -> tuple[str, ...]:
    """The first digit that counts is another: further away than any tolerance, and even or odd like it."""
    mantissa = re.split("[eE]", value)[0]
    place = next((at for at, char in enumerate(mantissa) if char in "123456789"), None)
    if place is None:
        place = next((at for at, char in enumerate(mantissa) if char == "0"), None)
    if place is None:
        return ()
    digits = [str(digit) for digit in range(int(value[place]) % 2, 10, 2) if str(digit) != value[place]]
    return tuple(value[:place] + one + value[place + 1 :] for one in chance.sample(digits, MOST))
