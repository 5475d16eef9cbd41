"""`kaiju serve` itself over a prepared task: real sandboxes, real gradings."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.server.conftest import Session

from kaiju_sandbox.command import File

KAIJU = str(Path(sys.executable).with_name("kaiju"))
TASK = "python-tally-1.0.0"
START_SECONDS = 180


async def put(session: Session, files: Mapping[str, File]) -> None:
    for path, file in files.items():
        await session.ok("write_file", path=path, content=file.data.decode())


@dataclass
class Served:
    """A running `kaiju serve --http`."""

    process: subprocess.Popen[bytes]
    url: str
    token: str

    @asynccontextmanager
    async def connect(self, mode: str = "auto") -> AsyncIterator[Session]:
        headers = {"Authorization": f"Bearer {self.token}"}
        timeout = httpx2.Timeout(30, read=120)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout) as web,
            Client(streamable_http_client(self.url, http_client=web), mode=mode) as client,
        ):
            yield Session(client)


@contextmanager
def served(state: Path, **settings: str) -> Iterator[Served]:
    errors = state / "stderr"
    environ = {"PATH": os.environ["PATH"]} | settings
    with errors.open("ab") as stderr:
        begin = stderr.tell()
        command = [KAIJU, "serve", "--http", "0", "--state-dir", str(state)]
        process = subprocess.Popen(command, env=environ, stderr=stderr)
    try:
        deadline = time.monotonic() + START_SECONDS
        while "kaiju: serving " not in (said := errors.read_bytes()[begin:].decode()):
            assert process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.05)
        tokens = json.loads((state / "store" / "tokens.json").read_text())["tokens"]
        yield Served(process, said.split("kaiju: serving ")[1].split()[0], str(tokens[0]["token"]))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(30)


def processes(name: str) -> set[int]:
    """Living processes with this name in their command line."""
    return {
        int(entry.name) for entry in Path("/proc").glob("[0-9]*") if name in command_line(int(entry.name))
    }


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


async def until(session: Session, run_id: str) -> dict[str, object]:
    """The outcome, however long this machine takes: the test's own limit is that of `slow`."""
    for _ in range(40):
        result = await session.ok("get_run", run_id=run_id, wait_s=45)
        if result["status"] != "running":
            return result
    raise AssertionError(f"{run_id} did not end")
