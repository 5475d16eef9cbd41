"""The tool that searches the workspace."""

from typing import Annotated

import anyio.to_thread
from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from kaiju_server.paging import item_page
from kaiju_server.results import Match, Matches, answer
from kaiju_server.search import search, turn
from kaiju_server.service import Service
from kaiju_server.tools.arguments import READS, Call, EpisodeId, Folder, caller, service_of

MOST = 1_000


def register(server: MCPServer[Service]) -> None:
    server.tool(title="Search the files", annotations=READS)(search_files)


async def search_files(
    ctx: Call,
    pattern: Annotated[
        str, Field(description="A regular expression (Python), looked for in every line.", max_length=2_000)
    ],
    path: Folder = "",
    limit: Annotated[int, Field(ge=1)] = 100,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, Matches]:
    """Find the lines that a regular expression matches, in all files or below one folder."""
    service = service_of(ctx)
    who = await caller(ctx)
    searched = await service.episodes.find(who, episode_id)
    async with turn(searched.searching):
        async with service.work(who, "search_files", episode_id) as episode:
            files = await anyio.to_thread.run_sync(episode.workspace.texts, path)
        found, truncated = await search(files, pattern, min(limit, MOST))
    matches = [Match(path=hit.path, line=hit.line, text=hit.text) for hit in found]
    page, following = item_page(matches, 0, len(matches) or 1, service.settings.result_bytes)
    result = Matches(matches=page, truncated=truncated or following is not None)
    lines = [f"{match.path}:{match.line}: {match.text}" for match in page]
    if result.truncated:
        lines.append("[more lines match; narrow the pattern or the path]")
    return answer(result, "\n".join(lines) or "no line matches")
