"""The store and the task format, through their public doors."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kaiju_grading.files import digest
from kaiju_sandbox.command import Layer
from kaiju_sandbox.environment import Environment
from kaiju_tasks.errors import NotCalibrated, TaskFormatError, UnknownTask
from kaiju_tasks.manifest import dump, load
from kaiju_tasks.solution import half, reference_files
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_record_of, suite_of
from kaiju_tasks.task import TaskView

TASK = "python-toy-1.0"


def known_environment(version: str = "3.11.7") -> Environment:
    return Environment("python", (Layer("/kaiju/env/x", Path("/x")),), ("key",), {}, {"python": version})


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_view_has_what_an_agent_needs(tasks_dir: Path) -> None:
    view = Store(tasks_dir).view(TASK)
    assert (view.id, view.language, view.roots, view.modules) == (TASK, "python", ("toy",), 1)
    assert list(view.pages) == ["index.md", "api.md"]
    assert set(view.workspace) == {"toy/__init__.py", "README.md"}


def test_a_view_holds_nothing_of_tests_and_solution(tasks_dir: Path) -> None:
    view = Store(tasks_dir).view(TASK)
    text = "".join(str(getattr(view, name)) for name in TaskView.__dataclass_fields__)
    assert not any(word in text for word in ("test_secret", "test_two", "2 * x", str(tasks_dir)))


def test_a_broken_task_is_listed_and_leaves_the_others_alone(tasks_dir: Path) -> None:
    (tasks_dir / "bad-1.0").mkdir()
    store = Store(tasks_dir)
    assert store.ids() == ("bad-1.0", TASK)
    assert [view.id for view in store.views()] == [TASK]
    assert "task.toml" in store.broken()["bad-1.0"]
    assert store.view(TASK).name == "toy"


def a_file_with_holes(folder: Path) -> None:
    with (folder / "big").open("wb") as file:
        file.truncate(10**12)


def folders_within_folders(folder: Path) -> None:
    inner = os.open(folder, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=inner)
        outer, inner = inner, os.open("d", os.O_RDONLY, dir_fd=inner)
        os.close(outer)
    os.close(inner)


def a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "tests" / "pipe")


@pytest.mark.parametrize("spoil", [a_file_with_holes, folders_within_folders, a_pipe])
def test_a_folder_that_would_never_end_is_broken_and_stops_nobody(
    tasks_dir: Path, spoil: Callable[[Path], None]
) -> None:
    bad = tasks_dir / "bad-1.0"
    (bad / "tests").mkdir(parents=True)
    spoil(bad)
    try:
        store = Store(tasks_dir)
        assert list(store.broken()) == ["bad-1.0"]
        assert [view.id for view in store.views()] == [TASK]
    finally:
        # pytest's own removal recurses.
        subprocess.run(["rm", "-rf", str(bad)], check=True)


def test_a_missing_environment_is_a_fault_of_the_folder(tasks_dir: Path) -> None:
    (tasks_dir / TASK / "environment" / "environment.toml").unlink(missing_ok=True)
    with pytest.raises(TaskFormatError, match=r"environment\.toml"):
        environment_record_of(Store(tasks_dir).task(TASK))


@pytest.mark.parametrize("task_id", ["../x", "", "A", ".", "a/b", "x" * 200, "no-such-task"])
def test_an_id_that_names_no_task_is_unknown(tasks_dir: Path, task_id: str) -> None:
    with pytest.raises(UnknownTask):
        Store(tasks_dir).view(task_id)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('language = "python"', "", "metadata.kaiju.language"),
        ("format = 1", "format = 2", "metadata.kaiju.format"),
        ('roots = ["toy"]', 'roots = ["../toy"]', "metadata.kaiju.roots.0"),
        ("visible_tests = 1", "visible_tests = 1\nsurprise = 2", "metadata.kaiju.surprise"),
        ("modules = 1", 'modules = "many"', "metadata.kaiju.modules"),
    ],
)
def test_a_fault_in_task_toml_names_file_and_key(tasks_dir: Path, old: str, new: str, key: str) -> None:
    edit(tasks_dir / TASK / "task.toml", old, new)
    with pytest.raises(TaskFormatError) as caught:
        Store(tasks_dir).view(TASK)
    assert (caught.value.file, caught.value.key) == (f"{TASK}/task.toml", key)


def test_keys_of_harbor_that_we_do_not_use_survive_a_rewrite(tasks_dir: Path) -> None:
    content = load((tasks_dir / TASK / "task.toml").read_bytes())
    again = load(dump(content))
    assert again == content
    assert dump(again) == dump(content)
    assert b'difficulty = "easy"' in dump(content)
    assert b'network_mode = "no-network"' in dump(content)


def test_a_link_in_a_task_folder_is_refused(tasks_dir: Path) -> None:
    (tasks_dir / TASK / "environment" / "workspace" / "toy" / "link.py").symlink_to("/etc/passwd")
    with pytest.raises(TaskFormatError, match="regular files"):
        Store(tasks_dir).view(TASK)


def test_a_suite_has_the_parts_of_the_folder(tasks_dir: Path) -> None:
    task = Store(tasks_dir).task(TASK)
    suite = suite_of(task, known_environment())
    assert suite.task_digest == task.view.digest
    assert [module.seconds for module in suite.modules] == [0.4]
    assert suite.reserved == {"tests/test_secret.py", "tests/test_seen.py"}
    assert suite.cells[0].sites[0].replacement == "3"
    assert suite.limits.wall == 30


def test_another_environment_is_refused_and_both_digests_are_named(tasks_dir: Path) -> None:
    task = Store(tasks_dir).task(TASK)
    with pytest.raises(NotCalibrated) as caught:
        suite_of(task, known_environment("3.12.1"))
    assert known_environment().digest in str(caught.value)
    assert known_environment("3.12.1").digest in str(caught.value)


def test_content_that_changed_after_calibration_is_refused(tasks_dir: Path) -> None:
    edit(tasks_dir / TASK / "tests/heldout/tests/test_secret.py", "== 2", "== 5")
    with pytest.raises(NotCalibrated, match="content is now"):
        suite_of(Store(tasks_dir).task(TASK), known_environment())


def test_measurements_are_outside_the_digest(tasks_dir: Path) -> None:
    before = Store(tasks_dir).view(TASK).digest
    for name in ("tests/inventory.json", "tests/canaries.json", "calibration.json"):
        (tasks_dir / TASK / name).write_text("{}")
    assert Store(tasks_dir).view(TASK).digest == before
    (tasks_dir / TASK / "instruction.md").write_text("# Something else\n")
    assert Store(tasks_dir).view(TASK).digest != before


def test_the_solution_is_read_for_those_who_ask(tasks_dir: Path) -> None:
    task = Store(tasks_dir).task(TASK)
    assert digest(half(task).files) == digest(reference_files(task))
    assert half(task).modules == ("tests/test_secret.py",)
