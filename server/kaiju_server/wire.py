"""The wire: JSON without what some reader of it cannot take."""

import json
import re
from typing import Any

SEPARATORS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}
_TABLE = str.maketrans(SEPARATORS)
_BYTES = tuple((char.encode(), escape.encode()) for char, escape in SEPARATORS.items())


def escape_text(json_text: str) -> str:
    """The same JSON; these characters occur only within strings, where the escape means the same."""
    return json_text.translate(_TABLE)


def escape_bytes(json_bytes: bytes) -> bytes:
    """Like `escape_text`, for UTF-8."""
    for char, escape in _BYTES:
        json_bytes = json_bytes.replace(char, escape)
    return json_bytes


SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
UNPAIRED = (
    "the arguments hold an unpaired surrogate (half of a character beyond U+FFFF, such as a cut emoji); "
    "expected valid Unicode text"
)
INVALID_PARAMS = -32602


def refusal(line: bytes) -> str | None:
    """The answer to a request whose text is no Unicode: the SDK cannot read such a line and would not answer.

    None for every other line. A tool call is answered with a tool error, so that the model sees it.
    """
    if SURROGATE.search(line) is None:
        return None
    try:
        message = json.loads(line)
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return _answer(message) if isinstance(message, dict) and "id" in message else None
    except (ValueError, RecursionError):
        return None
    return None


def _answer(message: dict[str, Any]) -> str:
    told: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if message.get("method") == "tools/call":
        told["result"] = {"content": [{"type": "text", "text": UNPAIRED}], "isError": True}
    else:
        told["error"] = {"code": INVALID_PARAMS, "message": UNPAIRED}
    return json.dumps(told) + "\n"
