"""The stdio transport: the raw wire, end of file, signals."""

import json
import signal
import time
from importlib.metadata import version

import pytest
from tests.server.conftest import TASK, Toy
from tests.server.wires import wire


def test_every_message_is_one_line_for_every_kind_of_line_reader(toy: Toy) -> None:
    content = "x\u2028y\u2029z\u0085\x1c\n"
    with wire(toy) as connection:
        connection.call(1, "start_task", task_id=TASK)
        connection.call(2, "write_file", path="toy/a.txt", content=content)
        answer = connection.call(3, "read_file", path="toy/a.txt")
        assert answer["result"]["structuredContent"]["text"] == content
        text = b"".join(connection.lines).decode()
        assert all(json.loads(line) for line in text.splitlines())


def test_the_server_says_what_it_is_and_of_which_version(toy: Toy) -> None:
    with wire(toy) as connection:
        told = json.loads(connection.lines[0])["result"]["serverInfo"]
    assert (told["name"], told["version"]) == ("kaiju", version("kaiju"))


def test_half_a_character_is_told_and_the_next_call_works(toy: Toy) -> None:
    with wire(toy) as connection:
        connection.call(1, "start_task", task_id=TASK)
        answer = connection.call(2, "write_file", path="toy/a.txt", content="cut \ud83d")
        assert answer["result"]["isError"]
        assert "unpaired surrogate" in answer["result"]["content"][0]["text"]
        whole = connection.call(3, "write_file", path="toy/a.txt", content="whole \U0001f600")
        assert not whole["result"].get("isError")
        connection.send({"jsonrpc": "2.0", "id": 4, "method": "\ud800"})
        assert connection.receive(4)["error"]["code"] == -32602


def test_what_is_no_message_does_not_end_the_server(toy: Toy) -> None:
    with wire(toy) as connection:
        assert connection.process.stdin is not None
        for line in (b"\n", b"{\n", b"\xff\xfe\n", b'"x"\n', b'{"a": "\\ud800"}\n', b"[" * 5000 + b"\n"):
            connection.process.stdin.write(line)
        assert "tasks" in connection.call(1, "list_tasks")["result"]["structuredContent"]


@pytest.mark.parametrize("token", [0, 17, "abc", "", None])
def test_progress_carries_the_token_that_was_given_and_none_without(toy: Toy, token: object) -> None:
    toy.hold("lint")
    with wire(toy) as connection:
        connection.call(1, "start_task", task_id=TASK)
        connection.call(2, "submit", stage="draft")
        meta = None if token is None else {"progressToken": token}
        connection.call(3, "run_lint", meta, wait_s=1)
        connection.call(4, "list_tasks")
        messages = [json.loads(line) for line in connection.lines]
    progress = [
        message["params"] for message in messages if message.get("method") == "notifications/progress"
    ]
    if token is None:
        assert progress == []
    else:
        assert progress
        assert all(type(told["progressToken"]) is type(token) for told in progress)
        assert all(told["progressToken"] == token for told in progress)


@pytest.mark.parametrize("how", ["eof", "SIGTERM", "SIGINT"])
def test_the_process_is_gone_soon_after_the_end_even_while_a_call_waits(toy: Toy, how: str) -> None:
    toy.hold("lint")
    with wire(toy) as connection:
        connection.call(1, "start_task", task_id=TASK)
        connection.call(2, "submit", stage="draft")
        call = {"name": "run_lint", "arguments": {}}
        connection.send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})
        deadline = time.monotonic() + 30
        while toy.begun("lint") < 1:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        began = time.monotonic()
        if how == "eof":
            assert connection.process.stdin is not None
            connection.process.stdin.close()
        else:
            connection.process.send_signal(getattr(signal, how))
        assert connection.process.wait(20) == 0
        # Two seconds on a free machine; this one may be busy.
        assert time.monotonic() - began < 6


def test_a_client_that_stops_reading_cannot_hold_the_process(toy: Toy) -> None:
    with wire(toy) as connection:
        connection.call(1, "start_task", task_id=TASK)
        for number in range(2, 42):
            call = {"name": "read_spec", "arguments": {"limit": 100_000}}
            connection.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
        time.sleep(1)
        connection.process.send_signal(signal.SIGTERM)
        assert connection.process.wait(20) == 0
