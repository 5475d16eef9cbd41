"""Links: which files of a test tree mention which others, whatever the language."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from kaiju_grading.files import Files

IMPORTING = re.compile(r"\b(import|from|require|include|use|mod|package|load|open|read)\b")

Links = Mapping[str, frozenset[str]]
"""Path to the paths that it mentions."""


def find_links(files: Files, tests: Iterable[str]) -> Links:
    """Code (what has a suffix of `tests`) mentions a file when it has its name, or imports the stem of code.

    A data file that no one names is mentioned by whoever names a folder above it. It may claim too much,
    never silently too little: what is placed by it is run afterwards.
    """
    suffixes = {PurePosixPath(path).suffix for path in tests}
    code = [path for path in files if PurePosixPath(path).suffix in suffixes]
    texts = {path: text for path in code if (text := _text(files[path].data)) is not None}
    direct = {path: _direct(path, text, files) for path, text in texts.items()}
    named = frozenset().union(*direct.values()) if direct else frozenset()
    return {path: found | _folders(path, texts[path], files, named) for path, found in direct.items()}


def closure(start: Iterable[str], links: Links) -> frozenset[str]:
    """`start` and everything that it mentions, directly or not."""
    found: set[str] = set()
    queue = list(start)
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue.extend(links.get(path, frozenset()))
    return frozenset(found)


def _direct(path: str, text: str, files: Files) -> frozenset[str]:
    suffix = PurePosixPath(path).suffix
    imports = "\n".join(line for line in text.splitlines() if IMPORTING.search(line))
    found = set()
    for other in files:
        name = PurePosixPath(other)
        if other == path:
            continue
        # Code is imported by its stem; anything else is opened by its name.
        word, where = (name.stem, imports) if name.suffix == suffix else (name.name, text)
        if _word(word, where):
            found.add(other)
    return frozenset(found)


def _folders(path: str, text: str, files: Files, named: frozenset[str]) -> frozenset[str]:
    suffix = PurePosixPath(path).suffix
    found = set()
    for other in files:
        name = PurePosixPath(other)
        if other in named or other == path or name.suffix == suffix:
            continue
        inner = [part for part in name.parent.parts if part not in PurePosixPath(path).parent.parts]
        if any(_word(part, text) for part in inner):
            found.add(other)
    return frozenset(found)


def _word(word: str, text: str) -> bool:
    return word in text and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
