"""The `kaiju` program: commands from entry points, errors in one line, doctor, client-config."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

KAIJU = Path(sys.executable).with_name("kaiju")


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | environ
    return subprocess.run(
        [str(KAIJU), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=env,
        timeout=120,
        check=False,
    )


@pytest.fixture
def broken_command(tmp_path: Path) -> dict[str, str]:
    """An installed package whose commands cannot be loaded."""
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[kaiju.commands]\nmissing = no_such_module:command\nsyntax = bad_syntax:command\nnumber = math:pi\n"
    )
    (tmp_path / "bad_syntax.py").write_text("def (\n")
    return {"PYTHONPATH": str(tmp_path)}


def test_help_lists_every_command_even_when_some_cannot_be_loaded(broken_command: dict[str, str]) -> None:
    done = run("--help", **broken_command)
    assert done.returncode == 0, done.stderr
    for name in ("serve", "doctor", "client-config", "missing", "syntax", "number"):
        assert f"\n  {name}" in done.stdout
    assert done.stdout.count("(not available") >= 3
    assert run("client-config", "cursor", **broken_command).returncode == 0
    failed = run("missing", "--any", "thing", **broken_command)
    assert failed.returncode == 1
    assert "no_such_module" in failed.stderr


@pytest.mark.parametrize(("command", "package"), [("serve", "structlog"), ("doctor", "tree_sitter")])
def test_a_package_that_an_update_needs_is_one_line_that_says_to_set_up_again(
    tmp_path: Path, command: str, package: str
) -> None:
    """The one is missing when the command is loaded, the other when it runs."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {package!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
    )
    done = run(command, PYTHONPATH=str(tmp_path), KAIJU_STATE_DIR=str(tmp_path / "state"))
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert [text for text in (repr(package), "make setup") if text not in done.stderr] == []


@pytest.mark.parametrize(
    ("arguments", "environ", "expected"),
    [
        (["serve"], {"KAIJU_SLOTS": "x"}, "KAIJU_SLOTS"),
        (["serve", "--backend", "none"], {}, "backend 'none'"),
        (["serve"], {"KAIJU_DATABASE": "postgresql://x/y"}, "postgresql://x/y"),
        (["serve"], {"KAIJU_DATABASE": "garbage"}, "'garbage'"),
        (["serve"], {"KAIJU_DATABASE": "sqlite:///:memory:"}, ":memory:"),
        (["serve"], {"KAIJU_DATABASE": "sqlite+other:///x"}, "sqlite+other"),
        (["serve"], {"KAIJU_DATABASE": "sqlite:////proc/kaiju/x"}, "/proc/kaiju"),
        (["doctor"], {"KAIJU_MAX_WAIT": "900"}, "KAIJU_MAX_WAIT"),
        (["serve"], {"KAIJU_REWARDS": "all"}, "KAIJU_REWARDS"),
        (["serve", "--http", "0", "--no-auth", "--host", "0.0.0.0"], {}, "KAIJU_ALLOWED_HOSTS"),
        (["serve", "--http", "0", "--no-auth", "--host", "192.0.2.1"], {}, "cannot listen on 192.0.2.1:0"),
    ],
)
def test_an_error_of_ours_is_one_line_and_status_2(
    tmp_path: Path, arguments: list[str], environ: dict[str, str], expected: str
) -> None:
    done = run(*arguments, KAIJU_STATE_DIR=str(tmp_path / "state"), **environ)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert done.returncode == 2, done.stderr
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("kaiju: ")
    assert expected in lines[0]


def a_file(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(b"\xff not what belongs here" * 300)


def a_folder(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True)


def a_link(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True)
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (a_file, ""),
        (a_file, "store"),
        (a_file, "store/episodes"),
        (a_file, "store/kaiju.sqlite"),
        (a_folder, "store/kaiju.sqlite"),
        (a_file, "store/grader.key"),
        (a_folder, "store/grader.key"),
        (a_link, "store/grader.key"),
        (a_folder, "store/grader.log"),
        (a_file, "store/tokens.json"),
        (a_folder, "store/tokens.json"),
    ],
)
def test_a_spoilt_part_of_the_state_is_named_in_one_line(
    tmp_path: Path, spoil: Callable[[Path], None], name: str
) -> None:
    spoil(tmp_path / "state" / name)
    flags = ["--http", "0"] if "tokens" in name else []
    done = run("serve", *flags, KAIJU_STATE_DIR=str(tmp_path / "state"))
    lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert (done.returncode, len(lines)) == (2, 1), done.stderr
    assert str(tmp_path / "state" / name) in lines[0]


@pytest.mark.parametrize("mode", [0o755, 0o710])
def test_a_store_that_others_can_enter_is_closed_before_anything_is_served(tmp_path: Path, mode: int) -> None:
    store = tmp_path / "state" / "store"
    store.mkdir(parents=True)
    store.chmod(mode)
    done = run("serve", KAIJU_STATE_DIR=str(tmp_path / "state"))
    assert done.returncode == 0, done.stderr
    assert store.stat().st_mode & 0o777 == 0o700
    assert f'"before": "{mode:04o}"' in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root meets folders of others that it can use")
