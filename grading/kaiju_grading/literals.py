"""Literals: texts and long numbers of source code, in any of our languages."""

import re
from collections.abc import Iterator

_TEXT = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`")
"""A string on one line."""
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")


def texts(source: str) -> Iterator[str]:
    """What stands between quotes, escapes as they are written."""
    for match in _TEXT.finditer(source):
        yield next((group for group in match.groups() if group is not None), "")


def numbers(source: str) -> Iterator[str]:
    """Numbers without a sign or an exponent, as they are written."""
    return (match[0] for match in _NUMBER.finditer(source))
