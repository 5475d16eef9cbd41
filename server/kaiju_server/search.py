"""A search: a regular expression over many files, in a process of its own that can be stopped.

A pattern may take exponential time and holds the interpreter while it does.
"""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from kaiju_server.errors import AgentError, shown

SECONDS = 5.0
AT_ONCE = 2
"""Searches of a whole server; the others wait, and hold no files meanwhile."""
WAIT_SECONDS = 30.0
LINE = 300
"""Characters of a matching line that are shown."""
PROGRAM = Path(__file__).with_name("search_program.py")


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    line: int
    text: str


_turns = anyio.CapacityLimiter(AT_ONCE)


@asynccontextmanager
async def turn(own: anyio.Lock) -> AsyncIterator[None]:
    """Wait until a search may begin. Raises AgentError when that takes too long.

    `own` is the episode's: of one episode only one search waits among the others, however many it asks for.
    """
    async with AsyncExitStack() as stack:
        try:
            with anyio.fail_after(WAIT_SECONDS):
                await stack.enter_async_context(own)
                await stack.enter_async_context(_turns)
        except TimeoutError as error:
            raise AgentError(f"no search could begin within {WAIT_SECONDS:g} seconds; try again") from error
        yield


async def search(files: Mapping[str, bytes], pattern: str, limit: int) -> tuple[list[Hit], bool]:
    """At most `limit` matching lines in the order of the paths, and whether there are more."""
    header = {
        "pattern": pattern,
        "limit": limit,
        "line": LINE,
        "files": [[p, len(d)] for p, d in files.items()],
    }
    request = json.dumps(header).encode() + b"\n" + b"".join(files.values())
    try:
        with anyio.fail_after(SECONDS):
            # The environment is empty and the interpreter isolated: nothing of the workspace is imported.
            done = await anyio.run_process(
                [sys.executable, "-I", "-S", str(PROGRAM)],
                input=request,
                stderr=subprocess.DEVNULL,
                check=False,
                env={},
            )
    except TimeoutError as error:
        raise AgentError(
            f"argument 'pattern': {shown(pattern)} took more than {SECONDS:g} seconds; expected a simpler one"
        ) from error
    answer: dict[str, Any] = {"error": "needs too much memory"}
    if done.returncode == 0:
        answer = json.loads(done.stdout)
    if "error" in answer:
        raise AgentError(f"argument 'pattern': {shown(pattern)} {answer['error']}")
    return [Hit(path, line, text) for path, line, text in answer["hits"]], answer["more"]
