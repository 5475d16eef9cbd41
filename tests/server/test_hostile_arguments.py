"""Arguments and messages that no honest client sends: each is answered, and the next call works."""

import json
from typing import Any

import httpx2
import pytest
from tests.server.conftest import TASK, Session, Toy, text_of
from tests.server.memory import forget, grown
from tests.server.test_http import ACCEPT, INITIALIZE
from tests.server.wires import Wire, wire

from kaiju_server.bodies import BODY_BYTES
from kaiju_server.settings import MIB
from kaiju_server.stdio import LONGEST_LINE

pytestmark = pytest.mark.anyio

DEEP: Any = []
for _ in range(90):
    DEEP = [DEEP]
WRONG: tuple[Any, ...] = (
    *(None, True, 10**300, 1e308),
    *("", "\0", "x" * 100_000, "[" * 50_000, '{"a":' * 5_000, "9" * 5_000),
    *([None], {"a": 1}, DEEP),
)
RIGHT = {
    "path": "toy/a.py",
    "content": "x",
    "old": "To",
    "new": "x",
    "pattern": "x",
    "task_id": "none",
    "stage": "lint",
    "wait_s": 0,
}
JSON = ACCEPT | {"Content-Type": "application/json"}
CRASH = "Error executing tool"


def bearer(toy: Toy) -> dict[str, str]:
    return {"Authorization": f"Bearer {toy.token}"}


async def in_stage_test(session: Session) -> str:
    await session.start()
    for stage in ("draft", "lint"):
        submitted = await session.ok("submit", stage=stage)
    return str(submitted["run_id"])


@pytest.mark.parametrize("transport", ["stdio", pytest.param("http", marks=pytest.mark.slow)])
async def test_every_argument_of_every_tool_refuses_what_it_cannot_take(
    toy: Toy, shared_toy: Toy, transport: str
) -> None:
    async with toy.stdio() if transport == "stdio" else shared_toy.http() as session:
        run_id = await in_stage_test(session)
        for tool in (await session.client.list_tools()).tools:
            known = tool.input_schema["properties"]
            right = {name: value for name, value in (RIGHT | {"run_id": run_id}).items() if name in known}
            for argument, value in ((name, value) for name in known for value in WRONG):
                if tool.name == "abandon":
                    right = {"episode_id": "none"}  # it would do what it is told
                result = await session.client.call_tool(
                    tool.name, session.episode | right | {argument: value}
                )
                told = (tool.name, argument, repr(value)[:60], text_of(result)[:200])
                assert CRASH not in text_of(result), told
                assert not result.is_error or len(text_of(result)) < 3_000, told
        await session.start()
        assert (await session.ok("read_file", path="toy/a.py"))["text"].startswith('"""')


def call(id: object, arguments: str, tool: str = "read_file") -> str:
    """A call as text, for arguments that no JSON library writes."""
    return (
        f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{arguments}}}}}'
    )


BOMBS = {
    "deep": '{"path":' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep objects": '{"path":' + '{"a":' * 300 + "1" + "}" * 301,
    "long integer": '{"path":"x","offset":' + "9" * 100_000 + "}",
    "long fraction": '{"path":"x","offset":0.' + "9" * 100_000 + "}",
    "infinite": '{"path":"x","offset":1e999999999}',
    "not a number": '{"path":"x","offset":NaN}',
    "half a character": '{"path":"\\ud800"}',
    "many small objects": '{"path":[' + "{}," * 500_000 + "{}]}",
    "many keys": "{" + ",".join(f'"k{number}":0' for number in range(100_000)) + "}",
    "the same key again": "{" + '"path":"x",' * 100_000 + '"path":"y"}',
}


def answer(connection: Wire, id: object, line: str) -> dict[str, Any]:
    assert connection.process.stdin is not None
    connection.process.stdin.write(line.encode(errors="surrogateescape") + b"\n")
    connection.process.stdin.flush()
    return connection.receive(id)


def refused(message: dict[str, Any]) -> bool:
    return "error" in message or message["result"]["isError"]


def test_over_stdio_every_request_that_cannot_be_read_is_answered(toy: Toy) -> None:
    with wire(toy) as connection:
        for number, (name, bomb) in enumerate(BOMBS.items(), 1):
            assert refused(answer(connection, number, call(number, bomb))), name
            assert refused(answer(connection, f"s{number}", call(f"s{number}", bomb))), name
        late = '{"method":"tools/call","params":{"arguments":' + BOMBS["deep"] + '},"jsonrpc":"2.0","id":77}'
        assert answer(connection, 77, late)["result"]["isError"]
        assert refused(answer(connection, 78, call(78, '{"path":"\udcff\udcfe"}')))
        assert "tasks" in connection.call(79, "list_tasks")["result"]["structuredContent"]


