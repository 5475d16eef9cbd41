"""Telling: what visible tests say of held-out ones.

A visible test runs beside the agent's code, which can read it. Tests of one library look alike, so a line
that both have is no leak by itself. A module of which most expectations stand in visible tests would be one:
whoever copies them is paid for it.
"""

import re
from collections import Counter
from collections.abc import Iterable

from kaiju_grading.files import Files
from kaiju_grading.suite import Cell, Site, Suite
from kaiju_tasks.claim import Claim

LIMIT = 0.5
"""Share of a module's altered tests that visible tests may tell."""
FEW = 3
"""Tests that are told before a module is: one or two may be alike by chance, and are listed."""
ABOVE = 2
"""Lines above that belong to an expectation whose own line does not say of what input."""
_LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\b\d[\w.]*")

Window = tuple[str, ...]


def telling_claim(suite: Suite) -> Claim:
    """No test is both; no module is told for the most part."""
    visible = {test.unit for test in suite.visible_tests}
    both = sorted({test.unit for module in suite.modules for test in module.tests} & visible)
    homes = {test.id: module.name for module in suite.modules for test in module.tests}
    altered = Counter(homes[test] for cell in suite.cells for test in cell.tests if test in homes)
    told = Counter(homes[test] for test in told_tests(suite) if test in homes)
    open_modules = [name for name, count in told.items() if count >= FEW and count > LIMIT * altered[name]]
    detail = f"{told.total()} of {altered.total()} altered tests expect what visible tests expect too"
    if both:
        detail = f"visible and held out: {', '.join(both[:3])}"
    elif told:
        detail += f": {', '.join(f'{count} in {name}' for name, count in told.most_common(3))}"
    return Claim(name="visible tests tell no module", holds=not (both or open_modules), detail=detail)


def told_tests(suite: Suite) -> tuple[str, ...]:
    """Held-out tests all of whose altered literals stand in visible or shared files, on the same lines."""
    seen = frozenset(_windows((suite.visible, suite.shared)))
    return tuple(test for cell in suite.cells if _is_told(suite, cell, seen) for test in cell.tests)


def _is_told(suite: Suite, cell: Cell, seen: frozenset[Window]) -> bool:
    said = [window for site in cell.sites if (window := _expectation(suite, site))]
    return bool(said) and seen.issuperset(said)


def _expectation(suite: Suite, site: Site) -> Window:
    """The line with the altered literal, if it has another one that says of what; else the lines above too.

    Empty for what expects no literal: that something holds is expected everywhere.
    """
    text = suite.heldout[site.path].data.decode(errors="replace")
    place = len(suite.heldout[site.path].data[: site.start].decode(errors="replace"))
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
