"""Servers with the toy task of toy_server.py, and real MCP clients for them."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

SERVER = Path(__file__).with_name("toy_server.py")
TASK = "python-toy-1.0"
START_SECONDS = 180
"""A start takes a second, and a minute where many others run."""
ERAS = ("auto", "legacy")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Session:
    """A connected client that remembers its episode."""

    client: Client
    episode: dict[str, Any] = field(default_factory=dict)

    async def raw(self, tool: str, **arguments: object) -> CallToolResult:
        with anyio.fail_after(90):
            return await self.client.call_tool(tool, {**self.episode, **arguments})

    async def ok(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The structured content of a call that must work."""
        result = await self.raw(tool, **arguments)
        assert not result.is_error, text_of(result)
        content: dict[str, Any] | None = result.structured_content
        assert content is not None
        return content

    async def error(self, tool: str, **arguments: object) -> str:
        """The text of a call that must fail."""
        result = await self.raw(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    async def start(self) -> str:
        """Open an episode and pass its id from now on."""
        self.episode = {}
        episode_id: str = (await self.ok("start_task", task_id=TASK))["episode_id"]
        self.episode = {"episode_id": episode_id}
        return episode_id

    async def until_graded(self, run_id: str) -> dict[str, Any]:
        with anyio.fail_after(60):
            while (result := await self.ok("get_run", run_id=run_id, wait_s=5))["status"] == "running":
                pass
        return result


def text_of(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


@dataclass
class Toy:
    """One state folder, one control folder, and the servers that run on them."""

    root: Path
    process: subprocess.Popen[bytes] | None = None
    url: str = ""

    @property
    def control(self) -> Path:
        return self.root / "control"

    @property
    def store(self) -> Path:
        return self.root / "state" / "store"

    @property
    def stderr(self) -> str:
        return (self.root / "stderr").read_text()

    @property
    def token(self) -> str:
        tokens = json.loads((self.store / "tokens.json").read_text())["tokens"]
        return str(tokens[0]["token"])

    def env(self, extra: dict[str, str]) -> dict[str, str]:
        self.control.mkdir(exist_ok=True)
        own = {
            "KAIJU_STATE_DIR": str(self.root / "state"),
            "TOY_CONTROL": str(self.control),
            "KAIJU_PORT": "0",
        }
        return {"PATH": os.environ["PATH"], "PYTHONWARNINGS": "default"} | own | extra

    def hold(self, kind: str) -> None:
        self.control.mkdir(exist_ok=True)
        (self.control / f"hold-{kind}").touch()

    def release(self, kind: str) -> None:
        (self.control / f"hold-{kind}").unlink()

    def begun(self, kind: str) -> int:
        log = self.control / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return sum(line.startswith(f"{kind} ") for line in lines)

    async def until_begun(self, kind: str, times: int = 1) -> None:
        with anyio.fail_after(60):
            while self.begun(kind) < times:  # noqa: ASYNC110 - another process writes the log
                await anyio.sleep(0.05)

    def add_token(self, subject: str, episode: str | None = None) -> str:
        path = self.store / "tokens.json"
        entries = json.loads(path.read_text())
        token = f"{subject}-{'x' * 20}-{len(entries['tokens'])}"
        entries["tokens"].append(
            {"token": token, "subject": subject} | ({"episode": episode} if episode else {})
        )
        path.write_text(json.dumps(entries))
        return token

    def serve(self, **extra: str) -> None:
        """Start an HTTP server and wait until it says its address."""
        if self.process is not None:
            self.process.wait(30)
        errors = self.root / "stderr"
        with errors.open("ab") as stderr:
            begin = stderr.tell()
            self.process = subprocess.Popen(
                [sys.executable, SERVER, "--http"], env=self.env(extra), stderr=stderr
            )
        deadline = time.monotonic() + START_SECONDS
        while "kaiju: serving " not in (said := errors.read_bytes()[begin:].decode()):
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.05)
        self.url = said.split("kaiju: serving ")[1].split()[0]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(30)

    @asynccontextmanager
    async def http(
        self, mode: str = "auto", token: str | None = None, header: str = "", query: str = ""
    ) -> AsyncIterator[Session]:
        """A client of the running server; `header` and `query` name an episode in every request."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        headers |= {"X-Kaiju-Episode": header} if header else {}
        timeout = httpx2.Timeout(30, read=120)
        async with httpx2.AsyncClient(headers=headers, timeout=timeout) as web:
            transport = streamable_http_client(self.url + query, http_client=web)
            async with Client(transport, mode=mode) as client:
                yield Session(client)

    @asynccontextmanager
    async def stdio(self, mode: str = "auto", **extra: str) -> AsyncIterator[Session]:
        """A client that starts a server of its own."""
        parameters = StdioServerParameters(command=sys.executable, args=[str(SERVER)], env=self.env(extra))
        async with Client(parameters, mode=mode) as client:
            yield Session(client)


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Toy]:
    """A toy of this test alone; its server is stopped after it."""
    made = Toy(tmp_path)
    yield made
    if made.process is not None:
        made.stop(signal.SIGKILL)


@pytest.fixture(scope="session")
def shared_toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    """A running HTTP server for tests that need nothing special of it."""
    made = Toy(tmp_path_factory.mktemp("toy"))
    made.serve()
    yield made
    made.stop(signal.SIGKILL)


@pytest.fixture(scope="session")
def prepared() -> Iterator[Path]:
    """A state folder with the first-party task, where the accounts of slots get to the layers."""
    with tempfile.TemporaryDirectory(prefix="kaiju-test-") as folder:
        state = Path(folder)
        state.chmod(0o755)
        kaiju = str(Path(sys.executable).with_name("kaiju"))
        command = [kaiju, "tasks", "--state-dir", str(state), "prepare", "tally"]
        done = subprocess.run(command, timeout=900, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        yield state
