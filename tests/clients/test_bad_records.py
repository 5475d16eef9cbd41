"""Folders of batches that somebody else wrote, or that cannot be written: told, never a crash or a hang."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from .conftest import Fake

BATCH: dict[str, Any] = {"format": 1, "agent": "x", "samples": 1, "server": "stdio", "tasks": [["a", "b"]]}
TRIAL: dict[str, Any] = {
    "format": 1,
    "id": {"task_id": "a", "language": "b", "sample": 1},
    "agent": "x",
    "outcome": "graded",
    "stages": [{"stage": "test", "status": "graded", "reward": 1.0}],
    "started_at": "x",
    "seconds": 1,
    "calls": 1,
}


def write(folder: Path, batch: dict[str, Any]) -> Path:
    (folder / "trials").mkdir(parents=True)
    (folder / "batch.json").write_text(json.dumps(batch))
    return folder


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"samples": 0}, "samples"),
        ({"samples": 1_000_000_000}, "samples"),
        ({"samples": 10_000, "tasks": [[f"t{n}", "b"] for n in range(101)]}, "at most 1000000 trials"),
        ({"tasks": [["../../a", "b"]]}, "tasks.0.0"),
        ({"tasks": [["a", "b"], ["a", "b"]]}, "every task once"),
        ({"more": 1}, "more"),
    ],
)
def test_a_batch_that_cannot_be_is_refused_by_name(
    fake: Fake, tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    ran = fake.run("report", str(write(tmp_path / "out", BATCH | changes)))
    assert (ran.code, ran.out) == (2, "")
    assert named in ran.err


def test_a_pipe_in_the_place_of_a_record_is_no_record(fake: Fake, tmp_path: Path) -> None:
    folder = write(tmp_path / "out", BATCH)
    os.mkfifo(folder / "trials" / "a.1.json")
    ran = fake.run("report", "--json", str(folder))
    assert (ran.code, ran.document["not_run"]) == (1, 1)
    (folder / "batch.json").unlink()
    os.mkfifo(folder / "batch.json")
    assert fake.run("report", str(folder)).code == 2


def test_a_graded_trial_without_any_stage_counts_as_none(fake: Fake, tmp_path: Path) -> None:
    folder = write(tmp_path / "out", BATCH)
    trial = folder / "trials" / "a.1.json"
    trial.write_text(json.dumps(TRIAL))
    assert fake.run("report", "--json", str(folder)).document["graded"] == 1
    trial.write_text(json.dumps(TRIAL | {"stages": [], "expected_modules": 3}))
    assert fake.run("report", "--json", str(folder)).document["not_run"] == 1


def test_names_with_brackets_are_no_markup(fake: Fake, tmp_path: Path) -> None:
    tasks = [["a", "[/x]"], ["b", "[bold]y"]]
    ran = fake.run("report", str(write(tmp_path / "out", BATCH | {"agent": "[/z]", "tasks": tasks})))
    assert ran.code == 1
    assert all(name in ran.out for name in ("[/x]", "[bold]y", "agent [/z]"))


def test_a_folder_that_cannot_be_written_is_refused(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": ["ok"]})
    (tmp_path / "file").touch()
    ran = fake.play(tmp_path / "file" / "out", "--tasks", "a")
    assert (ran.code, fake.events("started-a")) == (2, 0)
    assert "--output" in ran.err
    write(tmp_path / "out", BATCH | {"agent": "stub", "tasks": [["a", "python"]]})
    (tmp_path / "out" / "trials" / "x.partial").mkdir()
    ran = fake.play(tmp_path / "out", "--tasks", "a", "--resume")
    assert (ran.code, fake.events("started-a")) == (2, 0)


def test_a_record_that_cannot_be_kept_ends_the_batch_and_says_so(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"a": ["ok"]})
    write(tmp_path / "out", BATCH | {"agent": "stub", "tasks": [["a", "python"]]})
    (tmp_path / "out" / "trials" / "a.1.json").mkdir()
    ran = fake.play(tmp_path / "out", "--tasks", "a", "--resume")
    assert ran.code == 2
    assert "a.1.json" in ran.err
    assert fake.processes() == []


def test_a_task_name_of_a_server_cannot_leave_the_folder(fake: Fake, tmp_path: Path) -> None:
    fake.configure({"../../escaped": ["ok"]})
    ran = fake.play(tmp_path / "deep" / "out", "--tasks", "*")
    assert ran.code == 2
    assert "task_id" in ran.err
    assert not list(tmp_path.glob("**/*escaped*json"))
