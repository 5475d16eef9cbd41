"""Traces: text of removed bodies in what an agent's sandbox can read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from kaiju_grading.files import Files
from kaiju_grading.suite import Suite
from kaiju_sandbox.command import Layer
from kaiju_tasks.texts import text, texts_below, texts_of

WINDOW = 4
"""Lines in a row that make a fingerprint: fewer are found in documentation and in other libraries."""
MIN_LINE = 12
"""Characters of a line that tells anything."""
_HANDED_ON = re.compile(r"(\w+) ?= ?\1,?")
MAX_PUBLIC = 0.05
"""Share of the fingerprints that a library may have copied out of the language's own library."""

Window = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A place where part of a removed body can be read."""

    where: str
    line: str
    """First line of what was found."""


def find_traces(suite: Suite, stub: Files, pages: Mapping[str, str]) -> tuple[Trace, ...]:
    """Look through the workspace, the specification, the tests that run beside an agent's code, and every
    layer of the environment, into archives too.

    A few lines that the language's own library has as well are no trace: everybody can read them anywhere.
    """
    prints = fingerprints(suite.reference, stub)
    public = _public(suite, prints)
    own = suite.environment.public if len(public) <= MAX_PUBLIC * len(prints) else ()
    prints -= public if own else frozenset()
    texts = chain(
        _of_files("workspace", suite.workspace),
        ((f"spec/{name}", page) for name, page in sorted(pages.items())),
        _of_files("tests/shared", suite.shared),
        _of_files("tests/visible", suite.visible),
        *(_of_layer(layer) for layer in suite.environment.layers if layer.target not in own),
    )
    return tuple(Trace(where, line) for where, content in texts for line in _matches(content, prints))


def _of_files(folder: str, files: Files) -> Iterator[tuple[str, str]]:
    return chain(*(texts_of(f"{folder}/{path}", file.data) for path, file in sorted(files.items())))


def _of_layer(layer: Layer) -> Iterator[tuple[str, str]]:
    return ((f"{layer.target}/{name}", content) for name, content in texts_below(layer.path))


def fingerprints(reference: Files, stub: Files) -> frozenset[Window]:
    """Runs of telling lines that the reference has and the stub has not."""
    full = frozenset(window for file in reference.values() for window in _windows(text(file.data)))
    return full - frozenset(window for file in stub.values() for window in _windows(text(file.data)))


def _public(suite: Suite, prints: frozenset[Window]) -> frozenset[Window]:
    """Those that stand in the language's own library."""
    layers = [layer for layer in suite.environment.layers if layer.target in suite.environment.public]
    texts = (content for layer in layers for _, content in texts_below(layer.path))
    return frozenset(window for content in texts for window in _windows(content) if window in prints)


def _windows(content: str) -> Iterator[Window]:
    lines = [line for line in map(str.strip, content.splitlines()) if _tells(line)]
    for start in range(len(lines) - WINDOW + 1):
        yield tuple(lines[start : start + WINDOW])


def _tells(line: str) -> bool:
    """Not a short line, and not a parameter that is only handed on: its signature says as much."""
    return len(line) >= MIN_LINE and _HANDED_ON.fullmatch(line) is None


def _matches(content: str, prints: frozenset[Window]) -> list[str]:
    """The first match of a text is enough to name it."""
    return [window[0] for window in _windows(content) if window in prints][:1]
