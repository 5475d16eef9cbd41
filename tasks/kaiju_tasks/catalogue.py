"""A catalogue: one small file for each entry, in a folder for each language."""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any


class UnknownEntry(ValueError):
    """A language or an entry that does not exist."""


def entries(package: ModuleType, language: str, attribute: str) -> dict[str, Any]:
    """By name, what the modules of `<package>/<language>/` have as `attribute`, sorted; empty for a language
    without a folder."""
    folders = {module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg}
    if language not in folders:
        return {}
    folder = import_module(f"{package.__name__}.{language}")
    names = [module.name for module in pkgutil.iter_modules(folder.__path__) if not module.ispkg]
    modules = [import_module(f"{folder.__name__}.{name}") for name in names]
    found = [getattr(module, attribute) for module in modules if hasattr(module, attribute)]
    return {entry.name: entry for entry in sorted(found, key=lambda entry: entry.name)}


def entry(known: dict[str, Any], kind: str, language: str, name: str) -> Any:  # noqa: ANN401 - as `entries`
    """One of them. Raises UnknownEntry."""
    if name not in known:
        raise UnknownEntry(f"{kind} {name!r} of {language!r}: expected one of {', '.join(known) or 'none'}")
    return known[name]
