"""Backends by name: a module here is a backend, its file name is its id, `create` is its door.

Every module has `def create(settings: Settings) -> Backend`.
"""

import pkgutil
from importlib import import_module

from kaiju_sandbox.backend import Backend
from kaiju_sandbox.errors import BackendUnavailable
from kaiju_sandbox.settings import Settings


def names() -> tuple[str, ...]:
    """Ids of the backends that exist."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def create(settings: Settings) -> Backend:
    """The backend that the settings name."""
    if settings.backend not in names():
        raise BackendUnavailable(settings.backend, f"no such backend; there are {', '.join(names())}")
    backend: Backend = import_module(f"{__name__}.{settings.backend}").create(settings)
    return backend
