"""Telling: what visible tests say of held-out ones.

A visible test runs beside the agent's code, which can read it. Tests of one library look alike, so a line
that both have is no leak by itself. A module of which most expectations stand in visible tests would be one:
whoever copies them is paid for it.
"""

import re
from collections import Counter

from kaiju_grading.suite import Cell, Site, Suite
from kaiju_tasks.claim import Claim

MIN_WORDS = 4
"""Of a line that says what is expected of what: less, such as a row of two numbers, stands everywhere."""
LIMIT = 0.5
"""Share of a module's altered tests that visible tests may tell."""


def telling_claim(suite: Suite) -> Claim:
    """No test is both; no module is told for the most part."""
    visible = {test.unit for test in suite.visible_tests}
    both = sorted({test.unit for module in suite.modules for test in module.tests} & visible)
    told = told_tests(suite)
    homes = {test.id: module.name for module in suite.modules for test in module.tests}
    altered = Counter(homes[test] for cell in suite.cells for test in cell.tests if test in homes)
    by_module = Counter(homes[test] for test in told)
    open_modules = [name for name, count in by_module.items() if count > LIMIT * altered[name]]
    detail = f"{len(told)} of {altered.total()} altered tests have their expectations in visible tests too"
    if both:
        detail = f"visible and held out: {', '.join(both[:3])}"
    elif open_modules:
        detail += f", most of {', '.join(sorted(open_modules))}"
    return Claim(name="visible tests tell no module", holds=not (both or open_modules), detail=detail)


def told_tests(suite: Suite) -> tuple[str, ...]:
    """Held-out tests all of whose altered lines stand in visible or shared files, as they are written."""
    lines = frozenset(
        line
        for files in (suite.visible, suite.shared)
        for file in files.values()
        for line in map(_bare, file.data.decode(errors="replace").splitlines())
    )
    homes = {test.id for module in suite.modules for test in module.tests}
    return tuple(
        test for cell in suite.cells if _is_told(suite, cell, lines) for test in cell.tests if test in homes
    )


def _is_told(suite: Suite, cell: Cell, lines: frozenset[str]) -> bool:
    said = [_line(suite, site) for site in cell.sites]
    return bool(said) and all(len(re.findall(r"\w+", line)) >= MIN_WORDS and line in lines for line in said)


def _line(suite: Suite, site: Site) -> str:
    """The whole line that is altered, as written."""
    data = suite.heldout[site.path].data
    end = data.find(b"\n", site.start)
    line = data[data.rfind(b"\n", 0, site.start) + 1 : end if end >= 0 else len(data)]
    return _bare(line.decode(errors="replace"))


def _bare(line: str) -> str:
    return " ".join(line.split())
