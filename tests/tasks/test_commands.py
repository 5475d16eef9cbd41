"""The `kaiju tasks` commands on what a stranger wrote."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kaiju_tasks.commands import tasks

TASK = "python-toy-1.0"


def run(state: Path, *arguments: str) -> Result:
    return CliRunner().invoke(tasks, ["--state-dir", str(state), *arguments])


def test_brackets_in_a_task_folder_are_no_markup(tasks_dir: Path, tmp_path: Path) -> None:
    store = tmp_path / "state" / "store" / "tasks"
    shutil.copytree(tasks_dir, store)
    manifest = store / TASK / "task.toml"
    text = manifest.read_text()
    assert 'licence = "' in text
    manifest.write_text(text.replace('licence = "', 'licence = "[/x][bold]'))
    for arguments in (["show", TASK], ["list"]):
        ran = run(tmp_path / "state", *arguments)
        assert (ran.exit_code, ran.exception) == (0, None)
        assert "[/x]" in ran.output


def test_a_pipe_is_no_recipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.toml")
    ran = run(tmp_path / "state", "prepare", str(tmp_path / "x.toml"))
    assert ran.exit_code == 2
    assert "x.toml" in ran.output
    assert "not a regular file" in ran.output


def test_a_recipe_folder_that_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = run(tmp_path / "state", "prepare", "tally", "--recipe-dir", str(tmp_path / "file" / "recipes"))
    assert isinstance(ran.exception, OSError)
    assert not (tmp_path / "state").exists()


def test_a_state_folder_that_is_a_file_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    for arguments in (["list"], ["show", TASK], ["prepare", "tally"], ["validate", TASK]):
        ran = run(tmp_path / "state", *arguments)
        assert ran.exit_code == 2
        assert len(ran.output.splitlines()) == 1
        assert f"{tmp_path / 'state'} is a file; expected a folder" in ran.output


def test_a_survey_has_a_row_for_what_is_no_package_url_too(tmp_path: Path) -> None:
    ran = run(tmp_path / "state", "survey", "pkg:nowhere/a@1", "requests==2", "path:/nowhere", "--json")
    assert ran.exit_code == 0, ran.output
    rows = json.loads(ran.output)
    assert [row["purl"] for row in rows] == ["pkg:nowhere/a@1", "requests==2", "path:/nowhere"]
    assert {row["obstacle"] for row in rows} == {"bad_purl"}
    assert "'nowhere'" in rows[0]["detail"]


@pytest.mark.parametrize("origin", ["pkg:npm/left-pad@1.3.0", "pkg:nowhere", "path:/nowhere"])
def test_preparing_what_no_language_takes_is_the_documented_obstacle(tmp_path: Path, origin: str) -> None:
    ran = run(tmp_path / "state", "prepare", origin, "--json")
    assert (ran.exit_code, json.loads(ran.output)["error"]["code"]) == (3, "bad_purl")


def test_a_survey_fits_a_narrow_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = run(tmp_path / "state", "survey", "pkg:nowhere/name@26.2.0")
    headings = ("purl", "licence", "sources", "tests", "modules", "obstacle")
    lines = ran.output.splitlines()
    assert any(all(heading in line for heading in headings) for line in lines), ran.output
    assert lines[-1].startswith("pkg:nowhere/name@26.2.0: bad_purl: ")


def test_tables_in_a_pipe_keep_their_lines_whole(tasks_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(tasks_dir, tmp_path / "state" / "store" / "tasks")
    shown = run(tmp_path / "state", "show", TASK).output
    assert re.search(r"sha256:[0-9a-f]{64}", shown), shown
