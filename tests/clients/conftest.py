"""A stand-in server in a folder of its own, and the `kaiju` program as a user starts it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kaiju_clients.commands.eval import eval_command
from kaiju_clients.commands.report import report

FAKE_SERVER = Path(__file__).parent / "fake_server.py"
PROGRAM = "from kaiju_clients.commands.eval import eval_command as command; command()"
COMMANDS = {"eval": eval_command, "report": report}
TIMEOUT_S = 120


@dataclass(frozen=True)
class Fake:
    """A configured stand-in, and what its processes did."""

    folder: Path

    def configure(self, behaviours: dict[str, list[Any]]) -> None:
        tasks = [
            {"task_id": name, "language": "python", "modules": 4, "visible_tests": 1} for name in behaviours
        ]
        (self.folder / "config.json").write_text(json.dumps({"tasks": tasks, "behaviours": behaviours}))

    def events(self, name: str) -> int:
        return len(list(self.folder.glob(f"{name}.*")))

    def processes(self) -> list[int]:
        """Ids of the server processes that are still there."""
        ids = [int(path.name.split("-")[1].split(".")[0]) for path in self.folder.glob("process-*")]
        return [one for one in ids if Path(f"/proc/{one}").exists()]

    def wait_for(self, name: str, count: int = 1) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while self.events(name) < count:
            assert time.monotonic() < deadline, f"no {name} in {TIMEOUT_S} s"
            time.sleep(0.02)

    def wait_for_port(self, port: int) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            assert time.monotonic() < deadline, f"nobody listens on {port} after {TIMEOUT_S} s"
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    return
            time.sleep(0.05)

    @property
    def command(self) -> str:
        return f"{sys.executable} {FAKE_SERVER}"

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "KAIJU_FAKE": str(self.folder), "COLUMNS": "200"}

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start `kaiju eval` as a program of its own, talking to the stand-in."""
        line = [sys.executable, "-c", PROGRAM, *arguments, "--server", self.command]
        return subprocess.Popen(
            line, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, command: str, *arguments: str) -> "Ran":
        """Run a sub-command in this process."""
        server = ["--server", self.command] if command == "eval" and "--server" not in arguments else []
        result = CliRunner().invoke(COMMANDS[command], [*arguments, *server], env=self.environ)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    def play(self, output: Path, *arguments: str, agent: str = "stub") -> "Ran":
        return self.run("eval", "--agent", agent, "--output", str(output), "--json", *arguments)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout; NaN and Infinity are refused."""

        def refuse(text: str) -> None:
            raise AssertionError(f"not JSON: {text}")

        document: dict[str, Any] = json.loads(self.out, parse_constant=refuse)
        return document

    def counts(self) -> Sequence[int]:
        names = ("requested", "graded", "agent_error", "infra_error", "not_run")
        return [self.document[name] for name in names]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    folder = tmp_path / "fake"
    folder.mkdir()
    return Fake(folder)
