"""`kaiju eval` against the real server: a real task, real sandboxes, stdio and HTTP."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kaiju_clients.server_command import own_server

TASK = "python-tally-1.0.0"
PATIENCE_S = 600


@dataclass(frozen=True)
class Installation:
    """A state folder with one prepared task, and the `kaiju` program on it."""

    state: Path

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "KAIJU_STATE_DIR": str(self.state)}

    def start(self, *arguments: str, **extra: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [own_server()[0], *arguments],
            env=self.environ | extra,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments, **extra)
        out, err = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def servers(self) -> list[str]:
        """Command lines of the server processes on this state folder."""
        mark, found = f"KAIJU_STATE_DIR={self.state}\0".encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with tempfile.TemporaryDirectory(prefix="kaiju-test-") as folder:
        Path(folder).chmod(0o755)
        made = Installation(Path(folder))
        prepared = made.run("tasks", "prepare", "tally")
        assert prepared.returncode == 0, prepared.stdout + prepared.stderr
        yield made


@pytest.fixture
def url(installation: Installation) -> Iterator[str]:
    with installation.start("serve", "--http", "0") as process:
        try:
            assert process.stderr is not None
            line = ""
            while "kaiju: serving " not in line:
                line = process.stderr.readline()
                assert line, "the server ended before it served"
            yield line.split("kaiju: serving ")[1].strip()
        finally:
            process.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("agent", ["oracle", "stub", "half"])
def test_an_agent_earns_what_it_must(installation: Installation, tmp_path: Path, agent: str) -> None:
    ran = installation.run(
        "eval", "--tasks", TASK, "--agent", agent, "--output", str(tmp_path / "out"), "--json"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (trial,) = json.loads(ran.stdout)["trials"]
    rewards = [stage["reward"] for stage in trial["stages"]]
    passed = [stage["modules_passed"] for stage in trial["stages"]]
    total = trial["stages"][0]["modules_total"]
    assert {stage["isolation"] for stage in trial["stages"]} == {"unattested"}
    if agent == "half":
        assert 2 <= trial["expected_modules"] < total
        assert passed == [trial["expected_modules"]] * 3
    else:
        assert rewards == [1.0 if agent == "oracle" else 0.0] * 3
    assert "unattested" in installation.run("report", str(tmp_path / "out")).stdout
    assert installation.servers() == []


def test_one_http_server_plays_trials_side_by_side(
    installation: Installation, tmp_path: Path, url: str
) -> None:
    token = json.loads((installation.state / "store" / "tokens.json").read_text())["tokens"][0]["token"]
    arguments = ["eval", "--tasks", "lang:python", "--agent", "stub", "--samples", "3", "--concurrency", "3"]
    arguments += ["--server", url, "--json"]
    ran = installation.run(*arguments, "--output", str(tmp_path / "out"), KAIJU_TOKEN=token)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    scores = [row["scores"][0] for row in json.loads(ran.stdout)["rows"]]
    assert [(score["mean"], score["isolation"]) for score in scores] == [(0.0, "unattested")] * 6
    refused = installation.run(*arguments, "--output", str(tmp_path / "two"), KAIJU_TOKEN="x" * 32)
    assert refused.returncode == 2
    assert all(text in refused.stderr for text in (url, "401", "KAIJU_TOKEN"))


def test_an_interrupt_leaves_no_server_behind(installation: Installation, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = installation.start(
        "eval", "--tasks", TASK, "--agent", "oracle", "--samples", "2", "--concurrency", "2",
        "--output", str(out), "--json",
    )  # fmt: skip
    logs = [out / "logs" / f"{TASK}.{sample}.log" for sample in (1, 2)]
    deadline = time.monotonic() + PATIENCE_S
    while not all(log.exists() and "episode opened" in log.read_text() for log in logs):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    text, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert json.loads(text)["not_run"] == 2
    assert installation.servers() == []


@pytest.mark.slow
def test_bench_measures_everything_that_has_a_limit(installation: Installation) -> None:
    counts = ("--calls", "10", "--runs", "1", "--episodes", "5")
    ran = installation.run("bench", *counts, "--no-docker", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    measurements = json.loads(ran.stdout)["measurements"]
    assert [one["name"] for one in measurements] == [
        "write_file over stdio",
        "write_file over http",
        "5 open episodes, memory of each",
        "run_tests_visible",
        "submit",
        "first submit of a server",
    ]
    assert all(one["ours"] >= 0 and one["allowed"] > 0 for one in measurements)
    assert installation.servers() == []
