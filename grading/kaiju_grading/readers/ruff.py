"""Findings of ruff, from its JSON."""

from kaiju_grading.readers import values
from kaiju_grading.report import Problem

_MAX_MESSAGE = 500
"""Characters of one message."""


def read(findings: object, folder: str) -> tuple[Problem, ...] | None:
    """Problems with paths relative to `folder`; None when this is not ruff's answer.

    A finding without a line is a note: nothing in the file can be changed to please it.
    """
    if not isinstance(findings, list):
        return None
    problems = [_problem(finding, folder) for finding in findings]
    known = tuple(problem for problem in problems if problem is not None)
    return known if len(known) == len(problems) else None


def _problem(finding: object, folder: str) -> Problem | None:
    if not isinstance(finding, dict):
        return None
    name, message, place = finding.get("filename"), finding.get("message"), finding.get("location") or {}
    if not isinstance(name, str) or not isinstance(message, str) or not isinstance(place, dict):
        return None
    line = values.count(place.get("row"))
    rule = values.printable(finding.get("code") or finding.get("name"), _MAX_MESSAGE)
    return Problem(
        path=values.text(name, len(name)).removeprefix(folder.rstrip("/") + "/"),
        line=line,
        column=values.count(place.get("column")),
        rule=rule or "ruff",
        message=values.printable(message, _MAX_MESSAGE),
        severity="error" if line else "note",
    )
