"""Tools that are always there: the catalogue and the start of an episode."""

import time
from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from kaiju_server.paging import item_page
from kaiju_server.results import Budgets, Page, Started, TaskEntry, TaskList, answer
from kaiju_server.service import Service
from kaiju_server.tools.arguments import ADDS, READS, Call, Offset, caller, service_of
from kaiju_tasks.task import TaskView

WHOLE = "the whole tree"


def register(server: MCPServer[Service]) -> None:
    server.tool(title="List tasks", annotations=READS)(list_tasks)
    server.tool(title="Start a task", annotations=ADDS)(start_task)


async def list_tasks(
    ctx: Call,
    language: Annotated[
        str | None, Field(description="Only tasks of this language, such as 'python'.")
    ] = None,
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1)] = 50,
) -> Annotated[CallToolResult, TaskList]:
    """List the libraries that can be implemented here. start_task opens one."""
    service = service_of(ctx)
    entries = [_entry(view) for view in await service.catalogue.views(language)]
    page, following = item_page(entries, offset, limit, service.settings.result_bytes)
    lines = [
        f"{entry.task_id} ({entry.language}, {entry.modules} modules, "
        f"{entry.visible_tests} visible tests): {entry.description}"
        for entry in page
    ]
    if following is not None:
        lines.append(f"{len(entries)} tasks in all; the next page has offset={following}")
    return answer(
        TaskList(tasks=page, total=len(entries), next_offset=following), "\n".join(lines) or "no task"
    )


async def start_task(
    ctx: Call, task_id: Annotated[str, Field(description="A task_id from list_tasks.", max_length=200)]
) -> Annotated[CallToolResult, Started]:
    """Open an episode: a workspace with the library's stub, and the draft stage. Pass the episode_id of the
    answer to every other tool, unless the connection is bound to an episode."""
    service = service_of(ctx)
    episode = await service.start(await caller(ctx), task_id)
    view = await service.catalogue.view(task_id)
    left = episode.budget(service.settings, time.time())
    started = Started(
        episode_id=episode.id,
        task_id=view.id,
        stage=episode.row.shown_stage,
        instruction=view.instruction,
        roots=list(view.roots),
        pages=pages(view),
        modules=view.modules,
        visible_tests=view.visible_tests,
        budgets=Budgets(
            seconds_left=left.seconds_left,
            calls_left=left.calls_left,
            visible_runs_left=left.visible_runs_left,
        ),
    )
    return answer(started, _text(started))


def pages(view: TaskView) -> list[Page]:
    """The specification's pages, the first one first."""
    return [Page(name=name, chars=len(text)) for name, text in view.pages.items()]


def _entry(view: TaskView) -> TaskEntry:
    return TaskEntry(
        task_id=view.id,
        language=view.language,
        description=view.description,
        modules=view.modules,
        visible_tests=view.visible_tests,
    )


def _text(started: Started) -> str:
    return "\n".join(
        [
            f"episode_id: {started.episode_id}",
            f"Stage {started.stage} is open: {started.budgets.calls_left} calls and "
            f"{started.budgets.seconds_left:.0f} seconds are left for it.",
            f"The library lies in: {', '.join(WHOLE if root == '.' else root for root in started.roots)}",
            f"Specification (read_spec): {', '.join(page.name for page in started.pages)}",
            f"It is judged by {started.modules} modules of tests that you do not see; "
            f"{started.visible_tests} other tests can be run in the test stage.",
            "",
            started.instruction,
        ]
    )
