"""What every part of one running server stands on."""

from dataclasses import dataclass

from anyio.abc import TaskGroup

from kaiju_sandbox.leftovers import Owner
from kaiju_server.database import Database
from kaiju_server.judge import Judge
from kaiju_server.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Ground:
    settings: ServerSettings
    database: Database
    judge: Judge
    owner: str
    """The label of this process, in every row that only one server may work on."""
    tasks: TaskGroup
    """Background work; cancelled when the server stops, begun again when the next one starts."""


def orphaned(owner: str) -> bool:
    """Whether the process that wrote this label is certainly gone."""
    found = Owner.parse(owner)
    return found is None or not found.alive()
