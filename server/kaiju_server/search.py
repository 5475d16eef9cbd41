"""A search: a regular expression over many files, in a process of its own that can be stopped.

A pattern may take exponential time and holds the interpreter while it does.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from kaiju_server.errors import AgentError, shown

SECONDS = 5.0
AT_ONCE = 2
LINE = 300
"""Characters of a matching line that are shown."""
PROGRAM = Path(__file__).with_name("search_program.py")


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    line: int
    text: str


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
