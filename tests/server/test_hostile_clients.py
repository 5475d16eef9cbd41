"""Clients that send without end, do not read, or hang up: memory stays bounded, and others are served."""

import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.server.conftest import TASK, Session, Toy
from tests.server.memory import forget, grown
from tests.server.test_hostile_arguments import call
from tests.server.test_http import ACCEPT
from tests.server.wires import wire

from kaiju_server.bodies import BODY_BYTES
from kaiju_server.connection import BODY_SECONDS, CONNECTIONS, READ_SECONDS

GROWTH = 160
"""MiB that a server may grow by, whatever one client does: some messages of the greatest size, as objects."""


def head(toy: Toy, **headers: str) -> bytes:
    """The head of a POST in the present era, without a length."""
    found = ACCEPT | {
        "Host": toy.url.split("/")[2],
        "Authorization": f"Bearer {toy.token}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in (found | headers).items())
    return f"POST /mcp HTTP/1.1\r\n{lines}".encode()


def request(toy: Toy, tool: str, **arguments: object) -> bytes:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    return head(toy, **{"Mcp-Name": tool}) + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def connect(toy: Toy, buffer: int = 0) -> socket.socket:
    host, port = toy.url.split("/")[2].split(":")
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.settimeout(60)
    connection.connect((host, int(port)))
    return connection


@contextmanager
def connected(toy: Toy, count: int, buffer: int = 0) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(connect(toy, buffer)) for _ in range(count)]


def closed(connection: socket.socket) -> bool:
    """Whether the server ends a connection within a while, whatever it says first."""
    connection.settimeout(3 * max(BODY_SECONDS, READ_SECONDS))
    try:
        while connection.recv(65_536):
            pass
    except ConnectionError:
        pass
    return True


def test_over_stdio_a_client_that_only_sends_does_not_fill_the_servers_memory(toy: Toy) -> None:
    with wire(toy) as connection:
        connection.call(1, "start_task", task_id=TASK)
        assert connection.process.stdin is not None
        before = forget(connection.process.pid)
        descriptor = connection.process.stdin.fileno()
        os.set_blocking(descriptor, False)
        line = (call(2, '{"limit":100000}', "read_spec") + "\n").encode() * 50
        sent, quiet = 0, 0
        # Until the server takes no more: a second in which nothing can be written.
        while quiet < 10 and sent < 20_000 * len(line):
            if select.select([], [descriptor], [], 0.1)[1]:
                sent, quiet = sent + os.write(descriptor, line), 0
            else:
                quiet += 1
        assert sent < 5_000 * len(line)
        assert grown(connection.process.pid, before) < GROWTH
        began = time.monotonic()
        connection.process.send_signal(signal.SIGTERM)
        assert connection.process.wait(30) == 0
        assert time.monotonic() - began < 10


def test_over_stdio_a_client_that_has_closed_its_end_ends_the_process_without_a_crash(toy: Toy) -> None:
    with wire(toy) as connection:
        assert connection.process.stdin is not None
        assert connection.process.stdout is not None
        connection.process.stdout.close()
        connection.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert connection.process.wait(30) == 0


@pytest.mark.anyio
async def test_over_http_clients_that_do_not_read_cost_little_and_hurt_nobody(toy: Toy) -> None:
    toy.serve()
    assert toy.process is not None
    async with toy.http() as session:
        episode_id = await session.start()
        for number in range(20):
            await session.ok("write_file", path=f"toy/{number}.txt", content="x" * 60_000)
        before = forget(toy.process.pid)
        with connected(toy, 100, buffer=2048) as lazy:
            for number, connection in enumerate(lazy):
                asked = request(toy, "read_file", path=f"toy/{number % 20}.txt", episode_id=episode_id)
                connection.sendall(asked * 5)  # one after the other: a pipeline
            with anyio.fail_after(60):
                for _ in range(10):
                    await session.ok("read_file", path="toy/1.txt")
            assert grown(toy.process.pid, before) < GROWTH


