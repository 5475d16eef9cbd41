"""Odd but honest trees: ways to write a right library that a careless grader would punish.

`<language>/<case>.py` has one each, as CASE. Every one of them has to earn what the plain reference earns.

::

    case.py       what a case is
    <language>/   the cases of a language
"""

import sys

from kaiju_tasks import catalogue
from kaiju_tasks.honest.case import Case


def of(language: str) -> dict[str, Case]:
    """A language's cases by name, sorted; empty when it has none."""
    return catalogue.entries(sys.modules[__name__], language, "CASE")


def get(language: str, name: str) -> Case:
    """One case. Raises UnknownEntry."""
    found: Case = catalogue.entry(of(language), "honest case", language, name)
    return found
