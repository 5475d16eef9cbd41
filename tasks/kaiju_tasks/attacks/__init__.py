"""Attacks on the grader: ways to be paid for a library that was not written.

`<language>/<attack>.py` has one each, as ATTACK. Every one of them has to earn no more than the stub.

::

    attack.py     what an attack is
    <language>/   the attacks of a language; planting.py puts their code into a tree
"""

import pkgutil
from importlib import import_module

from kaiju_tasks.attacks.attack import Attack

_NOT_ATTACKS = frozenset({"planting"})


class UnknownAttack(ValueError):
    """A language or an attack that does not exist."""


def names(language: str) -> tuple[str, ...]:
    """Names of a language's attacks, sorted; empty when it has none."""
    return tuple(sorted(_modules(language)))


def get(language: str, name: str) -> Attack:
    """One attack. Raises UnknownAttack."""
    known = _modules(language)
    if name not in known:
        raise UnknownAttack(f"attack {name!r} of {language!r}: expected one of {', '.join(sorted(known))}")
    found: Attack = known[name]
    return found


def _modules(language: str) -> dict[str, Attack]:
    if language not in {module.name for module in pkgutil.iter_modules(__path__) if module.ispkg}:
        return {}
    package = import_module(f"{__name__}.{language}")
    modules = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg]
    attacks = [
        import_module(f"{package.__name__}.{name}").ATTACK for name in modules if name not in _NOT_ATTACKS
    ]
    return {attack.name: attack for attack in attacks}