@pytest.mark.slow
@pytest.mark.anyio
async def test_over_http_a_client_that_does_not_read_is_cut_off(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        episode_id = await session.start()
        # More than the kernel keeps for a connection, so that the server has to wait for the client.
        await session.ok("write_file", path="toy/big.txt", content="x" * 60_000)
        with connected(toy, 1, buffer=2048) as (lazy,):
            lazy.sendall(request(toy, "read_file", path="toy/big.txt", episode_id=episode_id) * 200)
            sockets = descriptors(toy)
            with anyio.fail_after(5 * READ_SECONDS):
                while descriptors(toy) >= sockets:  # noqa: ASYNC110 - another process closes it
                    await anyio.sleep(0.2)
            await session.ok("list_files")


def descriptors(toy: Toy) -> int:
    """Open sockets of the server."""
    assert toy.process is not None
    found = 0
    for entry in Path(f"/proc/{toy.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += str(entry.readlink()).startswith("socket:")
    return found


@pytest.mark.anyio
async def test_over_http_large_bodies_of_one_client_wait_for_each_other_and_for_nobody_else(toy: Toy) -> None:
    """300 MB of bodies that are read as far as one byte before their end."""
    toy.serve()
    assert toy.process is not None
    other = toy.add_token("other")
    async with toy.http(token=other) as session:
        await session.start()
        before = forget(toy.process.pid)
        with connected(toy, 40) as many, anyio.move_on_after(60):
            async with anyio.create_task_group() as tasks:
                for connection in many:
                    length = f"Content-Length: {BODY_BYTES}\r\n\r\n".encode()
                    connection.sendall(head(toy) + length)
                    tasks.start_soon(sent_in_vain, connection, b" " * (BODY_BYTES - 1))
                with anyio.fail_after(50):
                    await session.ok("write_file", path="toy/a.py", content="x" * 900_000)
                assert grown(toy.process.pid, before) < GROWTH
                tasks.cancel_scope.cancel()


async def sent_in_vain(connection: socket.socket, data: bytes) -> None:
    """As much as the server takes."""
    connection.setblocking(False)
    view = memoryview(data)
    while view:
        await anyio.wait_writable(connection)
        view = view[connection.send(view) :]


@pytest.mark.slow
def test_over_http_a_body_that_trickles_does_not_stay(toy: Toy) -> None:
    toy.serve()
    with connected(toy, 2) as (length, chunked):
        length.sendall(head(toy) + b"Content-Length: 1000\r\n\r\n{")
        chunked.sendall(head(toy) + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
        began = time.monotonic()
        with pytest.raises(ConnectionError):  # noqa: PT012 - one of them is closed first
            while time.monotonic() - began < 4 * BODY_SECONDS:
                length.sendall(b" ")
                chunked.sendall(b"1\r\n \r\n")
                time.sleep(1)
        assert closed(length)
        assert closed(chunked)


@pytest.mark.anyio
async def test_more_connections_than_there_is_room_for_keep_nobody_out(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        await session.start()
        assert toy.process is not None
        before = forget(toy.process.pid)
        with connected(toy, CONNECTIONS + 200):
            with anyio.fail_after(60):
                while descriptors(toy) > CONNECTIONS + 50:  # noqa: ASYNC110 - another process closes them
                    await anyio.sleep(0.05)
            async with toy.http() as later:
                await later.ok("list_tasks")
            await session.ok("list_files")
            assert grown(toy.process.pid, before) < GROWTH


@pytest.mark.anyio
async def test_calls_without_end_of_one_client_are_refused_and_another_is_served(toy: Toy) -> None:
    toy.hold("lint")
    toy.serve()
    other = toy.add_token("other")
    async with toy.http() as session, toy.http(token=other) as calm:
        await calm.start()
        episode_id = await session.start()
        await session.ok("submit", stage="draft")
        run_id = (await session.ok("run_lint", wait_s=0))["run_id"]
        with connected(toy, 600) as many:
            for connection in many:
                connection.sendall(request(toy, "get_run", run_id=run_id, episode_id=episode_id))
            with anyio.fail_after(60):
                while "not answered yet" not in await session_said(session):  # noqa: ASYNC110
                    await anyio.sleep(0.1)
                await calm.ok("list_files")
        toy.release("lint")


async def session_said(session: Session) -> str:
    result = await session.raw("list_tasks")
    return str(result.content)


def reset(connection: socket.socket) -> None:
    """Hang up without a word."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.anyio
async def test_submits_whose_connections_break_make_one_submission(toy: Toy) -> None:
    toy.hold("grade")
    toy.serve()
    async with toy.http() as session:
        episode_id = await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE")
        for patience in (0.0, 0.001, 0.01, 0.05, 0.2, 0.5):
            connection = connect(toy)
            connection.sendall(request(toy, "submit", stage="draft", episode_id=episode_id))
            await anyio.sleep(patience)
            reset(connection)
        await toy.until_begun("grade")
        toy.release("grade")
        assert (await session.ok("submit", stage="draft"))["reward"] == 0.25
        assert (await session.ok("episode_status"))["submitted"] == ["draft"]
        assert toy.begun("grade") == 1
