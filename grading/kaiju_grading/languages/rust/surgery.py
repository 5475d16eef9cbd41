"""Surgery: which alterations the tests of a file allow; all of them together compile."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kaiju_grading.compose import apply_sites
from kaiju_grading.files import Files
from kaiju_grading.harness import lookups
from kaiju_grading.language import WORK
from kaiju_grading.languages.rust.layout import Laid, Tests, lay
from kaiju_grading.languages.rust.sandboxed import CHECK, Script, cargo_command
from kaiju_grading.languages.rust.surgery_helpers import helpers_of
from kaiju_grading.languages.rust.surgery_questions import questions_of
from kaiju_grading.languages.rust.surgery_sites import finder, spread
from kaiju_grading.languages.rust.surgery_tests import cut, read_tests, unit_prefix
from kaiju_grading.languages.rust.syntax import attributes, parse, text
from kaiju_grading.preparation import Surgery
from kaiju_grading.readers import cargo
from kaiju_grading.steps import Steps
from kaiju_grading.suite import Cell, Site, Test

MAX_PLACES = 6
"""Of one cell; each may have several wrong values."""
MAX_ROUNDS = 8

__all__ = ["cells", "cut"]


def cells(surgery: Surgery) -> Steps[tuple[Cell, ...]]:
    """Candidates, less those whose lookups do not compile."""
    found = candidates(surgery.files, surgery.tests)
    for _ in range(MAX_ROUNDS):
        sites = tuple(site for cell in found for site in (*cell.sites, *cell.asked))
        if not sites:
            return ()
        work = {**surgery.library, **apply_sites(surgery.files, lookups(found))}
        library = {path for path in surgery.library if path.startswith("src/") and path not in surgery.files}
        laid = lay(work, library, Tests.of(work, library), frozenset())
        result = yield cargo_command(Script("build.sh", CHECK), laid.work, surgery.environment)
        bad = _blamed(cargo.read(result.report), laid, sites, surgery.files)
        if not bad:
            return found
        found = _without(found, bad)
    return ()


def candidates(files: Files, tests: Iterable[Test]) -> tuple[Cell, ...]:
    """What the syntax offers, a cell for each test."""
    ids = {test.id for test in tests}
    rust = {path: file.data for path, file in files.items() if path.endswith(".rs")}
    named: dict[str, list[str]] = {}
    for test_id in sorted(ids):
        named.setdefault(test_id.partition("::")[0], []).append(test_id)
    parsed = {
        path: read_tests(path, data, named.get(unit_prefix(path, data), ())) for path, data in rust.items()
    }
    helpers = helpers_of(parsed.values())
    made: list[Cell] = []
    for file in parsed.values():
        find = finder(file, parse(file.data), helpers)
        for test_id, test in file.written.items():
            quiet = any(b"should_panic" in text(attribute) for attribute in attributes(test.node))
            if test_id in ids and not quiet:
                strong, weak = find.written(test.node)
                flips = tuple(spread(strong, weak, MAX_PLACES))
                made += _cell(test_id, flips, questions_of(file, test.node, find.pool, flips))
        for call in file.generated:
            for test_id, tokens in call.tokens.items():
                made += _cell(test_id, spread(find.generated(tokens), [], MAX_PLACES))
    return tuple(sorted(made, key=lambda cell: cell.tests))


def _cell(test_id: str, sites: Iterable[Site], asked: Iterable[Site] = ()) -> list[Cell]:
    found = tuple(sorted(sites, key=lambda site: site.start))
    questions = tuple(sorted(asked, key=lambda site: (site.start, site.end)))
    return [Cell((test_id,), found, questions)] if found else []


def _blamed(
    report: cargo.CargoReport, laid: Laid, sites: tuple[Site, ...], files: Mapping[str, object]
) -> frozenset[Site]:
    """Sites on the lines that errors point to; all of a file whose error points to none of them."""
    bad: set[Site] = set()
    lines = {site: _lines(site, files) for site in sites}
    for message in report.errors:
        places = [laid.origin(place.path.removeprefix(WORK + "/"), place.line) for place in message.places]
        held = [place for place in places if place is not None]
        hit = {
            site
            for site, (first, last) in lines.items()
            for path, line in held
            if site.path == path and first <= line <= last
        }
        bad |= hit or {site for site in sites if site.path in {path for path, _ in held}}
    if not bad and not report.succeeded:
        return frozenset(sites)
    return frozenset(bad)


def _lines(site: Site, files: Mapping[str, object]) -> tuple[int, int]:
    data = getattr(files[site.path], "data", b"")
    first = data.count(b"\n", 0, site.start) + 1
    return first, first + data.count(b"\n", site.start, site.end)


def _without(found: tuple[Cell, ...], bad: frozenset[Site]) -> tuple[Cell, ...]:
    """A test that is asked where it does not compile keeps its flips, until they are blamed, too."""
    left: list[Cell] = []
    for cell in found:
        if bad.isdisjoint(cell.asked):
            sites = tuple(site for site in cell.sites if site not in bad)
            left.append(replace(cell, sites=sites, asked=cell.asked if sites else ()))
        else:
            left.append(replace(cell, asked=()))
    return tuple(cell for cell in left if cell.sites)
