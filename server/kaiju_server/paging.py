"""Pages: parts of long results that stay below the size of one result."""

import json
from collections.abc import Sequence
from typing import TypeVar

from kaiju_server.results import Result

ROOM = 4096
"""Bytes that a page leaves for the other fields of its result."""

Item = TypeVar("Item", bound=Result)


def text_page(text: str, offset: int, limit: int, size: int) -> tuple[str, int | None]:
    """At most `limit` characters from `offset`, at most `size` bytes as JSON; and the next offset."""
    piece = text[offset : offset + limit]
    room = max(1, size - ROOM)
    while (length := _bytes(piece)) > room:
        piece = piece[: min(len(piece) - 1, len(piece) * room // length)]
    end = offset + len(piece)
    return piece, end if end < len(text) else None


def item_page(items: Sequence[Item], offset: int, limit: int, size: int) -> tuple[list[Item], int | None]:
    """At most `limit` items from `offset`, `size` bytes as JSON, at least one; and the next offset."""
    page: list[Item] = []
    left = size - ROOM
    for item in items[offset : offset + limit]:
        left -= len(item.model_dump_json()) + 2
        if left < 0 and page:
            break
        page.append(item)
    end = offset + len(page)
    return page, end if end < len(items) else None


def shortened(text: str, limit: int) -> str:
    """Head and tail of a long text, and how much is missing between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def _bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode(errors="surrogatepass"))
