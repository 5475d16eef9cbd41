"""Cells: what of the tests can be altered at run time, as our program finds it by types."""

from collections.abc import Mapping

from kaiju_grading.languages.go.sandboxed import answer, go_command, unanswered
from kaiju_grading.languages.go.test import name_of
from kaiju_grading.preparation import Obstacle, Surgery
from kaiju_grading.steps import Steps
from kaiju_grading.suite import Cell, Choice, Site, SiteKind


def find_cells(surgery: Surgery) -> Steps[tuple[Cell, ...]]:
    """One cell a test. Raises Obstacle `surgery` when our program has no answer."""
    tests: dict[str, list[str]] = {}
    for test in surgery.tests:
        tests.setdefault(test.unit.partition("::")[0], []).append(name_of(test))
    work = {**surgery.library, **surgery.files}
    result = yield go_command("sites", {"tests": tests}, work, surgery.environment)
    found = answer(result)
    if found is None:
        raise Obstacle("surgery", f"{', '.join(sorted(tests))}: {unanswered(result)}")
    sites: dict[str, list[Site]] = {}
    listed = found.get("sites")
    for entry in listed if isinstance(listed, list) else []:
        sites.setdefault(entry["test"], []).extend(_sites(entry))
    return tuple(
        Cell((test.id,), tuple(sorted(sites[test.id], key=lambda site: site.start)))
        for test in surgery.tests
        if test.id in sites
    )


def _sites(entry: Mapping[str, object]) -> list[Site]:
    """One for each wrong value of a place."""
    altered = entry["altered"]
    return [
        Site(
            path=str(entry["path"]),
            start=int(str(entry["start"])),
            end=int(str(entry["end"])),
            replacement=str(entry["replacement"]),
            kind=SiteKind(str(entry["kind"])),
            weak=bool(entry["weak"]),
            conditional=bool(entry["conditional"]),
            choice=Choice(str(entry["slot"]), str(entry["real"]), str(value)),
        )
        for value in (altered if isinstance(altered, list) else [])
    ]
