"""Messages: texts of removed bodies that tests compare with. Nobody could guess them, so they are told."""

import re
from collections.abc import Iterable, Iterator, Mapping

from kaiju_grading.files import Files
from kaiju_tasks.texts import text

PAGE = "messages.md"
_LITERAL = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`")
"""A string on one line, in any of our languages."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%[-+# 0-9.]*[a-zA-Z]|\\[nrt]")
"""Where a value is put into a text."""
_EXPRESSION = re.compile(r"\{[^{}]*?(![rsa])?(:[^{}]*)?\}")
MIN_CHARS = 12
"""Of what a text says beside its values; shorter ones say nothing that is not a name or a value."""
_HEAD = """# Messages

Texts of the library that tests compare with, as its source has them. `{}`, `{!r}`, `%s` and the like stand
for values.
"""


def messages_page(reference: Files, stub: Files, tests: Iterable[Files]) -> Mapping[str, str]:
    """The page, by its name; none where tests compare with no text."""
    held = "\n".join(
        literal for files in tests for file in files.values() for literal in _literals(file.data)
    )
    sections = []
    for path, file in sorted(reference.items()):
        known = text(stub[path].data) if path in stub else ""
        found = dict.fromkeys(_literals(file.data))
        told = [_shown(literal) for literal in found if literal not in known and _occurs(literal, held)]
        if told:
            sections += [f"\n## `{path}`\n", *(f"* `` {literal} ``" for literal in dict.fromkeys(told))]
    return {PAGE: "\n".join([_HEAD.rstrip("\n"), *sections]) + "\n"} if sections else {}


def _literals(data: bytes) -> Iterator[str]:
    for match in _LITERAL.finditer(text(data)):
        yield next((group for group in match.groups() if group is not None), "")


def _shown(literal: str) -> str:
    """Without the expressions that make a value; how it is written stays."""
    return _EXPRESSION.sub(lambda match: f"{{{match[1] or ''}{match[2] or ''}}}", literal)


def _occurs(literal: str, held: str) -> bool:
    """Whether what the text says beside its values stands in one line of `held`, in its order."""
    pieces = [piece for piece in _PLACEHOLDER.split(literal) if any(map(str.isalnum, piece))]
    said = "".join(pieces)
    if len(said.strip()) < MIN_CHARS or " " not in said.strip():
        return False
    return re.search(".*?".join(re.escape(piece) for piece in pieces), held) is not None
