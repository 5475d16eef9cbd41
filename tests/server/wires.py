"""A client of the stdio transport that speaks lines, for what no ordinary client sends."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.server.conftest import SERVER, Toy

PROTOCOL = "2025-11-25"
PATIENCE = 120
"""Seconds after which the server is killed: a test that waits for an answer that never comes then fails."""


class Wire:
    """A client that speaks lines, so that every byte can be looked at."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []

    def send(self, message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self, id: object) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self.lines.append(line)
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == id and "method" not in message:
                return message
        raise AssertionError("the server closed its output")

    def call(
        self, id: object, tool: str, meta: dict[str, Any] | None = None, **arguments: object
    ) -> dict[str, Any]:
        params: dict[str, Any] = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
        self.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        return self.receive(id)


@contextmanager
def wire(toy: Toy) -> Iterator[Wire]:
    with subprocess.Popen(
        [sys.executable, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=toy.env({}),
    ) as process:
        connection = Wire(process)
        bound = threading.Timer(PATIENCE, process.kill)
        bound.start()
        params = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        connection.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        connection.receive(0)
        connection.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        try:
            yield connection
        finally:
            bound.cancel()
            process.kill()
