"""The stub agent: submits the starting tree untouched. It must earn nothing."""

from collections.abc import Mapping

from kaiju_clients.agent import Agent
from kaiju_clients.errors import UsageError
from kaiju_clients.results import Started
from kaiju_clients.routine import submit_stages
from kaiju_clients.tools import Tools


class StubAgent:
    name = "stub"

    async def play(self, tools: Tools, task: Started) -> int | None:
        await submit_stages(tools)
        return None


def create(argument: str, environ: Mapping[str, str]) -> Agent:
    if argument:
        raise UsageError(f"--agent: stub takes no argument, not {argument!r}")
    return StubAgent()
