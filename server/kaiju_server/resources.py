"""Resources and the prompt: the catalogue and the specifications, for clients that read these."""

import json
from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from kaiju_server.errors import NotFound
from kaiju_server.service import Service
from kaiju_tasks.task import TaskView


def register(server: MCPServer[Service], running: Callable[[], Service]) -> None:
    """`running` gives the service: the SDK passes no context to a resource with a fixed address."""

    async def catalogue() -> str:
        """Every task that can be started, with its specification's pages."""
        return json.dumps([_entry(view) for view in await running().catalogue.views()])

    server.resource("catalog://tasks", title="Tasks", mime_type="application/json")(catalogue)
    server.resource("spec://{task_id}/{page}", title="Specification", mime_type="text/markdown")(spec)
    server.prompt(title="Solve a task")(solve)


async def spec(task_id: str, page: str, ctx: Context[Any, Any]) -> str:
    """One Markdown page of a task's specification."""
    try:
        view = await _service(ctx).catalogue.view(task_id)
    except NotFound as error:
        raise ResourceNotFoundError(str(error)) from error
    if page not in view.pages:
        raise ResourceNotFoundError(f"no page {page!r} of {task_id}; expected one of {', '.join(view.pages)}")
    return view.pages[page]


async def solve(task_id: str, ctx: Context[Any, Any]) -> str:
    """What to do with a task, from start to end."""
    view = await _service(ctx).catalogue.view(task_id)
    return (
        f"Implement the library of task {view.id} with the tools of this server.\n"
        f"1. start_task(task_id={view.id!r}) and keep the episode_id.\n"
        "2. Read the specification (read_spec) and the stub (list_files, read_file).\n"
        "3. Write the implementation (write_file, edit_file), then submit(stage='draft').\n"
        "4. run_lint, put right what it finds, then submit(stage='lint').\n"
        "5. run_tests_visible, put right what fails, then submit(stage='test').\n\n"
        f"{view.instruction}"
    )


def _entry(view: TaskView) -> dict[str, Any]:
    return {
        "task_id": view.id,
        "language": view.language,
        "description": view.description,
        "modules": view.modules,
        "visible_tests": view.visible_tests,
        "pages": [f"spec://{view.id}/{page}" for page in view.pages],
    }


def _service(ctx: Context[Any, Any]) -> Service:
    service: Service = ctx.request_context.lifespan_context
    return service
