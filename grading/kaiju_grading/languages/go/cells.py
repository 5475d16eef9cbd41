"""Cells: what of the tests can be altered at run time, as our program finds it by types."""

from collections.abc import Callable, Iterable, Mapping

from kaiju_grading import plain
from kaiju_grading.languages.go.sandboxed import answer, go_command, unanswered
from kaiju_grading.languages.go.test import name_of
from kaiju_grading.preparation import Obstacle, Surgery
from kaiju_grading.steps import Steps
from kaiju_grading.suite import Cell, Choice, Question, Site, SiteKind

MAX_QUESTIONS = 64
"""Of one cell: the channel is bounded, and more make nothing harder to guess."""


def find_cells(surgery: Surgery) -> Steps[tuple[Cell, ...]]:
    """One cell a test, with flips and questions. Raises Obstacle `surgery` when our program has no answer."""
    tests: dict[str, list[str]] = {}
    for test in surgery.tests:
        tests.setdefault(test.unit.partition("::")[0], []).append(name_of(test))
    work = {**surgery.library, **surgery.files}
    result = yield go_command("sites", {"tests": tests}, work, surgery.environment)
    found = answer(result)
    if found is None:
        raise Obstacle("surgery", f"{', '.join(sorted(tests))}: {unanswered(result)}")
    sites: dict[str, list[Site]] = {}
    asked: dict[str, list[Site]] = {}
    for entry in _entries(found, "sites"):
        sites.setdefault(str(entry["test"]), []).extend(_sites(entry))
    for entry in _entries(found, "asked"):
        asked.setdefault(str(entry["test"]), []).append(_asking(entry))
    return tuple(
        Cell((test.id,), _in_order(sites[test.id]), _bounded(_in_order(asked.get(test.id, ()))))
        for test in surgery.tests
        if test.id in sites
    )


def _entries(found: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    listed = found.get(name)
    return listed if isinstance(listed, list) else []


def _in_order(sites: Iterable[Site]) -> tuple[Site, ...]:
    return tuple(sorted(sites, key=lambda site: (site.start, site.end)))


def _bounded(asked: tuple[Site, ...]) -> tuple[Site, ...]:
    """Without the questions that are too many."""
    spare = [site for site in asked if site.question][MAX_QUESTIONS:]
    return tuple(site for site in asked if site not in spare)


def _asking(entry: Mapping[str, object]) -> Site:
    """A lookup that is asked, or an edit that lets a comparison ask."""
    slot, real = str(entry["slot"]), str(entry["real"])
    expected = _expected(str(entry["type"]), real)
    question = Question(slot, expected, echoed=bool(entry["echoed"]), typed=True) if expected else None
    return Site(
        path=str(entry["path"]),
        start=int(str(entry["start"])),
        end=int(str(entry["end"])),
        replacement=str(entry["replacement"]),
        kind=SiteKind.EQUAL,
        choice=Choice(slot, real, real) if slot else None,
        question=question,
    )


def _expected(kind: str, real: str) -> str:
    """Empty where nothing is expected, or more than an answer can hold."""
    read: Mapping[str, Callable[[str], object]] = {"text": str, "whole": int, "float": float}
    try:
        return plain.encode(read[kind](real)) if kind else ""
    except plain.NotPlain:
        return ""


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
