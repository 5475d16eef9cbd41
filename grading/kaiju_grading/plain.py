"""Plain data: what a test computed or expects, as JSON that every language can write.

null, true, false, integers and texts stand for themselves, a list for a list. What JSON lacks is an object of
one key: `{"float": hex}`, `{"bytes": hex}`, `{"tuple": [...]}`, `{"set": [...]}`, `{"dict": [[key, value],
...]}`. Anything else is not plain. Both sides are bounded: answers come from code that is not trusted.
"""

import json
from collections.abc import Callable

MAX_PARTS = 2_000
"""Values in one, itself included."""
MAX_DEPTH = 12
MAX_CHARS = 16_384
"""Of the JSON text."""


class NotPlain(ValueError):
    """A value that is no plain data, or too large."""


def encode(value: object) -> str:
    """The JSON text of a value of exactly the base types. Raises NotPlain."""
    text = _text(_packed(value, _Room()))
    if len(text) > MAX_CHARS:
        raise NotPlain("it is too long")
    return text


def normal(packed: object) -> str:
    """The text of JSON that somebody else wrote. Raises NotPlain for what is no plain data."""
    _unpacked(packed, _Room())
    text = _text(packed)
    if len(text) > MAX_CHARS:
        raise NotPlain("it is too long")
    return text


def same(one: str, other: str) -> bool:
    """Whether two texts stand for values that `==` holds of. Total for what `encode` and `normal` give."""
    return bool(decode(one) == decode(other))


def decode(text: str) -> object:
    """The value of a text. Raises NotPlain."""
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotPlain("it is not JSON") from error
    return _unpacked(packed, _Room())


def kind(text: str) -> str:
    """The type of its value, by name: `int`, `str`, `list`."""
    return type(decode(text)).__name__


class _Room:
    """What is left of the bounds."""

    def __init__(self) -> None:
        self.parts = MAX_PARTS

    def take(self, depth: int) -> None:
        self.parts -= 1
        if self.parts < 0 or depth > MAX_DEPTH:
            raise NotPlain("it is too large")


def _text(packed: object) -> str:
    try:
        return json.dumps(packed, sort_keys=True, separators=(",", ":"))
    except ValueError as error:  # a whole number of more digits than Python prints
        raise NotPlain("it is too large") from error


def _packed(value: object, room: _Room, depth: int = 0) -> object:
    room.take(depth)
    if value is None or type(value) in {bool, int, str}:
        return value
    if type(value) is float:
        return {"float": value.hex()}
    if type(value) is bytes:
        return {"bytes": value.hex()}
    if type(value) is dict:
        pairs = [[_packed(item, room, depth + 1) for item in pair] for pair in value.items()]
        return {"dict": pairs}
    if type(value) in {list, tuple, set, frozenset}:
        assert isinstance(value, list | tuple | set | frozenset)
        items = [_packed(item, room, depth + 1) for item in value]
        if type(value) is list:
            return items
        return {"tuple": items} if type(value) is tuple else {"set": sorted(items, key=_text)}
    raise NotPlain(f"{type(value).__name__} is no plain data")


def _unpacked(packed: object, room: _Room, depth: int = 0) -> object:
    room.take(depth)
    if packed is None or type(packed) in {bool, int, str}:
        return packed
    if isinstance(packed, list):
        return [_unpacked(item, room, depth + 1) for item in packed]
    if isinstance(packed, dict) and len(packed) == 1:
        ((name, content),) = packed.items()
        if name in {"float", "bytes"} and isinstance(content, str):
            return _read(float.fromhex if name == "float" else bytes.fromhex, content)
        if name in {"tuple", "set", "dict"} and isinstance(content, list):
            return _gathered(name, [_unpacked(item, room, depth + 1) for item in content])
    raise NotPlain("it has another form")


def _read(reader: Callable[[str], object], text: str) -> object:
    try:
        return reader(text)
    except (ValueError, OverflowError) as error:
        raise NotPlain("it has another form") from error


def _gathered(name: str, items: list[object]) -> object:
    if name == "tuple":
        return tuple(items)
    try:
        if name == "set":
            return frozenset(items)
        pairs = [item for item in items if isinstance(item, list) and len(item) == 2]
        if len(pairs) != len(items):
            raise NotPlain("it has another form")
        return dict(pairs)
    except TypeError as error:  # a list is no key
        raise NotPlain("it has another form") from error
