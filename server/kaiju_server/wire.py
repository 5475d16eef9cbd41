"""The wire: outgoing JSON without characters at which some clients break lines."""

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
