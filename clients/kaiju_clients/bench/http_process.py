"""A server process of our own on HTTP, for as long as it is measured."""

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from kaiju_clients.errors import ServerFault

START_S = 60


@asynccontextmanager
async def serving(
    command: Sequence[str], environ: dict[str, str], log: Path
) -> AsyncIterator[tuple[str, int]]:
    """Start `command PORT` and wait until it listens; yields its MCP address and process id."""
    port = _free_port()
    with log.open("ab") as errors:
        async with await anyio.open_process(
            [*command, str(port)], env=environ, stdin=None, stdout=errors, stderr=errors
        ) as process:
            try:
                await _listening(process, port)
                yield f"http://127.0.0.1:{port}/mcp", process.pid
            finally:
                process.terminate()


async def _listening(process: anyio.abc.Process, port: int) -> None:
    with anyio.move_on_after(START_S):
        while process.returncode is None:
            try:
                stream = await anyio.connect_tcp("127.0.0.1", port)
            except OSError:
                await anyio.sleep(0.05)
                continue
            await stream.aclose()
            return
    raise ServerFault(
        f"no server on port {port}: it ended with {process.returncode} or took over {START_S} s"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
