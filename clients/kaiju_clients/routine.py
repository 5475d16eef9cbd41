"""What every simple agent does once it knows its files: write them, then submit stage after stage."""

from collections.abc import Mapping

from kaiju_clients.results import STAGES, Started
from kaiju_clients.tools import Tools


async def read_specification(tools: Tools, task: Started) -> dict[str, str]:
    """Every page of the specification by name."""
    pages: dict[str, str] = {}
    for page in task.pages:
        text = ""
        offset: int | None = 0
        while offset is not None:
            part = await tools.read_spec(page.name, offset)
            text, offset = text + part.text, part.next_offset
        pages[page.name] = text
    return pages


async def replace_sources(tools: Tools, task: Started, files: Mapping[str, str]) -> None:
    """Make `files` the only files below the task's roots."""
    there = [file.path async for file in tools.all_files() if _below(file.path, task.roots)]
    for path in there:
        if path not in files:
            await tools.delete_file(path)
    for path, content in files.items():
        await tools.write_file(path, content)


async def submit_stages(tools: Tools) -> None:
    """Submit all three stages, with a look at lint and visible tests where the stage has them."""
    for stage in STAGES:
        if stage in {"lint", "test"}:
            await tools.run_lint()
        if stage == "test":
            await tools.run_tests_visible()
        await tools.submit(stage)


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
