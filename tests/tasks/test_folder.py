"""A task folder is written whole, and keeps what was recorded in other environments."""

import json
from pathlib import Path

from kaiju_sandbox.command import File
from kaiju_tasks.prepare.folder import install, merged
from kaiju_tasks.store import Store
from kaiju_tasks.tree import read_tree

TASK = "python-toy-1.0"
INVENTORY = "tests/inventory.json"


def elsewhere(folder: Path) -> dict[str, File]:
    """The folder as it was calibrated on another machine."""
    files = read_tree(folder)
    for name in (INVENTORY, "tests/canaries.json", "calibration.json"):
        content = json.loads(files[name].data)
        (recorded,) = content["environments"].values()
        files[name] = File(json.dumps({**content, "environments": {"sha256:other": recorded}}).encode())
    return files


def environments(files: dict[str, File]) -> set[str]:
    return set(json.loads(files[INVENTORY].data)["environments"])


def test_recordings_of_other_environments_are_kept(tasks_dir: Path) -> None:
    here = read_tree(tasks_dir / TASK)
    joined = dict(merged(here, elsewhere(tasks_dir / TASK)))
    assert environments(joined) == environments(here) | {"sha256:other"}


def test_recordings_of_other_content_are_not(tasks_dir: Path) -> None:
    here = read_tree(tasks_dir / TASK)
    changed = {**elsewhere(tasks_dir / TASK), "instruction.md": File(b"Something else.\n")}
    assert merged(here, changed) == here


def test_a_folder_takes_the_place_of_an_older_or_broken_one(tasks_dir: Path) -> None:
    files = read_tree(tasks_dir / TASK)
    (tasks_dir / TASK / "environment" / "link").symlink_to("/etc")
    assert TASK in Store(tasks_dir).broken()
    path = install({**files, "instruction.md": File(b"Newer.\n")}, tasks_dir, TASK)
    assert Store(tasks_dir).view(TASK).instruction == "Newer.\n"
    assert path.stat().st_mode & 0o777 == 0o700
    assert [entry.name for entry in tasks_dir.iterdir()] == [TASK]


def test_a_store_that_preparation_makes_is_closed_to_others(tasks_dir: Path, tmp_path: Path) -> None:
    path = install(read_tree(tasks_dir / TASK), tmp_path / "state" / "store" / "tasks", TASK)
    assert [folder.stat().st_mode & 0o777 for folder in (path, *path.parents[:2])] == [0o700] * 3
