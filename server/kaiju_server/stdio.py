"""MCP over stdin and stdout: one process, one client, gone within two seconds of end of file or a signal."""

import fcntl
import os
import select
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Self

import anyio
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from kaiju_server.app import KaijuServer
from kaiju_server.calls import AT_ONCE
from kaiju_server.settings import MIB
from kaiju_server.wire import EDGE, answer_to, escape_text, refusal

CHUNK = 65_536
PIPE_CHUNK = 4096
"""A pipe that is ready for writing takes this much without blocking."""
LONGEST_LINE = 8 * MIB
TOO_LONG = f"the request is longer than {LONGEST_LINE} bytes and was not read; expected smaller arguments"
UNSENT = 64
"""Answers that a client has not read: beyond them, its requests are not read either."""
PAUSE_SECONDS = 0.02
GONE_SECONDS = 1.0
"""A client that has closed its end gets so long to read what it asked for."""

Incoming = MemoryObjectSendStream[SessionMessage | Exception]


async def serve_stdio(server: KaijuServer) -> None:
    """Serve until end of file, SIGTERM or SIGINT. Grading that is under way goes on at the next start."""
    source, sink = _claim(0, os.O_RDONLY), _Sink(_claim(1, os.O_WRONLY))
    # The SDK's own reader drops what it cannot read, and takes requests faster than a client takes answers.
    incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    answers = _Answers(write_stream)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, tasks.cancel_scope)
        tasks.start_soon(_write, outgoing, sink, tasks.cancel_scope)
        lines = _Lines(source, lambda: answers.unsent < UNSENT and server.calls.running < AT_ONCE)
        tasks.start_soon(_read, lines, incoming, sink)
        # The SDK has no public door that takes streams; this one is what its own run() uses.
        low = server._lowlevel_server
        await low.run(read_stream, answers, low.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _read(lines: "_Lines", incoming: Incoming, sink: "_Sink") -> None:
    async with incoming:
        async for line in lines:
            if lines.cut:
                answer = answer_to(line, TOO_LONG)
            else:
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except (ValueError, RecursionError):
                    answer = refusal(line)
                else:
                    await incoming.send(SessionMessage(message))
                    continue
            if answer is not None:
                await sink.write(answer)


async def _write(
    outgoing: MemoryObjectReceiveStream[SessionMessage], sink: "_Sink", scope: anyio.CancelScope
) -> None:
    """A task of its own: a request that is cancelled must not leave half a message."""
    async with outgoing:
        async for answer in outgoing:
            try:
                await sink.write(answer.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n")
            except (BrokenPipeError, ConnectionResetError):
                scope.cancel()  # nobody is there to read it


class _Answers:
    """A stream of answers that knows how many wait to be written."""

    def __init__(self, stream: MemoryObjectSendStream[SessionMessage]) -> None:
        self._stream = stream
        self.unsent = 0

    async def send(self, item: SessionMessage, /) -> None:
        self.unsent += 1
        try:
            await self._stream.send(item)
        finally:
            self.unsent -= 1

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Lines:
    """Lines of a descriptor, split at line feeds only; waiting for one can be cancelled.

    None is read before there is `room`. Of a line that is too long, the ends are kept.
    """

    def __init__(self, descriptor: int, room: Callable[[], bool]) -> None:
        self._descriptor = descriptor
        self._room = room
        self.cut = False
        """Whether the middle of the present line is left out."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line = bytearray()
        while data := await self._read():
            *ends, rest = data.split(b"\n")
            for end in ends:
                self._add(line, end)
                if line.strip():
                    yield bytes(line)
                    if not await self._until_room():
                        return
                line.clear()
                self.cut = False
            self._add(line, rest)

    def _add(self, line: bytearray, data: bytes) -> None:
        line += data
        if len(line) > LONGEST_LINE:
            line[EDGE:-EDGE] = b""
            self.cut = True

    async def _read(self) -> bytes:
        await _ready(anyio.wait_readable, self._descriptor)
        return os.read(self._descriptor, CHUNK)

    async def _until_room(self) -> bool:
        """False when the client has gone meanwhile."""
        patience = GONE_SECONDS
        while not self._room():
            if _hung_up(self._descriptor):
                patience -= PAUSE_SECONDS
            if patience < 0:
                return False
            await anyio.sleep(PAUSE_SECONDS)
        return True


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


def _hung_up(descriptor: int) -> bool:
    """Whether the client has closed its end, however much of what it sent is still to be read."""
    poll = select.poll()
    poll.register(descriptor, select.POLLRDHUP)
    return any(event & (select.POLLHUP | select.POLLRDHUP) for _, event in poll.poll(0))


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