def test_an_open_store_of_another_account_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "state" / "store"
    store.mkdir(parents=True)
    store.chmod(0o755)
    os.chown(store, 65_534, 65_534)
    done = run("serve", KAIJU_STATE_DIR=str(tmp_path / "state"))
    lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert (done.returncode, len(lines)) == (2, 1), done.stderr
    assert all(text in lines[0] for text in (str(store), "mode 0755", "uid 65534"))


def test_a_state_folder_that_cannot_be_made_is_named_in_one_line() -> None:
    done = run("serve", KAIJU_STATE_DIR="/proc/kaiju")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "/proc/kaiju" in done.stderr


def test_doctor_is_content_with_a_machine_that_has_no_task_yet_and_says_how_to_make_one(
    tmp_path: Path,
) -> None:
    done = run("doctor", "--json", "--state-dir", str(tmp_path / "state"))
    report = json.loads(done.stdout)
    checks = {check["name"]: check for check in report["checks"]}
    assert (checks["tasks"]["ok"], checks["tasks"]["required"]) == (False, False)
    assert "kaiju tasks prepare tinydb" in checks["tasks"]["remedy"]
    assert all(check["remedy"] == "" for check in checks.values() if check["ok"])
    assert report["ok"] is all(check["ok"] for check in checks.values() if check["required"])
    assert done.returncode == (0 if report["ok"] else 1)
    text = run("doctor", "--state-dir", str(tmp_path / "state")).stdout
    assert "note  tasks: no task is prepared yet" in text


def test_doctor_fails_when_every_task_is_broken(tmp_path: Path) -> None:
    (tmp_path / "state" / "store" / "tasks" / "python-toy-1.0").mkdir(parents=True)
    (tmp_path / "state" / "store").chmod(0o700)
    done = run("doctor", "--json", "--state-dir", str(tmp_path / "state"))
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert (checks["tasks"]["ok"], checks["tasks"]["required"]) == (False, True)


def test_doctor_says_that_a_state_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    report = json.loads(run("doctor", "--json", "--state-dir", str(tmp_path / "state")).stdout)
    folder = next(check for check in report["checks"] if check["name"] == "state folder")
    assert (folder["ok"], folder["detail"]) == (False, f"{tmp_path / 'state'} is a file, not a folder")


def test_doctor_finds_a_store_that_others_can_read(tmp_path: Path) -> None:
    (tmp_path / "state" / "store").mkdir(parents=True)
    (tmp_path / "state" / "store").chmod(0o755)
    report = json.loads(run("doctor", "--json", "--state-dir", str(tmp_path / "state")).stdout)
    store = next(check for check in report["checks"] if check["name"] == "store")
    assert (store["ok"], "chmod 700" in store["remedy"]) == (False, True)


@pytest.mark.parametrize("client", ["claude-desktop", "cursor", "vscode"])
def test_client_config_is_json_that_starts_this_program(client: str) -> None:
    config = json.loads(run("client-config", client).stdout)
    server = (config["servers"] if client == "vscode" else config["mcpServers"])["kaiju"]
    assert Path(server["command"]).is_absolute()
    assert server["args"] == ["serve"]


def test_client_config_names_the_program_that_runs_and_not_another_one_on_the_path(tmp_path: Path) -> None:
    other = tmp_path / "kaiju"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    done = run("client-config", "cursor", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert json.loads(done.stdout)["mcpServers"]["kaiju"]["command"] == str(KAIJU)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://127.0.0.1:8734", "http://127.0.0.1:8734/mcp"),
        ("https://kaiju.lan/", "https://kaiju.lan/mcp"),
        ("http://127.0.0.1:8734/mcp?episode=1", "http://127.0.0.1:8734/mcp?episode=1"),
        ("https://proxy.lan/kaiju/mcp", "https://proxy.lan/kaiju/mcp"),
    ],
)
def test_client_config_has_the_address_that_the_server_answers_at(given: str, expected: str) -> None:
    config = json.loads(run("client-config", "cursor", "--http", given).stdout)
    assert config["mcpServers"]["kaiju"]["url"] == expected


@pytest.mark.parametrize("flags", [["--host", "127.0.0.1"], ["--no-auth"], ["--auth"]])
def test_serve_refuses_what_only_http_has_without_http(tmp_path: Path, flags: list[str]) -> None:
    done = run("serve", *flags, KAIJU_STATE_DIR=str(tmp_path / "state"))
    assert (done.returncode, "--http" in done.stderr) == (2, True)
    assert not (tmp_path / "state").exists()


def test_client_config_for_claude_code_leaves_only_our_tools() -> None:
    text = run("client-config", "claude-code", "--http", "http://127.0.0.1:8734/mcp").stdout
    assert "--strict-mcp-config --tools '' --allowedTools 'mcp__kaiju__*'" in text
    assert "Bearer ${KAIJU_TOKEN}" in text


def test_client_config_refuses_what_a_client_cannot_do() -> None:
    done = run("client-config", "claude-desktop", "--http", "http://127.0.0.1:8734/mcp")
    assert (done.returncode, "--http" in done.stderr) == (2, True)
    for address in ("localhost", "http://", "http://127.0.0.1:8734/sse", "http://127.0.0.1:8734/mcp/x"):
        assert run("client-config", "cursor", "--http", address).returncode == 2, address
