"""The oracle: submits the reference. It opens the task store itself, the server has no door for it."""

from collections.abc import Mapping

from kaiju_clients.agent import Agent
from kaiju_clients.errors import AgentError, UsageError
from kaiju_clients.results import Started
from kaiju_clients.routine import read_specification, replace_sources, submit_stages
from kaiju_clients.tools import Tools
from kaiju_grading.files import Files
from kaiju_sandbox.settings import Settings, SettingsError
from kaiju_tasks.errors import TaskError
from kaiju_tasks.solution import reference_files
from kaiju_tasks.store import Store


class OracleAgent:
    name = "oracle"

    def __init__(self, store: Store) -> None:
        self.store = store

    async def play(self, tools: Tools, task: Started) -> int | None:
        try:
            files = reference_files(self.store.task(task.task_id))
        except TaskError as error:
            raise AgentError(f"the local store has no solution: {error}") from error
        await read_specification(tools, task)
        await replace_sources(tools, task, texts(files))
        await submit_stages(tools)
        return task.modules


def texts(files: Files) -> dict[str, str]:
    """Files as `write_file` takes them. Raises AgentError for one that is not UTF-8."""
    try:
        return {path: file.data.decode() for path, file in files.items()}
    except UnicodeDecodeError as error:
        raise AgentError(f"the solution has a file that no tool can write: {error}") from error


def open_store(name: str, argument: str, environ: Mapping[str, str]) -> Store:
    """The store that the settings name. Raises UsageError."""
    if argument:
        raise UsageError(f"--agent: {name} takes no argument, not {argument!r}")
    try:
        return Store(Settings.load(environ).tasks_dir)
    except SettingsError as error:
        raise UsageError(str(error)) from error


def create(argument: str, environ: Mapping[str, str]) -> Agent:
    return OracleAgent(open_store("oracle", argument, environ))
