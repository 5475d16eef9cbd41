"""What an agent is."""

from typing import Protocol

from kaiju_clients.results import Started
from kaiju_clients.tools import Tools


class Agent(Protocol):
    """Plays episodes. One object serves a whole batch, so it keeps nothing from one episode to the next."""

    @property
    def name(self) -> str:
        """As given to `--agent`; stands in every record."""
        ...

    async def play(self, tools: Tools, task: Started) -> int | None:
        """Play all three stages of an episode that has just been opened.

        Returns how many modules the last stage must have passed, None when nothing is promised.
        Raises AgentError for what is the agent's own fault.
        """
        ...
