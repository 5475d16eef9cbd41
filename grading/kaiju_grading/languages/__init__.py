"""Languages by name: a folder here is a language, its name is its id."""

import os
import pkgutil
from importlib import import_module
from importlib.util import find_spec

from kaiju_grading.assay import Assay
from kaiju_grading.language import Language
from kaiju_grading.preparation import Preparation


class UnknownLanguage(ValueError):
    """A language id that has no folder."""


def names() -> tuple[str, ...]:
    """Ids of the languages that exist."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def get(language: str) -> Language:
    """The grading half of a language."""
    found: Language = import_module(f"{__name__}.{_known(language)}").LANGUAGE
    return found


def preparation(language: str) -> Preparation:
    """The preparing half; it may load much more, so the grader never asks for it."""
    found: Preparation = import_module(f"{__name__}.{_known(language)}.prepare").PREPARATION
    return found


def assay(language: str) -> Assay | None:
    """What it offers the proof of a task; None for a language that offers nothing."""
    name = f"{__name__}.{_known(language)}.assay"
    found: Assay | None = import_module(name).ASSAY if find_spec(name) else None
    return found


def _known(language: str) -> str:
    # One folder is looked at, not all: a grading asks for its language at every step.
    places = (os.path.join(folder, language, "__init__.py") for folder in __path__)  # noqa: PTH118 - a hot path
    if not language.isidentifier() or not any(map(os.path.isfile, places)):
        raise UnknownLanguage(f"language {language!r} is not known; expected one of {', '.join(names())}")
    return language
