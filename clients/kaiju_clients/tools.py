"""The tools of a Kaiju server as typed coroutines over one MCP client.

A tool that refuses raises ToolFailed; a server that is gone, silent or unintelligible raises ServerFault.
"""

from collections.abc import AsyncIterator
from typing import Any, TypeVar

import anyio
from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent
from pydantic import ValidationError

from kaiju_clients import results
from kaiju_clients.errors import ServerFault, ToolFailed

R = TypeVar("R", bound=results.Result)
RunT = TypeVar("RunT", bound=results.Run)

POLL_PAUSE_S = 0.1


class Tools:
    """Every tool, for one episode once `start_task` was called."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.episode_id: str | None = None
        self.calls = 0
        self.waiting = 0
        """Above 0 while the server has to answer: a time-out is then not the agent's."""
        self.verdicts: dict[results.StageName, results.Submission] = {}

    async def list_tasks(self, language: str | None = None, offset: int = 0) -> results.TaskPage:
        return await self.ask(results.TaskPage, "list_tasks", language=language, offset=offset)

    async def all_tasks(self) -> AsyncIterator[results.TaskRow]:
        """Every task of the server, page by page."""
        offset: int | None = 0
        while offset is not None:
            page = await self.list_tasks(offset=offset)
            for task in page.tasks:
                yield task
            offset = _later(page.next_offset, offset)

    async def start_task(self, task_id: str) -> results.Started:
        """Open an episode; the calls that follow are about it."""
        started = await self.ask(results.Started, "start_task", task_id=task_id)
        self.episode_id = started.episode_id
        return started

    async def read_spec(self, page: str = "index.md", offset: int = 0) -> results.SpecPage:
        return await self.ask(results.SpecPage, "read_spec", page=page, offset=offset)

    async def list_files(self, path: str = "", offset: int = 0) -> results.FilePage:
        return await self.ask(results.FilePage, "list_files", path=path, offset=offset)

    async def all_files(self, path: str = "") -> AsyncIterator[results.FileRow]:
        """Every file of the workspace below `path`, page by page."""
        offset: int | None = 0
        while offset is not None:
            page = await self.list_files(path, offset)
            for file in page.files:
                yield file
            offset = _later(page.next_offset, offset)

    async def read_file(self, path: str, offset: int = 0) -> results.FileText:
        return await self.ask(results.FileText, "read_file", path=path, offset=offset)

    async def write_file(self, path: str, content: str) -> results.Written:
        return await self.ask(results.Written, "write_file", path=path, content=content)

    async def edit_file(self, path: str, old: str, new: str, *, replace_all: bool = False) -> results.Edited:
        return await self.ask(
            results.Edited, "edit_file", path=path, old=old, new=new, replace_all=replace_all
        )

    async def delete_file(self, path: str) -> results.Deleted:
        return await self.ask(results.Deleted, "delete_file", path=path)

    async def search_files(self, pattern: str, path: str = "", limit: int = 100) -> results.Matches:
        return await self.ask(results.Matches, "search_files", pattern=pattern, path=path, limit=limit)

    async def run_lint(self) -> results.Lint:
        """Lint the workspace and wait for the end of it."""
        return await self.finished(await self.ask(results.Lint, "run_lint"))

    async def run_tests_visible(self, tests: tuple[str, ...] = ()) -> results.VisibleTests:
        """Run the visible tests (these ids; none: all) and wait for the end of it."""
        return await self.finished(
            await self.ask(results.VisibleTests, "run_tests_visible", tests=list(tests))
        )

    async def get_run(self, kind: type[RunT], run_id: str) -> RunT:
        """The result of the tool that started the run; `status` is `running` until it has ended."""
        return await self.ask(kind, "get_run", run_id=run_id)

    async def submit(self, stage: results.StageName) -> results.Submission:
        """Submit the stage and wait for the verdict."""
        verdict = await self.finished(await self.ask(results.Submission, "submit", stage=stage))
        self.verdicts[verdict.stage] = verdict
        return verdict

    async def episode_status(self) -> results.EpisodeStatus:
        return await self.ask(results.EpisodeStatus, "episode_status")

    async def abandon(self) -> results.Abandoned:
        return await self.ask(results.Abandoned, "abandon")

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Any tool by name, as an agent would call it. Raises ToolFailed, ServerFault."""
        self.calls += 1
        self.waiting += 1
        try:
            answer = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            raise ServerFault(f"{tool}: {error}") from error
        self.waiting -= 1
        if answer.is_error:
            raise ToolFailed(tool, _text(answer))
        return answer

    async def ask(self, kind: type[R], tool: str, **arguments: Any) -> R:  # noqa: ANN401 - JSON values
        """Any tool about this episode, its answer read as `kind`; arguments that are None are left out."""
        given = {name: value for name, value in arguments.items() if value is not None}
        if self.episode_id is not None:
            given["episode_id"] = self.episode_id
        answer = await self.call(tool, given)
        try:
            return kind.model_validate(answer.structured_content)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise ServerFault(f"{tool}: unexpected answer: {place}: {first['msg']}") from error

    async def finished(self, run: RunT) -> RunT:
        """The same run when it has ended."""
        self.waiting += 1
        while run.status == "running":
            # The server holds the answer back (wait_s); the pause is for one that does not.
            await anyio.sleep(POLL_PAUSE_S)
            run = await self.get_run(type(run), run.run_id)
        self.waiting -= 1
        return run


def _text(answer: CallToolResult) -> str:
    return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))


def _later(following: int | None, offset: int) -> int | None:
    """The next page's offset; a server that does not move on is at fault."""
    if following is not None and following <= offset:
        raise ServerFault(f"paging does not move on: next_offset {following} after offset {offset}")
    return following
