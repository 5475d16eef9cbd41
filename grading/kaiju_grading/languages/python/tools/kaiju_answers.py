"""Answers: what a test computed, as plain data for the result channel. Runs in a sandbox.

Where a held-out file asks, it says `__kaiju_ask__(__kaiju_key__(name), value)` and not `value == expected`.
The expected value is not here. A value is plain when it is of a base type, or of a subclass that compares as
its base does; anything else is opaque, because only its own `==` can tell what it equals.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

MAX_PARTS = 2_000
MAX_DEPTH = 12
MAX_CHARS = 16_384
MAX_ALL = 4_000_000
"""Characters of all answers of a run; what does not fit is opaque."""
MAX_ANSWERS = 64
"""Different answers of one test: an assertion may run often, and all its answers should be one."""
BASES = (str, int, float, bytes, list, tuple, dict, set, frozenset)


class Opaque(Exception):
    """A value that is no plain data."""


class Key:
    """Stands where an expected value stood."""

    def __init__(self, name: str) -> None:
        self.name = name


class Answers:
    """What the tests of one run answer."""

    def __init__(self, write: Callable[..., None]) -> None:
        self.write = write
        self.said: set[str] = set()
        self.room = MAX_ALL

    def begin(self) -> None:
        self.said = set()

    def ask(self, expected: object, value: object) -> bool:
        """Hand over a value, and be content with it; compare it where nothing is asked (another row)."""
        if type(expected) is not Key:
            return value == expected
        content, text = answer(value)
        said = f"{expected.name} {text}"
        # An assertion in a loop says the same again and again: once is enough.
        if said in self.said or len(self.said) >= MAX_ANSWERS:
            return True
        self.said.add(said)
        self.room -= len(text)
        self.write(question=expected.name, **(content if self.room >= 0 else {}))
        return True


def answer(value: object) -> tuple[dict[str, Any], str]:
    """What is written of a value, nothing where it is opaque, and its text."""
    try:
        content = packed(value, iter(range(MAX_PARTS)), 0)
        text = json.dumps(content)
    except Exception:  # noqa: BLE001 - own types may do anything when they are looked at
        return {}, ""
    return ({"plain": content}, text) if len(text) <= MAX_CHARS else ({}, "")


def packed(value: object, parts: Iterator[int], depth: int) -> object:
    if next(parts, None) is None or depth > MAX_DEPTH:
        raise Opaque
    if value is None or value is True or value is False:
        return value
    if type(value) is bytearray:
        return {"bytes": bytes(value).hex()}
    base = base_of(value)
    if base is str:
        return value if type(value) is str else "".join(str.__iter__(value))
    if base is int:  # an enumeration's own text must not be what is written
        return int.__int__(value)
    if base is float:
        return {"float": float.hex(float.__float__(value))}
    if base is bytes:
        return {"bytes": bytes.hex(value)}
    if base is dict:
        pairs = [[packed(item, parts, depth + 1) for item in pair] for pair in dict.items(value)]
        return {"dict": pairs}
    items = [packed(item, parts, depth + 1) for item in base.__iter__(value)]
    if base is list:
        return items
    return {"tuple" if base is tuple else "set": items}


def base_of(value: object) -> type:
    """The base type that a value compares as."""
    kind = type(value)
    for base in BASES:
        if issubclass(kind, base):
            if kind.__eq__ is base.__eq__ or (base is dict and kind.__eq__ is OrderedDict.__eq__):
                return base
            break
    raise Opaque