@pytest.mark.parametrize(
    "size", [LONGEST_LINE, 3 * LONGEST_LINE, pytest.param(128 * LONGEST_LINE, marks=pytest.mark.slow)]
)
def test_over_stdio_a_request_that_is_too_long_is_told_and_the_server_goes_on(toy: Toy, size: int) -> None:
    """The last one has a gigabyte."""
    with wire(toy) as connection:
        assert connection.process.stdin is not None
        before = forget(connection.process.pid)
        ends = call(1, json.dumps({"path": "toy/a.py", "content": "|"}), "write_file").split("|")
        for part in (ends[0], *["x" * MIB] * (size // MIB), ends[1], "\n"):
            connection.process.stdin.write(part.encode())
        connection.process.stdin.flush()
        told = connection.receive(1)["result"]
        assert told["isError"]
        assert "longer than" in told["content"][0]["text"]
        assert "tasks" in connection.call(3, "list_tasks")["result"]["structuredContent"]
        assert grown(connection.process.pid, before) < 60


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
async def test_over_http_every_request_that_cannot_be_read_is_answered(shared_toy: Toy, era: str) -> None:
    headers = JSON | bearer(shared_toy)
    async with httpx2.AsyncClient(timeout=60, headers=headers) as web:
        opened = await web.post(shared_toy.url, json=INITIALIZE)
        protocol = {"MCP-Protocol-Version": era}
        if era < "2026":
            protocol |= {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        else:
            protocol |= {"Mcp-Method": "tools/call", "Mcp-Name": "read_file"}
        bodies = [call(number, bomb).encode() for number, bomb in enumerate(BOMBS.values())]
        bodies += [b"", b"\xff\xfe", b"[]", b"null", b'"x"', b"{", b"[" + bodies[-1] + b"]"]
        for body in bodies:
            told = await web.post(shared_toy.url, content=body, headers=protocol)
            assert told.status_code < 500, body[:80]
            assert told.status_code >= 400 or '"error"' in told.text or '"isError":true' in told.text, body[
                :80
            ]
        async with shared_toy.http() as session:
            await session.ok("list_tasks")


async def test_over_http_a_body_that_is_too_long_is_refused_whether_it_says_so_or_not(
    shared_toy: Toy,
) -> None:
    headers = JSON | bearer(shared_toy)
    assert shared_toy.process is not None
    before, sent = forget(shared_toy.process.pid), 0

    async def endless() -> Any:  # noqa: ANN401 - an async iterator of bytes
        nonlocal sent
        while True:
            sent += 65_536
            yield b" " * 65_536

    async with httpx2.AsyncClient(timeout=60, headers=headers) as web:
        told = await web.post(shared_toy.url, content=b" " * (BODY_BYTES + 1))
        assert told.status_code == 413
        try:
            told = await web.post(shared_toy.url, content=endless())
        except httpx2.HTTPError:
            pass  # the server hung up while more was sent: as good as its answer
        else:
            assert told.status_code == 413
    assert sent < 8 * BODY_BYTES
    assert grown(shared_toy.process.pid, before) < 60
    async with shared_toy.http() as session:
        await session.ok("list_tasks")


PATHS = (
    *("..", "a/../b", "/a", "//a", "a/", "./a", "~/../a", "a\\..\\b", "C:\\a", "a\0", "a\u2028", "a\u2029"),
    *("a\u202eb", "a\u2066b"),
    *(
        "e\u0301",
        "a\x7f",
        "a\ud800",
        "\ud83d",
        "x" * 4097,
        "x" * 256,
        "d/" * 65 + "x",
        "ab/../" * 900,
    ),
    *("toy/a.py/x", "toy", "TOY/A.PY", "toy/A.py", "toy/\uff41/../a.py"),
)
"""Each is refused, not put right: a name that is nearly another one's misleads whoever reads it."""


def write_to(path: str, number: int) -> str:
    return call(number, json.dumps({"path": path, "content": "x"}), "write_file")


def test_over_stdio_no_spelling_of_a_path_leaves_the_workspace_or_shadows_a_file(toy: Toy) -> None:
    with wire(toy) as connection:
        connection.call(0, "start_task", task_id=TASK)
        before = connection.call("before", "list_files")["result"]["structuredContent"]
        for number, path in enumerate(PATHS, 1):
            assert refused(answer(connection, number, write_to(path, number))), ascii(path)
        assert connection.call("after", "list_files")["result"]["structuredContent"] == before


async def test_over_http_no_spelling_of_a_path_leaves_the_workspace_or_shadows_a_file(
    shared_toy: Toy,
) -> None:
    async with shared_toy.http() as session:
        headers = {"X-Kaiju-Episode": await session.start()} | JSON | bearer(shared_toy)
        before = await session.ok("list_files")
        async with httpx2.AsyncClient(timeout=60, headers=headers) as web:
            opened = await web.post(shared_toy.url, json=INITIALIZE)
            protocol = {
                "Mcp-Session-Id": opened.headers["mcp-session-id"],
                "MCP-Protocol-Version": "2025-11-25",
            }
            for number, path in enumerate(PATHS):
                body = write_to(path, number).encode()
                told = await web.post(shared_toy.url, content=body, headers=protocol)
                assert told.status_code in {200, 400}, ascii(path)
                assert '"error"' in told.text or '"isError":true' in told.text, ascii(path)
        assert await session.ok("list_files") == before
