"""Attacks on the grader: ways to be paid for a library that was not written.

`<language>/<attack>.py` has one each, as ATTACK. Every one of them has to earn no more than the stub.

::

    attack.py     what an attack is
    <language>/   the attacks of a language; planting.py puts their code into a tree; naive.py is a grader
                  that believes what it is told
"""

import sys
from importlib import import_module

from kaiju_tasks import catalogue
from kaiju_tasks.attacks.attack import Attack, Naive


def names(language: str) -> tuple[str, ...]:
    """Names of a language's attacks, sorted; empty when it has none."""
    return tuple(of(language))


def of(language: str) -> dict[str, Attack]:
    """A language's attacks by name, sorted."""
    return catalogue.entries(sys.modules[__name__], language, "ATTACK")


def get(language: str, name: str) -> Attack:
    """One attack. Raises UnknownEntry."""
    found: Attack = catalogue.entry(of(language), "attack", language, name)
    return found


def naive(language: str) -> Naive:
    """The careless grader of a language that has attacks."""
    found: Naive = import_module(f"{__name__}.{language}.naive").naive
    return found
