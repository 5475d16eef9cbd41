"""Single lines and values of untrusted reports: of any type and size, made harmless or refused."""

import io
import json
import math
from collections.abc import Iterator

MAX_SECONDS = 31_536_000
MAX_COUNT = 1_000_000_000


def lines(data: bytes) -> Iterator[bytes]:
    """One at a time, each with its end: a list of small lines takes many times the memory of the data."""
    yield from io.BytesIO(data)


def json_object(line: bytes) -> dict[str, object] | None:
    """The object that a line holds; None when it holds anything else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def objects(values: object) -> list[dict[str, object]]:
    """The objects of a list; none when this is no list."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def count(value: object) -> int:
    """A line, a column or a number of things; 0 when this is none."""
    return value if type(value) is int and 0 <= value < MAX_COUNT else 0


def text(value: object, most: int) -> str:
    """A text that can be stored and sent; empty when this is none. Never `str(value)`: lists may be deep."""
    return value[:most].encode(errors="replace").decode() if isinstance(value, str) else ""


def end(value: object, most: int) -> str:
    """The end of a text, where the reason of a failure stands."""
    return text(value[-most:], most) if isinstance(value, str) else ""


def printable(value: object, most: int) -> str:
    """A text for one line: what cannot be shown becomes its escape."""
    shown = value[:most] if isinstance(value, str) else ""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in shown)


def seconds(value: object) -> float:
    """Within a year, else 0: whole numbers of any size may arrive, and those that are none."""
    if not isinstance(value, int | float):
        return 0.0
    try:
        found = float(value)
    except OverflowError:
        return 0.0
    return found if math.isfinite(found) and 0 <= found < MAX_SECONDS else 0.0
