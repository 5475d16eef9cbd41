"""The HTTP transport: tokens, hosts, limits, who is on the other end, stopping."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from tests.server.conftest import Toy

from kaiju_server.connection import HEAD_SECONDS
from kaiju_server.database import THREADS
from kaiju_server.http import listen
from kaiju_server.peer import attested
from kaiju_server.settings import ServerSettings

pytestmark = pytest.mark.anyio

ACCEPT = {"Accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
NOBODY = 65_534
DATABASE_FILES = 2 * (THREADS + 1) + 1
"""What a server may have open of its database: two for each thread and the watcher, and what all share."""
PROGRAM = """
import sys, anyio, httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    headers = {"Authorization": "Bearer " + sys.argv[2]}
    async with httpx2.AsyncClient(headers=headers, timeout=60, verify=False) as web:
        async with Client(streamable_http_client(sys.argv[1], http_client=web)) as client:
            ACT

anyio.run(main)
"""
LINT = PROGRAM.replace("ACT", 'await client.call_tool("run_lint", {"episode_id": sys.argv[3]})')
SUBMIT = PROGRAM.replace(
    "ACT",
    """started = await client.call_tool("start_task", {"task_id": "python-toy-1.0"})
            episode = {"episode_id": started.structured_content["episode_id"]}
            await client.call_tool("submit", {"stage": "draft", **episode})
            print(episode["episode_id"])""",
)


async def post(toy: Toy, body: object, **headers: str) -> httpx2.Response:
    bearer = {"Authorization": f"Bearer {toy.token}"}
    async with httpx2.AsyncClient(timeout=30) as web:
        return await web.post(toy.url, json=body, headers=ACCEPT | bearer | headers)


async def test_nobody_gets_in_without_a_token_of_the_file(shared_toy: Toy) -> None:
    token = shared_toy.token
    for value in ("", "Bearer", "Bearer wrong", f"Bearer {token}x", f"Basic {token}", token):
        answer = await post(shared_toy, INITIALIZE, Authorization=value)
        assert answer.status_code == 401, value
    assert (await post(shared_toy, INITIALIZE)).status_code == 200


async def test_the_tokens_file_is_made_once_and_only_its_owner_reads_it(toy: Toy) -> None:
    toy.serve()
    first = toy.token
    path = toy.store / "tokens.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert toy.store.stat().st_mode & 0o777 == 0o700
    assert first not in toy.stderr
    toy.stop()
    toy.serve()
    assert toy.token == first


async def test_a_token_added_while_the_server_runs_counts_and_a_removed_one_does_not(toy: Toy) -> None:
    toy.serve()
    token = toy.add_token("later")
    assert (await post(toy, INITIALIZE, Authorization=f"Bearer {token}")).status_code == 200
    path = toy.store / "tokens.json"
    entries = json.loads(path.read_text())
    entries["tokens"].pop()
    path.write_text(json.dumps(entries))
    assert (await post(toy, INITIALIZE, Authorization=f"Bearer {token}")).status_code == 401


async def test_foreign_hosts_and_origins_are_refused(shared_toy: Toy) -> None:
    assert (await post(shared_toy, INITIALIZE, Host="evil.example")).status_code == 421
    assert (await post(shared_toy, INITIALIZE, Origin="http://evil.example")).status_code == 403
    port = shared_toy.url.split(":")[2].split("/")[0]
    assert (await post(shared_toy, INITIALIZE, Host=f"localhost:{port}")).status_code == 200


async def test_a_body_beyond_the_limit_is_refused(shared_toy: Toy) -> None:
    answer = await post(shared_toy, {**INITIALIZE, "padding": "x" * 9 * 1024 * 1024})
    assert answer.status_code == 413


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"])
async def test_a_connection_without_a_whole_request_does_not_stay(shared_toy: Toy, before: bytes) -> None:
    host, port = shared_toy.url.removeprefix("http://").removesuffix("/mcp").split(":")
    with anyio.fail_after(3 * HEAD_SECONDS):
        async with await anyio.connect_tcp(host, int(port)) as stream:
            if before:
                await stream.send(before)
                assert b"200 OK" in await stream.receive()
            await stream.send(b"POST /mcp HTTP/1.1\r\nHost: ")
            with suppress(anyio.EndOfStream):
                while True:
                    await stream.receive()


async def test_health_is_told_without_a_token(shared_toy: Toy) -> None:
    async with httpx2.AsyncClient() as web:
        answer = await web.get(shared_toy.url.replace("/mcp", "/healthz"))
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "grading_faults": 0})


async def test_health_counts_the_gradings_that_met_a_fault(toy: Toy) -> None:
    toy.serve()
    (toy.control / "fault").touch()
    async with toy.http() as session, httpx2.AsyncClient() as web:
        await session.start()
        assert (await session.ok("submit", stage="draft"))["status"] == "infra_error"
        answer = await web.get(toy.url.replace("/mcp", "/healthz"))
    assert answer.json() == {"ok": True, "grading_faults": 1}


async def test_no_line_of_an_answer_breaks_at_an_unusual_separator(shared_toy: Toy) -> None:
    content = "a\u2028b\u2029c\u0085d\x1ce"
    async with shared_toy.http() as session:
        episode_id = await session.start()
        await session.ok("write_file", path="toy/a.txt", content=content)
    opened = await post(shared_toy, INITIALIZE)
    protocol = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    call = {"name": "read_file", "arguments": {"path": "toy/a.txt", "episode_id": episode_id}}
    answer = await post(
        shared_toy, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, **protocol
    )
    lines = [line for line in answer.content.decode().splitlines() if line.startswith("data: {")]
    message = json.loads(lines[0].removeprefix("data: "))
    assert message["result"]["structuredContent"]["text"] == content


@pytest.mark.parametrize("event", ["999999", "x' OR 1=1", "0", ""])
async def test_an_unknown_event_id_gives_nobody_elses_events(shared_toy: Toy, event: str) -> None:
    opened = await post(shared_toy, INITIALIZE)
    headers = ACCEPT | {
        "Authorization": f"Bearer {shared_toy.token}",
        "Mcp-Session-Id": opened.headers["mcp-session-id"],
        "MCP-Protocol-Version": "2025-11-25",
        "Last-Event-ID": event,
    }
    async with (
        httpx2.AsyncClient(timeout=5) as web,
        web.stream("GET", shared_toy.url, headers=headers) as answer,
    ):
        assert answer.status_code < 500
        with anyio.move_on_after(1):
            async for chunk in answer.aiter_bytes():
                assert b"data: {" not in chunk
    async with shared_toy.http() as session:
        await session.ok("list_tasks")


async def test_everybody_else_is_answered_while_a_run_goes_on(toy: Toy) -> None:
    toy.hold("lint")
    toy.serve()
    async with toy.http("legacy") as busy, toy.http() as other, anyio.create_task_group() as tasks:
        await busy.start()
        await busy.ok("submit", stage="draft")
        tasks.start_soon(busy.raw, "run_lint")
        await toy.until_begun("lint")
        with anyio.fail_after(30):  # run_lint itself would answer after 45 s
            await other.start()
            async with httpx2.AsyncClient() as web:
                await web.get(toy.url.replace("/mcp", "/healthz"))
            await busy.ok("episode_status")
        toy.release("lint")


async def test_calls_whose_connection_breaks_leave_nothing_and_the_next_one_works(toy: Toy) -> None:
    toy.hold("lint")
    toy.serve()
    async with toy.http() as session:
        episode_id = await session.start()
        await session.ok("submit", stage="draft")
        await drop_calls(toy, episode_id, 1)
        sockets = descriptors(toy, "socket:")
        await drop_calls(toy, episode_id, 50)
        with anyio.fail_after(60):  # until the last of them works on the episode
            while (await session.ok("episode_status"))["budgets"]["calls_left"] > 500 - 51:  # noqa: ASYNC110
                await anyio.sleep(0.05)
        await session.ok("write_file", path="toy/a.py", content="DONE")
        toy.release("lint")
        assert (await session.ok("run_lint"))["status"] == "findings"
        runs = [run for run in (await session.ok("episode_status"))["runs"] if run["kind"] == "lint"]
        with anyio.fail_after(60):
            while descriptors(toy, "socket:") > sockets:  # noqa: ASYNC110 - another process closes them
                await anyio.sleep(0.1)
        assert descriptors(toy, str(toy.store / "kaiju.sqlite")) <= DATABASE_FILES
    # All of them asked for the same run; then the files had changed.
    assert [run["status"] for run in runs] == ["finished"] * 2
    assert toy.begun("lint") == 2


def descriptors(toy: Toy, kind: str) -> int:
    """How many open descriptors of the server stand for something whose name begins so."""
    assert toy.process is not None
    found = 0
    for entry in Path(f"/proc/{toy.process.pid}/fd").iterdir():
        try:
            found += str(entry.readlink()).startswith(kind)
        except FileNotFoundError:
            continue
    return found


async def drop_calls(toy: Toy, episode_id: str, count: int) -> None:
    """Calls of run_lint, each on a connection of its own that is reset as soon as the run is there."""
    opened = await post(toy, INITIALIZE)
    headers = ACCEPT | {
        "Host": toy.url.split("/")[2],
        "Authorization": f"Bearer {toy.token}",
        "Content-Type": "application/json",
        "Mcp-Session-Id": opened.headers["mcp-session-id"],
        "MCP-Protocol-Version": "2025-11-25",
    }
    host, port = toy.url.split("/")[2].split(":")
    for number in range(count):
        call = {"name": "run_lint", "arguments": {"episode_id": episode_id, "wait_s": 3}}
        body = json.dumps({"jsonrpc": "2.0", "id": number + 2, "method": "tools/call", "params": call})
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        text = f"POST /mcp HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}"
        connection = socket.create_connection((host, int(port)))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(text.encode())
        with connection:
            # The head of an answer that is a stream: the call is under way.
            assert (await anyio.to_thread.run_sync(connection.recv, 12)) == b"HTTP/1.1 200"
    await toy.until_begun("lint")


async def test_no_part_of_an_answer_waits_for_the_client_to_acknowledge_the_one_before(
    tmp_path: Path,
) -> None:
    with (
        listen(ServerSettings(state_dir=tmp_path, port=0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_the_server_stops_in_bounded_time_while_a_call_waits(toy: Toy) -> None:
    toy.hold("lint")
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await session.ok("submit", stage="draft")
    waiting = [sys.executable, "-c", LINT, toy.url, toy.token, str(session.episode["episode_id"])]
    async with await anyio.open_process(waiting, stderr=subprocess.DEVNULL) as client:
        await toy.until_begun("lint")
        began = time.monotonic()
        await anyio.to_thread.run_sync(toy.stop)
        assert time.monotonic() - began < 20
        client.kill()


async def isolations(toy: Toy) -> list[str]:
    lines = [json.loads(line) for line in (toy.store / "grader.log").read_text().splitlines()]
    return [line["grade"]["isolation"] for line in lines if line["event"] == "grade"]


async def test_the_same_account_on_this_machine_is_not_attested(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await session.ok("submit", stage="draft")
    assert await isolations(toy) == ["unattested"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
async def test_another_account_is_attested_until_one_call_is_not(toy: Toy, tmp_path: Path) -> None:
    toy.serve()
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    python = "/usr/bin/python3" if not os.access(sys.executable, os.X_OK) else sys.executable
    probe = await anyio.run_process([*command, python, "-c", "import mcp"], check=False)
    if probe.returncode != 0:
        pytest.skip("no interpreter with mcp that another account can run")
    done = await anyio.run_process([*command, python, "-c", SUBMIT, toy.url, toy.token])
    assert await isolations(toy) == ["attested"]
    async with toy.http() as session:
        session.episode = {"episode_id": done.stdout.decode().strip()}
        await session.ok("list_files")
        await session.ok("submit", stage="lint")
    assert await isolations(toy) == ["attested", "unattested"]


async def test_the_account_on_the_other_end_is_read_from_the_kernel(tmp_path: Path) -> None:
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    program = f"import socket, sys; s = socket.create_connection(('127.0.0.1', {port})); sys.stdin.read()"
    own = [sys.executable, "-c", program]
    other = [
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "/usr/bin/python3",
        "-c",
        program,
    ]
    cases = [(own, False)] + ([(other, True)] if os.geteuid() == 0 else [])
    for command, expected in cases:
        process = await anyio.open_process(command, stdin=subprocess.PIPE)
        connection: list[object] = []

        async def serve(stream: anyio.abc.SocketStream, found: list[object] = connection) -> None:
            async with stream:
                found.append(stream.extra(anyio.abc.SocketAttribute.remote_address))
                await anyio.sleep_forever()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            with anyio.fail_after(20):
                while not connection:  # noqa: ASYNC110 - another process connects
                    await anyio.sleep(0.02)
            scope = {"client": connection[0], "server": ("127.0.0.1", port)}
            assert attested(scope) is expected
            process.send_signal(signal.SIGKILL)
            tasks.cancel_scope.cancel()
        await process.aclose()
    await listener.aclose()


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        (("192.0.2.7", 40_000), True),
        (("127.0.0.1", 1), False),
        (("::1", 1), False),
        (None, False),
        (("nonsense", 1), False),
    ],
)
def test_a_peer_without_a_socket_here_is_attested_only_when_it_is_elsewhere(
    client: tuple[str, int] | None, expected: bool
) -> None:
    assert attested({"client": client, "server": ("127.0.0.1", 8734)}) is expected
