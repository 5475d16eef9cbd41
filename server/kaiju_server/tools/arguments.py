"""Arguments that several tools share: types with the texts that a model reads."""

from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from mcp.types import ToolAnnotations
from pydantic import BeforeValidator, Field

from kaiju_server.caller import Caller, at_once, caller_of
from kaiju_server.service import Service

Call = Context[Service, Any]

EpisodeId = Annotated[
    str | None,
    Field(description="The episode; leave out when the connection is bound to one.", max_length=200),
]
FilePath = Annotated[str, Field(description="Path relative to the workspace, '/' between parts: 'src/a.py'.")]
Folder = Annotated[str, Field(description="A folder or file of the workspace; empty for all of it.")]
Offset = Annotated[int, Field(ge=0, description="Where the page begins; next_offset of the page before.")]
RunId = Annotated[str, Field(description="The run_id that another tool gave.", max_length=200)]
WaitSeconds = Annotated[
    float, Field(ge=0, allow_inf_nan=False, description="Seconds to wait for the outcome, at most 45.")
]


def _one_is_a_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


TestIds = Annotated[
    list[Annotated[str, Field(max_length=1_000)]],
    BeforeValidator(_one_is_a_list),
    Field(description="Test ids; empty for all visible tests.", max_length=5_000),
]

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
REPLACES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
EDITS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
RUNS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def service_of(ctx: Call) -> Service:
    return ctx.request_context.lifespan_context


async def caller(ctx: Call) -> Caller:
    """Who calls. The table of sockets, which a connection needs once, may be long: in a thread."""
    if at_once(ctx):
        return caller_of(ctx)
    return await anyio.to_thread.run_sync(caller_of, ctx)
