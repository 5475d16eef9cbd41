"""`kaiju eval` and `kaiju report`, as programs, against a stand-in server."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from .conftest import FAKE_SERVER, TIMEOUT_S, Fake


def rewards(document: dict[str, object], task: str) -> list[list[float | None]]:
    trials = document["trials"]
    assert isinstance(trials, list)
    return [[one["reward"] for one in trial["stages"]] for trial in trials if trial["id"]["task_id"] == task]


def test_a_trial_goes_through_three_stages(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": [2]})
    ran = fake.play(tmp_path / "out", "--tasks", "a")
    assert ran.code == 0, ran.err
    assert rewards(ran.document, "a") == [[0.5, 0.5, 0.5]]
    assert fake.events("abandoned") == 0


def test_every_trial_is_in_exactly_one_row_and_the_report_agrees(fake: Fake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fake.configure({"a": ["slow"], "b": ["die"], "c": ["infra"], "d": ["refuse"], "e": ["nonsense"]})
    ran = fake.play(out, "--tasks", "*", "--concurrency", "2")
    assert ran.counts() == [5, 1, 0, 4, 0]
    assert ran.code == 1
    for row in ran.document["rows"]:
        parts = (row["graded"], row["agent_error"], row["infra_error"], row["not_run"])
        assert sum(parts) == row["requested"]
    assert fake.run("report", str(out), "--json").document == ran.document
    table = fake.run("report", str(out))
    assert table.code == 1
    assert "5 requested = 1 graded + 0 agent_error + 4 infra_error + 0 not_run" in table.out
    assert "no engine" in table.out
    assert fake.processes() == []


def test_a_verdict_that_is_not_shown_is_no_zero(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": ["hidden"]})
    document = fake.play(tmp_path / "out", "--tasks", "a").document
    assert rewards(document, "a") == [[None, None, None]]
    assert [(row["graded"], row["hidden"], row["scores"]) for row in document["rows"]] == [(1, 1, [])] * 6


def test_resume_plays_exactly_what_has_no_verdict(fake: Fake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fake.configure({"a": [1], "b": ["die", "ok"], "d": [3]})
    assert fake.play(out, "--tasks", "*").counts() == [3, 2, 0, 1, 0]
    kept = (out / "trials" / "a.1.json").read_text()
    half = out / "trials" / "d.1.json"
    half.write_text(half.read_text()[:100])
    (out / "trials" / "d.1.json.partial").write_text("{")
    resumed = fake.play(out, "--tasks", "*", "--resume")
    assert resumed.code == 0, resumed.err
    assert resumed.counts() == [3, 3, 0, 0, 0]
    assert [fake.events(f"started-{name}") for name in "abd"] == [1, 2, 2]
    assert (out / "trials" / "a.1.json").read_text() == kept
    assert not list((out / "trials").glob("*.partial"))
    fake.play(out, "--tasks", "*", "--resume")
    assert [fake.events(f"started-{name}") for name in "abd"] == [1, 2, 2]


def test_resume_refuses_another_batch(fake: Fake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fake.configure({"a": ["ok"], "b": ["ok"]})
    fake.play(out, "--tasks", "a")
    other = fake.play(out, "--tasks", "a,b", "--resume")
    assert other.code == 2
    assert "the batch has tasks a, the options say a, b" in other.err
    again = fake.play(out, "--tasks", "a")
    assert again.code == 2
    assert "has a batch already" in again.err
    assert fake.events("started-a") == 1


def test_an_interrupt_leaves_nothing_behind_and_can_be_resumed(fake: Fake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fake.configure({"a": ["ok"], "b": ["hang", "ok"], "c": ["hang", "ok"]})
    arguments = ["--tasks", "*", "--agent", "stub", "--output", str(out), "--concurrency", "2", "--json"]
    process = fake.start(*arguments)
    fake.wait_for("hanging", 2)
    process.send_signal(signal.SIGINT)
    text, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, err
    assert fake.processes() == []
    assert fake.events("abandoned") == 2
    document = json.loads(text)
    assert (document["requested"], document["not_run"]) == (3, 2)
    assert document["infra_error"] == document["agent_error"] == 0
    assert fake.play(out, "--tasks", "*", "--resume").counts() == [3, 3, 0, 0, 0]
    assert fake.events("started-a") == 1


def test_a_trial_has_a_time_limit(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": ["hang"]})
    ran = fake.play(tmp_path / "out", "--tasks", "a", "--timeout", "2")
    assert ran.counts() == [1, 0, 0, 1, 0]
    assert "--timeout" in ran.document["trials"][0]["detail"]
    assert fake.events("abandoned") == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--concurrency", "0"], ["--concurrency", "1<=x<=256"]),
        (["--concurrency", "-1"], ["--concurrency", "1<=x<=256"]),
        (["--samples", "0"], ["--samples", "1<=x<=10000"]),
        (["--samples", "two"], ["--samples", "two"]),
        (["--timeout", "0"], ["--timeout", "1<=x<=604800"]),
        (["--timeout", "nan"], ["--timeout", "nan"]),
        (["--tasks", ""], ["--tasks", "names no task"]),
        (["--tasks", " , "], ["--tasks", "names no task"]),
        (["--tasks", "a,zz,qq*"], ["--tasks", "'zz', 'qq*'"]),
        (["--tasks", "lang:cobol"], ["--tasks", "lang:cobol"]),
        (["--agent", "genius"], ["--agent", "genius", "oracle"]),
        (["--agent", "stub:x"], ["--agent", "stub takes no argument"]),
        (["--agent", "scripted"], ["--agent", "scripted:FILE"]),
        (["--agent", "scripted:/nowhere.json"], ["/nowhere.json"]),
        (["--server", "/nowhere/program"], ["--server", "/nowhere/program"]),
        (["--server", "http://127.0.0.1:9/mcp"], ["--server", "http://127.0.0.1:9/mcp"]),
        (["--server", "'"], ["--server"]),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_done(
    fake: Fake, tmp_path: Path, arguments: list[str], named: list[str]
) -> None:
    fake.configure({"a": ["ok"]})
    ran = fake.run("eval", "--tasks", "a", "--agent", "stub", "--output", str(tmp_path / "out"), *arguments)
    assert ran.code == 2
    for text in named:
        assert text in ran.err
    assert not (tmp_path / "out").exists()
    assert fake.events("started-a") == 0


def test_two_evaluations_never_share_a_folder(fake: Fake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fake.configure({"a": ["hang", "ok"]})
    first = fake.start("--tasks", "a", "--agent", "stub", "--output", str(out), "--json")
    fake.wait_for("hanging")
    for resume in ([], ["--resume"]):
        second = fake.play(out, "--tasks", "a", *resume)
        assert second.code == 2
        assert "another kaiju eval is writing to" in second.err
    assert fake.events("started-a") == 1
    # However the first one ends, its folder is free again.
    first.kill()
    first.communicate(timeout=TIMEOUT_S)
    assert fake.play(out, "--tasks", "a", "--resume").counts() == [1, 1, 0, 0, 0]


def test_resume_needs_a_folder_with_a_batch(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": ["ok"]})
    ran = fake.run("eval", "--tasks", "a", "--agent", "stub", "--resume", "--output", str(tmp_path / "out"))
    assert ran.code == 2
    assert "expected the folder of a batch" in ran.err
    assert fake.run("eval", "--tasks", "a", "--agent", "stub", "--resume").code == 2


def test_report_of_no_batch_says_what_was_expected(fake: Fake, tmp_path: Path) -> None:
    ran = fake.run("report", str(tmp_path))
    assert ran.code == 2
    assert "expected the folder of a batch" in ran.err


def test_isolation_that_the_server_tells_is_kept(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": ["attested", "ok"]})
    document = fake.play(tmp_path / "out", "--tasks", "a", "--samples", "2").document
    scores = document["rows"][2]["scores"]
    assert [(score["isolation"], score["count"]) for score in scores] == [(None, 1), ("attested", 1)]


@pytest.fixture
def url(fake: Fake) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fake.configure({"a": ["ok", 2, "die"]})
    process = subprocess.Popen([sys.executable, str(FAKE_SERVER), str(port)], env=fake.environ)
    try:
        fake.wait_for(f"process-{process.pid}")
        fake.wait_for_port(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("status", "token", "words"),
    [
        (401, [], ["KAIJU_TOKEN", "none is given"]),
        (401, ["--token", "x" * 20], ["KAIJU_TOKEN", "the one given is none of them"]),
        (421, [], ["KAIJU_ALLOWED_HOSTS"]),
    ],
)
def test_a_refusal_names_the_address_the_status_and_what_to_set(
    fake: Fake, tmp_path: Path, status: int, token: list[str], words: list[str]
) -> None:
    with refusing(status) as url:
        ran = fake.play(tmp_path / "out", "--tasks", "a", "--server", url, *token)
    assert ran.code == 2
    assert [text for text in (url, str(status), *words) if text not in ran.err] == []
    assert "x" * 20 not in ran.err


@contextmanager
def refusing(status: int) -> Iterator[str]:
    """A server that gives every request this answer."""

    class Refusal(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            server.shutdown()
            thread.join()


def test_one_http_server_serves_all_trials_and_its_death_is_no_score(
    fake: Fake, tmp_path: Path, url: str
) -> None:
    ran = fake.play(tmp_path / "out", "--tasks", "a", "--samples", "4", "--server", url)
    assert ran.counts() == [4, 2, 0, 2, 0], ran.err
    assert rewards(ran.document, "a")[:2] == [[1.0, 1.0, 1.0], [0.5, 0.5, 0.5]]
    assert "no connection to the server" in ran.document["trials"][3]["detail"]


def test_a_script_plays_its_calls(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": [3]})
    script = tmp_path / "play.toml"
    calls = [
        'tool = "write_file"\narguments = {path = "src/a.py", content = "x"}',
        'tool = "write_file"\narguments = {path = "/etc/x", content = "x"}\nfails = true',
        'tool = "submit"\narguments = {stage = "draft"}',
        'tool = "run_lint"',
        'tool = "submit"\narguments = {stage = "lint"}',
        'tool = "run_tests_visible"',
        'tool = "submit"\narguments = {stage = "test"}',
    ]
    script.write_text("".join(f"[[calls]]\n{call}\n" for call in calls))
    ran = fake.play(tmp_path / "out", "--tasks", "a", agent=f"scripted:{script}")
    assert ran.code == 0, ran.err
    assert ran.document["agent"] == "scripted:play.toml"
    assert rewards(ran.document, "a") == [[0.75, 0.75, 0.75]]


@pytest.mark.parametrize(
    ("calls", "detail"),
    [
        ([{"tool": "submit", "arguments": {"stage": "draft"}}], "without submitting the lint stage"),
        ([{"tool": "write_file", "arguments": {"path": "/x", "content": ""}}], "call 1: write_file"),
        ([{"tool": "run_lint", "fails": True}], "call 1: run_lint was to fail"),
        ([{"tool": "no_such_tool"}], "call 1: no_such_tool"),
    ],
)
def test_a_script_that_goes_wrong_is_an_agent_error(
    fake: Fake, tmp_path: Path, calls: list[object], detail: str
) -> None:
    fake.configure({"a": ["ok"]})
    script = tmp_path / "play.json"
    script.write_text(json.dumps(calls))
    ran = fake.play(tmp_path / "out", "--tasks", "a", agent=f"scripted:{script}")
    assert ran.counts() == [1, 0, 1, 0, 0]
    assert detail in ran.document["trials"][0]["detail"]
    assert fake.events("abandoned") == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[{}]", '[{"tool": 1}]', '[{"tool": "x", "argument": {}}]', "\udcff"]
)
def test_a_script_that_cannot_be_read_is_refused(fake: Fake, tmp_path: Path, text: str) -> None:
    fake.configure({"a": ["ok"]})
    script = tmp_path / "play.json"
    script.write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = fake.play(tmp_path / "out", "--tasks", "a", agent=f"scripted:{script}")
    assert ran.code == 2
    assert "play.json" in ran.err
