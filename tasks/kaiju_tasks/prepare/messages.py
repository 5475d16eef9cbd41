"""Messages: texts of removed bodies that tests compare with. Nobody could guess them, so they are told."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kaiju_grading import literals
from kaiju_grading.files import Files
from kaiju_tasks.texts import text, without_imports

PAGE = "messages.md"
MIN_CHARS = 12
"""Of what a text says beside its values, to be looked for inside of other texts."""
MIN_WORD = 3
"""Letters and digits of a text that tests have as it stands."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|%[-+# 0-9.]*[a-zA-Z]|\\[nrt]")
"""Where a value is put into a text."""
_WORD = re.compile(r"\w*")
_EXPRESSION = re.compile(r"\{[^{}]*?(![rsa])?(:[^{}]*)?\}")
_HEAD = """# Messages

Texts of the library that tests compare with, as its source has them. `{}`, `{!r}`, `%s` and the like stand
for values.
"""


def messages_page(reference: Files, stub: Files, tests: Iterable[Files]) -> Mapping[str, str]:
    """The page, by its name; none where tests compare with no text."""
    held = _Held.of(tests)
    sections: list[str] = []
    for path, file in sorted(reference.items()):
        known = _Known.of(stub[path].data if path in stub else b"")
        found = dict.fromkeys(literal for literal in _literals(file.data) if not known.has(literal))
        told = dict.fromkeys(_shown(literal) for literal in found if held.has(literal))
        if told:
            sections += [f"\n## `{path}`\n", *(f"* `` {literal} ``" for literal in told)]
    return {PAGE: "\n".join([_HEAD.rstrip("\n"), *sections]) + "\n"} if sections else {}


@dataclass(frozen=True, slots=True)
class _Known:
    """The texts that a stub has kept, in documentation, too."""

    whole: frozenset[str] = field(repr=False)
    source: str = field(repr=False)

    @classmethod
    def of(cls, stub: bytes) -> "_Known":
        return cls(frozenset(_literals(stub)), text(stub))

    def has(self, literal: str) -> bool:
        """A single word tells nothing where it is but the name of something."""
        return literal in (self.whole if _WORD.fullmatch(literal) else self.source)


@dataclass(frozen=True, slots=True)
class _Held:
    """The texts of tests."""

    whole: frozenset[str] = field(repr=False)
    lines: str = field(repr=False)

    @classmethod
    def of(cls, tests: Iterable[Files]) -> "_Held":
        found = {literal for files in tests for file in files.values() for literal in _literals(file.data)}
        return cls(frozenset(found), "\n".join(sorted(found)))

    def has(self, literal: str) -> bool:
        """Whether a test has it as it stands, whole with its values, or a long enough part of it."""
        pieces = [piece for piece in _PLACEHOLDER.split(literal) if any(map(str.isalnum, piece))]
        if sum(map(str.isalnum, "".join(pieces))) < MIN_WORD:
            return False
        form = ".*?".join(re.escape(piece) for piece in _PLACEHOLDER.split(literal))
        if literal in self.whole or re.search(f"^{form}$", self.lines, re.MULTILINE):
            return True
        if not _is_long("".join(pieces)):
            return False
        inside = re.search(".*?".join(re.escape(piece) for piece in pieces), self.lines)
        return inside is not None or any(part in literal for part in self.whole if _is_long(part))


def _is_long(said: str) -> bool:
    """Whether it is a text of its own wherever it occurs."""
    return len(said.strip()) >= MIN_CHARS and " " in said.strip()


def _literals(data: bytes) -> Iterator[str]:
    return literals.texts(without_imports(data))


def _shown(literal: str) -> str:
    """Without the expressions that make a value; how it is written stays."""
    return _EXPRESSION.sub(lambda match: f"{{{match[1] or ''}{match[2] or ''}}}", literal)
