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


EDGE = 2_048
"""Bytes at each end of a message that is not read, within which its id is looked for."""
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
UNPAIRED = (
    "the arguments hold an unpaired surrogate (half of a character beyond U+FFFF, such as a cut emoji); "
    "expected valid Unicode text"
)
MALFORMED = (
    "the request cannot be read: it is no JSON-RPC message, nests too deeply, or holds a number without end"
)
INVALID_PARAMS = -32602
# Anchored at the ends of the line, so that nothing within the arguments passes for the id.
_NAMED = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,100}"'
_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,100}")'
_FIRST = re.compile(rb"\s*\{\s*(?:" + _NAMED + rb"\s*,\s*)*" + _ID + rb"\s*[,}]")
_LAST = re.compile(rb"[,{]\s*" + _ID + rb"(?:\s*,\s*" + _NAMED + rb")*\s*\}\s*$")
_TOOL_CALL = re.compile(rb'"method"\s*:\s*"tools/call"')


def refusal(line: bytes) -> str | None:
    """The answer to a request that the SDK cannot read and would not answer; None where none can be given.

    A tool call is answered with a tool error, so that the model sees it.
    """
    return answer_to(line, UNPAIRED if _unpaired(line) else MALFORMED)


def answer_to(line: bytes, text: str) -> str | None:
    """An error for a request of which only the ends are looked at; None when it has no id to answer to."""
    head, tail = line[:EDGE], line[-EDGE:]
    found = _FIRST.match(head) or _LAST.search(tail)
    if found is None:
        return None
    told: dict[str, Any] = {"jsonrpc": "2.0", "id": json.loads(found[1])}
    if _TOOL_CALL.search(head) or _TOOL_CALL.search(tail):
        told["result"] = {"content": [{"type": "text", "text": text}], "isError": True}
    else:
        told["error"] = {"code": INVALID_PARAMS, "message": text}
    return json.dumps(told) + "\n"


def _unpaired(line: bytes) -> bool:
    if SURROGATE.search(line) is None:
        return False
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False
