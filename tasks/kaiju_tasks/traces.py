"""Traces: text of removed bodies in what an agent's sandbox can read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.suite import Suite

WINDOW = 4
"""Lines in a row that make a fingerprint: fewer are found in documentation and in other libraries."""
MIN_LINE = 12
"""Characters of a line that tells anything."""
_HANDED_ON = re.compile(r"(\w+) ?= ?\1,?")
MAX_PUBLIC = 0.05
"""Share of the fingerprints that a library may have copied out of the language's own library."""
MAX_FILE = 4 * 1024 * 1024

Window = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A place where part of a removed body can be read."""

    where: str
    line: str
    """First line of what was found."""


def find_traces(suite: Suite, stub: Files, pages: Mapping[str, str]) -> tuple[Trace, ...]:
    """Look through the workspace, the specification and every layer of the environment.

    A few lines that the language's own library has as well are no trace: everybody can read them anywhere.
    """
    prints = fingerprints(suite.reference, stub)
    public = _public(suite, prints)
    own = suite.environment.public if len(public) <= MAX_PUBLIC * len(prints) else ()
    prints -= public if own else frozenset()
    texts = [
        *((f"workspace/{path}", _text(file.data)) for path, file in sorted(suite.workspace.items())),
        *((f"spec/{name}", text) for name, text in sorted(pages.items())),
    ]
    found = [Trace(where, line) for where, text in texts for line in _matches(text, prints)]
    for layer in suite.environment.layers:
        for path in _files(layer.path) if layer.target not in own else ():
            name = f"{layer.target}/{path.relative_to(layer.path).as_posix()}"
            found += [Trace(name, line) for line in _matches(_text(path.read_bytes()), prints)]
    return tuple(found)


def fingerprints(reference: Files, stub: Files) -> frozenset[Window]:
    """Runs of telling lines that the reference has and the stub has not."""
    full = frozenset(window for file in reference.values() for window in _windows(_text(file.data)))
    return full - frozenset(window for file in stub.values() for window in _windows(_text(file.data)))


def _public(suite: Suite, prints: frozenset[Window]) -> frozenset[Window]:
    """Those that stand in the language's own library."""
    layers = [layer for layer in suite.environment.layers if layer.target in suite.environment.public]
    texts = (_text(path.read_bytes()) for layer in layers for path in _files(layer.path))
    return frozenset(window for text in texts for window in _windows(text) if window in prints)


def _windows(text: str) -> Iterator[Window]:
    lines = [line for line in map(str.strip, text.splitlines()) if _tells(line)]
    for start in range(len(lines) - WINDOW + 1):
        yield tuple(lines[start : start + WINDOW])


def _tells(line: str) -> bool:
    """Not a short line, and not a parameter that is only handed on: its signature says as much."""
    return len(line) >= MIN_LINE and _HANDED_ON.fullmatch(line) is None


def _matches(text: str, prints: frozenset[Window]) -> list[str]:
    """The first match of a text is enough to name it."""
    return [window[0] for window in _windows(text) if window in prints][:1]


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_FILE:
            yield path
