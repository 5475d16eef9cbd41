"""Telling: what visible tests say of held-out ones.

A visible test runs beside the agent's code, which can read it. Tests of one library look alike, so a line
that both have is no leak by itself. A module of which most expectations stand in visible tests would be one:
whoever copies them is paid for it.
"""

import re
from collections.abc import Iterable

from kaiju_grading.files import Files
from kaiju_grading.suite import Cell, Site

LIMIT = 0.5
"""Share of a module's altered tests that visible tests may tell."""
FEW = 3
"""Tests that are told before a module is: one or two may be alike by chance, and are listed."""
ABOVE = 2
"""Lines above that belong to an expectation whose own line does not say of what input."""
_LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\b\d[\w.]*")

Window = tuple[str, ...]


def told_tests(cells: Iterable[Cell], heldout: Files, *visible: Files) -> tuple[str, ...]:
    """Held-out tests all of whose altered literals stand in `visible` files, on the same lines."""
    seen = frozenset(_windows(visible))
    return tuple(test for cell in cells if _is_told(cell, heldout, seen) for test in cell.tests)


def is_told(told: int, altered: int) -> bool:
    """Whether a module with so many altered tests is: who copies what is visible would be paid for it."""
    return told >= FEW and told > LIMIT * altered


def _is_told(cell: Cell, heldout: Files, seen: frozenset[Window]) -> bool:
    said = [window for site in cell.sites if (window := _expectation(heldout[site.path].data, site))]
    return bool(said) and seen.issuperset(said)


def _expectation(data: bytes, site: Site) -> Window:
    """The line with the altered literal, if it has another one that says of what; else the lines above too.

    Empty for what expects no literal: that something holds is expected everywhere.
    """
    text = data.decode(errors="replace")
    place = len(data[: site.start].decode(errors="replace"))
    first, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    line = text[first : end if end >= 0 else len(text)]
    literals = list(_LITERAL.finditer(line))
    if not any(match.start() <= place - first < match.end() for match in literals):
        return ()
    above = _lines(text[:first])[-ABOVE:] if len(literals) < 2 else []
    return (*above, _bare(line))


def _windows(trees: Iterable[Files]) -> Iterable[Window]:
    for files in trees:
        for file in files.values():
            lines = _lines(file.data.decode(errors="replace"))
            for place, line in enumerate(lines):
                yield (line,)
                yield tuple(lines[max(0, place - ABOVE) : place + 1])


def _lines(text: str) -> list[str]:
    return [bare for line in text.splitlines() if (bare := _bare(line))]


def _bare(line: str) -> str:
    return " ".join(line.split())
