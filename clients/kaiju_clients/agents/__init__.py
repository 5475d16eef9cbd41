"""Agents by name: a module here is an agent, its file name is its id, `create` is its door.

Every module has `def create(argument: str, environ: Mapping[str, str]) -> Agent`; `argument` is what follows
a colon in the name (`scripted:FILE`), empty when nothing does. `create` raises UsageError.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from kaiju_clients.agent import Agent
from kaiju_clients.errors import UsageError


def names() -> tuple[str, ...]:
    """Ids of the agents that exist."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def create(name: str, environ: Mapping[str, str]) -> Agent:
    """The agent that `name` (`oracle`, `scripted:FILE`) means. Raises UsageError."""
    module, _, argument = name.partition(":")
    if module not in names():
        raise UsageError(f"--agent: no agent {module!r}; expected one of {', '.join(names())}")
    agent: Agent = import_module(f"{__name__}.{module}").create(argument, environ)
    return agent
