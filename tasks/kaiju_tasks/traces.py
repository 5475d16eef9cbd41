"""Traces: text of removed bodies in what an agent's sandbox can read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from kaiju_grading.files import Files
from kaiju_grading.suite import Suite
from kaiju_sandbox.command import Layer
from kaiju_tasks.prepare import messages
from kaiju_tasks.texts import is_binary, texts_below, texts_of, without_imports

WINDOW = 20
"""Words in a row that make a fingerprint, whatever lies between them: a copy has them in any layout."""
MIN_REMOVED = 5
"""Words of a fingerprint that must come from what was removed; the others are told by the stub. A signature
is everybody's, and a test double that implements it begins its body with the same `self` or `return`. A body
of so many words keeps its fingerprints: a window slides over it until it holds them all, or nothing else.
A shorter one says little that its signature does not suggest."""
KNOWN = 5
"""Words in a row that count as told when the stub has them anywhere; fewer stand in every file by chance."""
_WORD = re.compile(r"\w+")
_COMMENTS = re.compile(
    r"^[ \t]*(?:(?:#(?![\w\[!])|//).*|[rR]?(?P<quotes>\"{3}|'{3})[\s\S]*?(?P=quotes)[ \t]*)$", re.MULTILINE
)
"""Lines that are comments, or strings by themselves, in any of our languages: documentation quotes them, and
they solve nothing."""
MAX_PUBLIC = 0.05
"""Share of the fingerprints that a library may have copied out of the language's own library."""

Window = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A place where part of a removed body can be read. Unprintable characters are escaped."""

    where: str
    words: str
    """The first that were found."""


def find_traces(suite: Suite, stub: Files, pages: Mapping[str, str]) -> tuple[Trace, ...]:
    """Look through the workspace, the specification, the tests that run beside an agent's code, and every
    layer of the environment, into archives too.

    A few lines that the language's own library has as well are no trace: everybody can read them anywhere.
    Neither is what was not removed, whether or not a submission may hold it: such as compiled messages; nor
    texts that tests compare with, which are told on a page of their own.
    """
    changed = {path: file for path, file in suite.reference.items() if suite.workspace.get(path) != file}
    prints = fingerprints(changed, stub)
    public = _public(suite, prints)
    own = suite.environment.public if len(public) <= MAX_PUBLIC * len(prints) else ()
    prints -= public if own else frozenset()
    prints -= frozenset(_runs(_words(pages.get(messages.PAGE, "")), WINDOW))
    texts = chain(
        _of_files("workspace", suite.workspace),
        ((f"spec/{name}", page) for name, page in sorted(pages.items())),
        _of_files("tests/shared", suite.shared),
        _of_files("tests/visible", suite.visible),
        *(_of_layer(layer) for layer in suite.environment.layers if layer.target not in own),
    )
    firsts = frozenset(window[0] for window in prints)
    found = ((where, _match(content, prints, firsts)) for where, content in texts)
    return tuple(Trace(_printable(where), words) for where, words in found if words)


def _of_files(folder: str, files: Files) -> Iterator[tuple[str, str]]:
    return chain(*(texts_of(f"{folder}/{path}", file.data) for path, file in sorted(files.items())))


def _of_layer(layer: Layer) -> Iterator[tuple[str, str]]:
    return ((f"{layer.target}/{name}", content) for name, content in texts_below(layer.path))


def fingerprints(reference: Files, stub: Files) -> frozenset[Window]:
    """Runs of words that the reference has and the stub has not, neither whole nor nearly so."""
    bodies = (_words(without_imports(file.data)) for file in reference.values() if not is_binary(file.data))
    texts = [without_imports(file.data) for file in stub.values()]
    # A docstring that quotes a body is upstream's own documentation, and stands in the stub to be read.
    told = [*map(_words, texts), *map(_own_words, texts)]
    known = frozenset(run for words in told for run in _runs(words, KNOWN))
    whole = frozenset(run for words in told for run in _runs(words, WINDOW))
    return frozenset(window for words in bodies for window in _removed(words, known)) - whole


def _removed(words: list[str], known: frozenset[Window]) -> Iterator[Window]:
    """The windows of a file of the reference that hold enough of what the stub does not tell."""
    told = bytearray(len(words))
    for start, run in enumerate(_runs(words, KNOWN)):
        if run in known:
            told[start : start + KNOWN] = b"\1" * KNOWN
    for start, window in enumerate(_runs(words, WINDOW)):
        if told.count(0, start, start + WINDOW) >= MIN_REMOVED:
            yield window


def _public(suite: Suite, prints: frozenset[Window]) -> frozenset[Window]:
    """Those that stand in the language's own library."""
    layers = [layer for layer in suite.environment.layers if layer.target in suite.environment.public]
    texts = (content for layer in layers for _, content in texts_below(layer.path))
    firsts = frozenset(window[0] for window in prints)
    return frozenset(window for content in texts for window in _windows(content, firsts) if window in prints)


def _windows(content: str, firsts: frozenset[str]) -> Iterator[Window]:
    """Every run of words that begins with one of `firsts`."""
    words = _words(content)
    for start in range(len(words) - WINDOW + 1):
        if words[start] in firsts:
            yield tuple(words[start : start + WINDOW])


def _runs(words: list[str], length: int) -> Iterator[Window]:
    return (tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def _words(content: str) -> list[str]:
    """Of what is no comment."""
    return _own_words(_COMMENTS.sub("", content))


def _own_words(content: str) -> list[str]:
    """Without parameters that are only handed on (`name=name`): their signature says as much."""
    words = _WORD.findall(content)
    around = zip(["", *words], words, [*words[1:], ""], strict=False)
    return [word for before, word, after in around if before != word != after]


def _match(content: str, prints: frozenset[Window], firsts: frozenset[str]) -> str:
    """The first match is enough to name a text; empty without one."""
    found = (window for window in _windows(content, firsts) if window in prints)
    return " ".join(next(found, ()))


def _printable(name: str) -> str:
    """Members of archives are called anything."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in name)
