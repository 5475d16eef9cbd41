"""A stand-in server in a folder of its own, and the `kaiju` program as a user starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FAKE_SERVER = Path(__file__).parent / "fake_server.py"
PROGRAM = "from kaiju_clients.commands.{0} import {1} as command; command()"
FUNCTIONS = {"eval": "eval_command", "report": "report", "bench": "bench"}
TIMEOUT_S = 120


@dataclass(frozen=True)
class Fake:
    """A configured stand-in, and what its processes did."""

    folder: Path

    def configure(self, behaviours: dict[str, list[Any]], languages: dict[str, str] | None = None) -> None:
        languages = languages or dict.fromkeys(behaviours, "python")
        tasks = [
            {"task_id": name, "language": languages[name], "modules": 4, "visible_tests": 1}
            for name in behaviours
        ]
        (self.folder / "config.json").write_text(json.dumps({"tasks": tasks, "behaviours": behaviours}))

    def events(self, name: str) -> int:
        return len(list(self.folder.glob(f"{name}.*")))

    @property
    def command(self) -> str:
        return f"{sys.executable} {FAKE_SERVER}"

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "KAIJU_FAKE": str(self.folder), "COLUMNS": "200"}

    def start(self, command: str, *arguments: str) -> "subprocess.Popen[str]":
        """Start a `kaiju` sub-command; `eval` talks to the stand-in."""
        line = [sys.executable, "-c", PROGRAM.format(command, FUNCTIONS[command]), *arguments]
        if command == "eval" and "--server" not in arguments:
            line += ["--server", self.command]
        return subprocess.Popen(
            line, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, command: str, *arguments: str) -> "Ran":
        process = self.start(command, *arguments)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return Ran(process.returncode, out, err)

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
