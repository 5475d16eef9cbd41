"""A stand-in server: the tools of docs/tools.md, with verdicts and faults by configuration.

`KAIJU_FAKE` names a folder with `config.json`: `tasks` (rows), and per task `behaviours`, one for each
episode in order of start (the last one repeats). The folder also gets one file for each event, so that
several processes can be counted together.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

FOLDER = Path(os.environ["KAIJU_FAKE"])
CONFIG = json.loads((FOLDER / "config.json").read_text())
STAGES = ["draft", "lint", "test"]
MODULES = 4

server = MCPServer("fake", log_level="ERROR")
episodes: dict[str, dict[str, Any]] = {}


def event(name: str) -> int:
    """Record an event; returns how many of this name there were before, over all processes."""
    count = 0
    while True:
        try:
            (FOLDER / f"{name}.{count}").touch(exist_ok=False)
        except FileExistsError:
            count += 1
        else:
            return count


def result(**fields: object) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=str(fields))], structured_content=fields)


@server.tool(structured_output=False)
async def list_tasks(language: str | None = None, offset: int = 0, limit: int = 2) -> CallToolResult:
    rows = CONFIG["tasks"]
    more = {"next_offset": offset + limit} if offset + limit < len(rows) else {}
    return result(tasks=rows[offset : offset + limit], total=len(rows), **more)


@server.tool(structured_output=False)
async def start_task(task_id: str) -> CallToolResult:
    count = event(f"started-{task_id}")
    behaviours = CONFIG.get("behaviours", {}).get(task_id, ["ok"])
    behaviour = behaviours[min(count, len(behaviours) - 1)]
    if behaviour == "refuse":
        raise ToolError("task_id: no room for another episode")
    episode_id = f"{task_id}-{os.getpid()}-{count}"
    episodes[episode_id] = {"task": task_id, "behaviour": behaviour, "stage": "draft", "verdicts": {}}
    return result(
        episode_id=episode_id, task_id=task_id, stage="draft", instruction="Do it.", roots=["src"],
        pages=[{"name": "index.md", "chars": 5}], modules=MODULES, visible_tests=1, budgets={},
    )  # fmt: skip


@server.tool(structured_output=False)
async def run_lint(episode_id: str) -> CallToolResult:
    return result(run_id="lint", status="clean", files=1, problems=[])


@server.tool(structured_output=False)
async def run_tests_visible(episode_id: str, tests: list[str] | None = None) -> CallToolResult:
    return result(run_id="visible", status="finished", passed=1, failed=0, tests=[], problems=[], output="")


@server.tool(structured_output=False)
async def submit(episode_id: str, stage: str) -> CallToolResult:
    episode = episodes[episode_id]
    behaviour = episode["behaviour"]
    if behaviour == "die":
        os._exit(3)
    if behaviour == "hang":
        event("hanging")
        await anyio.sleep_forever()
    verdict: dict[str, Any] = {"run_id": f"{stage}-1", "stage": stage, "status": "graded", "rewards": {}}
    passed = 4 if behaviour == "ok" else behaviour if isinstance(behaviour, int) else 2
    verdict |= {"reward": passed / MODULES, "modules_passed": passed, "modules_total": MODULES}
    if behaviour == "infra" and stage == "test":
        verdict |= {"status": "infra_error", "reward": None, "cause": "no engine"}
    if behaviour == "nonsense":
        verdict["reward"] = 1.5
    if behaviour == "hidden":
        verdict = {"run_id": "x", "stage": stage, "status": "hidden", "rewards": {}}
    if behaviour == "attested":
        verdict["isolation"] = "attested"
    episode["verdicts"][f"{stage}-1"] = verdict
    if behaviour == "slow":
        return result(run_id=f"{stage}-1", stage=stage, status="running", rewards={})
    return result(**verdict)


@server.tool(structured_output=False)
async def get_run(episode_id: str, run_id: str) -> CallToolResult:
    return result(**episodes[episode_id]["verdicts"][run_id])


@server.tool(structured_output=False)
async def write_file(episode_id: str, path: str, content: str) -> CallToolResult:
    if path.startswith("/"):
        raise ToolError(f"path: {path!r} is absolute; expected a relative path")
    return result(path=path, size=len(content), sha256="0", created=True)


@server.tool(structured_output=False)
async def abandon(episode_id: str) -> CallToolResult:
    event("abandoned")
    return result(episode_id=episode_id, state="abandoned")


if __name__ == "__main__":
    event(f"process-{os.getpid()}")
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
