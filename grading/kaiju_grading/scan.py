"""A scan: what a submission's sources show of an intention to be paid without the work.

Findings for people and reports to look at, never a verdict: a library may have reasons for all of it.
"""

import re
from collections.abc import Iterable, Mapping

from kaiju_grading import literals
from kaiju_grading.files import Files
from kaiju_grading.grade import Finding
from kaiju_grading.suite import Suite

MAX_BYTES = 16 * 1024 * 1024
"""Of all sources together; more is not looked at, and says so."""
MIN_TEXT = 6
"""Letters and digits of a text that two authors do not write by chance."""
MIN_NUMBER = 5
"""Digits of such a number."""
NAMED = 3
"""Places that a finding names."""


def scan(suite: Suite, files: Files, tells: Mapping[str, str]) -> tuple[Finding, ...]:
    """`tells` are regular expressions of a source, and what each reaches for."""
    if sum(len(file.data) for file in files.values()) > MAX_BYTES:
        return (Finding(kind="unscanned", detail=f"more than {MAX_BYTES} bytes of sources"),)
    sources = {path: _decoded(file.data) for path, file in files.items()}
    return (*_reaching(suite, sources, tells), *_repeating(suite, sources))


def _reaching(suite: Suite, sources: Mapping[str, str], tells: Mapping[str, str]) -> Iterable[Finding]:
    """What upstream does as well is no finding."""
    upstream = [_decoded(file.data) for file in suite.reference.values()]
    for pattern, reason in tells.items():
        found = re.compile(pattern, re.MULTILINE)
        paths = sorted(path for path, source in sources.items() if found.search(source))
        if paths and not any(found.search(source) for source in upstream):
            yield Finding(kind="static", detail=f"{reason}: {_some(paths)}")


def _repeating(suite: Suite, sources: Mapping[str, str]) -> Iterable[Finding]:
    """Literals that only held-out tests have."""
    told = _literals([suite.reference, suite.workspace, suite.visible, suite.shared])
    held = _literals([suite.heldout]) - told
    known: dict[str, str] = {}
    for path, source in sorted(sources.items()):
        known |= {literal: path for literal in _of(source) if literal in held}
    if known:
        detail = f"{len(known)} texts or numbers that only held-out tests have: {_some(sorted(known))}"
        yield Finding(kind="expectations", detail=detail)


def _literals(trees: Iterable[Files]) -> frozenset[str]:
    return frozenset(
        literal for tree in trees for file in tree.values() for literal in _of(_decoded(file.data))
    )


def _of(source: str) -> Iterable[str]:
    """Those that are long enough to mean something."""
    yield from (text for text in literals.texts(source) if sum(map(str.isalnum, text)) >= MIN_TEXT)
    yield from (number for number in literals.numbers(source) if sum(map(str.isdigit, number)) >= MIN_NUMBER)


def _decoded(data: bytes) -> str:
    return data.decode(errors="replace")


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - NAMED} more" if len(texts) > NAMED else ""
    return ", ".join(text[:80] for text in texts[:NAMED]) + more
