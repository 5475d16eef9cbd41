"""Surgery: which alterations the tests of a file allow, and a file with only some of its tests."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from kaiju_grading.files import Files
from kaiju_grading.languages.python.surgery_body import body_sites
from kaiju_grading.languages.python.surgery_cut import cut
from kaiju_grading.languages.python.surgery_questions import body_questions, row_questions
from kaiju_grading.languages.python.surgery_rows import row_sites
from kaiju_grading.languages.python.surgery_source import Defined, Sources, is_generator
from kaiju_grading.suite import Cell, Site, Test

MAX_SITES = 6
"""Alternatives of one cell."""
MAX_WEAK = 2
"""Complements beside value alterations, so that assertions without a value are altered too."""
ROWS_SHARE = 0.6
"""Rows are altered one by one when at least this share of a test's ids has a site in its row."""

__all__ = ["cells", "cut"]


def cells(files: Files, tests: tuple[Test, ...], secret: str = "") -> tuple[Cell, ...]:
    """Candidate alterations, not proven yet: a cell for each id or, where ids share code, for all of them.

    Values are drawn by `secret`, which code under test must not be able to know.
    """
    sources = Sources(files, secret)
    groups: dict[tuple[str, int], list[Test]] = defaultdict(list)
    found: dict[tuple[str, int], Defined] = {}
    for test in tests:
        defined = sources.find(test.unit)
        if defined is not None and not is_generator(defined):
            key = (defined.source.path, defined.function.lineno)
            found[key] = defined
            groups[key].append(test)
    made = [cell for key, group in groups.items() for cell in _cells(found[key], group)]
    return tuple(sorted(made, key=lambda cell: cell.tests))


def _cells(defined: Defined, tests: list[Test]) -> list[Cell]:
    rows = row_sites(defined) if len({test.unit for test in tests}) == 1 else []
    if rows and max(test.ordinal for test in tests) < len(rows):
        asked = row_questions(defined)
        by_row = [Cell((test.id,), spread([rows[test.ordinal]]), asked[test.ordinal]) for test in tests]
        usable = [cell for cell in by_row if cell.sites]
        if len(usable) >= ROWS_SHARE * len(tests):
            return usable
    sites = spread(body_sites(defined))
    ids = tuple(sorted({test.id for test in tests}))
    return [Cell(ids, sites, body_questions(defined))] if sites else []


def spread(groups: Sequence[Sequence[Site]]) -> tuple[Site, ...]:
    """A few sites of many: one of each assertion before a second of any, kinds mixed, values first."""
    ranked = [site for rank in zip_longest(*groups) for site in rank if site is not None]
    strong = _by_kind(site for site in ranked if not site.weak)
    weak = _by_kind(site for site in ranked if site.weak)
    room = MAX_SITES if not strong else MAX_WEAK
    kept = weak[:room]
    return tuple(
        sorted([*strong[: MAX_SITES - len(kept)], *kept], key=lambda site: (site.start, site.replacement))
    )


def _by_kind(sites: Iterable[Site]) -> list[Site]:
    """Round robin over the kinds, each in its order."""
    queues: dict[str, list[Site]] = defaultdict(list)
    for site in dict.fromkeys(sites):
        queues[site.kind].append(site)
    return [site for rank in zip_longest(*queues.values()) for site in rank if site is not None]
