"""Tools that read and write the files of the workspace."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Annotated, TypeVar

import anyio.to_thread
from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from kaiju_grading.files import under
from kaiju_server.episode import Episode
from kaiju_server.errors import NotFound
from kaiju_server.paging import item_page, text_page
from kaiju_server.results import (
    FileDeleted,
    FileEdited,
    FileEntry,
    FileList,
    FileText,
    FileWritten,
    answer,
)
from kaiju_server.service import Service
from kaiju_server.text import decode, encode
from kaiju_server.tools.arguments import (
    EDITS,
    READS,
    REPLACES,
    Call,
    EpisodeId,
    FilePath,
    Folder,
    Offset,
    caller,
    service_of,
)

Answer = TypeVar("Answer")


def register(server: MCPServer[Service]) -> None:
    server.tool(title="List files", annotations=READS)(list_files)
    server.tool(title="Read a file", annotations=READS)(read_file)
    server.tool(title="Write a file", annotations=REPLACES)(write_file)
    server.tool(title="Edit a file", annotations=EDITS)(edit_file)
    server.tool(title="Delete a file", annotations=REPLACES)(delete_file)


async def list_files(
    ctx: Call,
    path: Folder = "",
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1)] = 500,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, FileList]:
    """List the files of the workspace with their sizes in bytes, folders below included."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), "list_files", episode_id) as episode:
        sizes = await anyio.to_thread.run_sync(episode.workspace.listing, path)
    entries = [FileEntry(path=name, size=size) for name, size in sizes.items()]
    page, following = item_page(entries, offset, limit, service.settings.result_bytes)
    lines = [f"{entry.path} ({entry.size})" for entry in page]
    if following is not None:
        lines.append(f"[{len(entries)} files in all; continues at offset={following}]")
    result = FileList(files=page, total=len(entries), next_offset=following)
    return answer(result, "\n".join(lines) or "no file")


async def read_file(
    ctx: Call,
    path: FilePath,
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1, description="Characters.")] = 40_000,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, FileText]:
    """Read one text file of the workspace, exactly as it is."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), "read_file", episode_id) as episode:
        data = await _done(partial(episode.workspace.read, path), quick=episode.workspace.quick(path))
    whole = decode(data, path)
    text, following = text_page(whole, offset, limit, service.settings.result_bytes)
    result = FileText(
        path=path,
        text=text,
        size=len(data),
        total_chars=len(whole),
        sha256=hashlib.sha256(data).hexdigest(),
        next_offset=following,
    )
    more = f"\n[continues at offset={following} of {len(whole)}]" if following is not None else ""
    return answer(result, text + more)


async def write_file(
    ctx: Call,
    path: FilePath,
    content: Annotated[str, Field(description="The whole new content, written as it is.")],
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, FileWritten]:
    """Create a file, or replace a whole one. Folders are made as needed. edit_file changes a part."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), "write_file", episode_id) as episode:
        data = encode(content, "content")
        workspace = episode.workspace
        written = await _done(partial(workspace.write, path, data), quick=workspace.quick(path, len(data)))
        note = await _outside(service, episode, path)
    result = FileWritten(path=path, size=written.size, sha256=written.sha256, created=written.created)
    verb = "created" if written.created else "replaced"
    return answer(result, f"{verb} {path}: {written.size} bytes{note}")


async def edit_file(
    ctx: Call,
    path: FilePath,
    old: Annotated[str, Field(description="Text that is there now, with enough of it to occur only once.")],
    new: Annotated[str, Field(description="Text to put in its place.")],
    replace_all: Annotated[bool, Field(description="Replace every occurrence.")] = False,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, FileEdited]:
    """Replace a piece of text in a file. Everything outside it stays byte for byte."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), "edit_file", episode_id) as episode:

        def edit() -> FileEdited:
            written, count = episode.workspace.edit(path, old, new, replace_all=replace_all)
            return FileEdited(path=path, size=written.size, sha256=written.sha256, replacements=count)

        result = await _done(edit, quick=episode.workspace.quick(path, len(new)) and not replace_all)
    return answer(result, f"edited {path}: {result.replacements} replaced, {result.size} bytes")


async def delete_file(
    ctx: Call, path: FilePath, episode_id: EpisodeId = None
) -> Annotated[CallToolResult, FileDeleted]:
    """Delete one file of the workspace."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), "delete_file", episode_id) as episode:
        await anyio.to_thread.run_sync(episode.workspace.delete, path)
    return answer(FileDeleted(path=path, deleted=True), f"deleted {path}")


async def _done(work: Callable[[], Answer], *, quick: bool) -> Answer:
    """Work on a file, in a thread unless it is over sooner than one wakes."""
    return work() if quick else await anyio.to_thread.run_sync(work)


async def _outside(service: Service, episode: Episode, path: str) -> str:
    """A note for files that are not part of the library."""
    try:
        view = await service.catalogue.view(episode.row.task_id)
    except NotFound:
        # The task was taken away meanwhile; the file is written all the same.
        return ""
    if under(path, view.roots):
        return ""
    return f" (outside {', '.join(view.roots)}: not handed in)"
