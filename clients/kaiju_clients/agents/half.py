"""The half agent: restores some files of the reference, so that a known number of modules passes."""

from collections.abc import Mapping

from kaiju_clients.agent import Agent
from kaiju_clients.agents.oracle import open_store, texts
from kaiju_clients.errors import AgentError
from kaiju_clients.results import Started
from kaiju_clients.routine import replace_sources, submit_stages
from kaiju_clients.tools import Tools
from kaiju_tasks.errors import TaskError
from kaiju_tasks.solution import half
from kaiju_tasks.store import Store


class HalfAgent:
    name = "half"

    def __init__(self, store: Store) -> None:
        self.store = store

    async def play(self, tools: Tools, task: Started) -> int | None:
        try:
            solution = half(self.store.task(task.task_id))
        except TaskError as error:
            raise AgentError(f"the local store has no half of a solution: {error}") from error
        await replace_sources(tools, task, texts(solution.files))
        await submit_stages(tools)
        return len(solution.modules)


def create(argument: str, environ: Mapping[str, str]) -> Agent:
    return HalfAgent(open_store("half", argument, environ))
