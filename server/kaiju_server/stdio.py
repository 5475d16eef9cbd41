"""MCP over stdin and stdout: one process, one client, gone within two seconds of end of file or a signal."""

import fcntl
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import cast

import anyio
import anyio.lowlevel
from mcp.server.stdio import stdio_server

from kaiju_server.app import KaijuServer
from kaiju_server.wire import escape_text, refusal

CHUNK = 65_536
PIPE_CHUNK = 4096
"""A pipe that is ready for writing takes this much without blocking."""
LONGEST_LINE = 16 * 1024 * 1024


async def serve_stdio(server: KaijuServer) -> None:
    """Serve until end of file, SIGTERM or SIGINT. Grading that is under way goes on at the next start."""
    source, sink = _claim(0, os.O_RDONLY), _claim(1, os.O_WRONLY)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, tasks.cancel_scope)
        answers = _Sink(sink)
        stdin = cast("anyio.AsyncFile[str]", _Lines(source, answers))
        stdout = cast("anyio.AsyncFile[str]", answers)
        async with stdio_server(stdin, stdout) as (read_stream, write_stream):
            # The SDK has no public door that takes streams; this one is what its own run() uses.
            low = server._lowlevel_server
            await low.run(read_stream, write_stream, low.create_initialization_options())
        tasks.cancel_scope.cancel()


class _Lines:
    """Lines of a descriptor, split at line feeds only; waiting for one can be cancelled."""

    def __init__(self, descriptor: int, answers: "_Sink") -> None:
        self._descriptor = descriptor
        self._answers = answers

    async def __aiter__(self) -> AsyncIterator[str]:
        rest = b""
        while data := await self._read():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if (answer := refusal(line)) is not None:
                    await self._answers.write(answer)
                elif line.strip():
                    yield line.decode(errors="replace")
            if len(rest) > LONGEST_LINE:
                # A message nobody can take: end of the connection, not of the memory.
                return

    async def _read(self) -> bytes:
        await _ready(anyio.wait_readable, self._descriptor)
        return os.read(self._descriptor, CHUNK)


class _Sink:
    """A descriptor that takes text; a client that does not read cannot hold the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._turn = anyio.Lock()

    async def write(self, text: str) -> None:
        data = memoryview(escape_text(text).encode(errors="backslashreplace"))
        async with self._turn:  # a message is not mixed with another
            while data:
                await _ready(anyio.wait_writable, self._descriptor)
                data = data[os.write(self._descriptor, data[:PIPE_CHUNK]) :]

    async def flush(self) -> None:
        """Nothing is buffered here."""


async def _stop_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


async def _ready(wait: Callable[[int], Awaitable[None]], descriptor: int) -> None:
    try:
        await wait(descriptor)
    except PermissionError:
        # A regular file is always ready, and the event loop refuses to watch one.
        await anyio.lowlevel.checkpoint()


def _claim(descriptor: int, mode: int) -> int:
    """Keep the wire to ourselves: whatever else reads stdin gets nothing, and prints go to stderr."""
    wire = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    if mode == os.O_WRONLY:
        sys.stdout.flush()
        os.dup2(2, descriptor)
    else:
        nothing = os.open(os.devnull, mode)
        os.dup2(nothing, descriptor)
        os.close(nothing)
    return wire
