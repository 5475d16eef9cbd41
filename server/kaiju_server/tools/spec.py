"""The tool that reads the specification."""

from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from kaiju_server.errors import NotFound, shown
from kaiju_server.paging import text_page
from kaiju_server.results import SpecPage, answer
from kaiju_server.service import Service
from kaiju_server.tools.arguments import READS, Call, EpisodeId, Offset, caller, service_of
from kaiju_server.tools.tasks import pages


def register(server: MCPServer[Service]) -> None:
    server.tool(title="Read the specification", annotations=READS)(read_spec)


async def read_spec(
    ctx: Call,
    page: Annotated[str, Field(description="A page from `pages`; the first is 'index.md'.")] = "index.md",
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1, description="Characters.")] = 20_000,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, SpecPage]:
    """Read one Markdown page of the library's specification: what to implement."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), "read_spec", episode_id) as episode:
        view = await service.catalogue.view(episode.row.task_id)
    if page not in view.pages:
        raise NotFound(f"argument 'page': {shown(page)} is no page; expected one of {', '.join(view.pages)}")
    whole = view.pages[page]
    text, following = text_page(whole, offset, limit, service.settings.result_bytes)
    result = SpecPage(page=page, text=text, total_chars=len(whole), next_offset=following, pages=pages(view))
    others = ", ".join(name for name in view.pages if name != page)
    more = f"\n[continues at offset={following} of {len(whole)}]" if following is not None else ""
    return answer(result, f"{text}{more}\n[other pages: {others or 'none'}]")
