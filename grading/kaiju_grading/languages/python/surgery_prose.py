"""The prose of a test: comments, docstring and messages, which may repeat what an alteration would change."""

import ast
import re

from kaiju_grading.languages.python.surgery_literals import Edit
from kaiju_grading.languages.python.surgery_source import Defined


def prose(defined: Defined) -> str:
    """Comments, docstring, assertion messages."""
    messages = [node.msg for node in ast.walk(defined.function) if isinstance(node, ast.Assert) and node.msg]
    texts = [defined.source.text(message) for message in messages]
    return "\n".join([defined.source.remarks(defined.function), *texts])


def told(defined: Defined, edit: Edit, text: str) -> bool:
    """Whether a text repeats the word or number that the edit changes, or one of several."""
    if not text:
        return False
    data = defined.source.data
    left, right = edit.start, edit.end
    while left > 0 and data[left - 1 : left].isalnum():
        left -= 1
    while data[right : right + 1].isalnum():
        right += 1
    changed = data[left:right].decode("utf-8", "replace")
    gone = set(_words(changed)) - set(_words(edit.text))
    return _says(text, changed) or any(_says(text, word) for word in gone)


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9]+", text)


def _says(text: str, word: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", text) is not None
