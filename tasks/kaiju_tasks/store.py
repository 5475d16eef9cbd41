"""The store: the folder that holds task folders, one a task, its name the id."""

import os
from collections.abc import Mapping
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_tasks import manifest
from kaiju_tasks.digest import task_digest
from kaiju_tasks.errors import TaskError, TaskFormatError, UnknownTask
from kaiju_tasks.manifest import ID_PATTERN, Manifest
from kaiju_tasks.task import Task, TaskView
from kaiju_tasks.tree import below, read_tree

WORKSPACE = "environment/workspace"
SPEC = "environment/spec"
INDEX = "index.md"


def check_id(task_id: str) -> str:
    """Return `task_id` if it can name a task, else raise UnknownTask."""
    if not ID_PATTERN.fullmatch(task_id) or len(task_id) > 128:
        raise UnknownTask(f"task id {task_id[:200]!r} is not valid; expected {ID_PATTERN.pattern}")
    return task_id


class Store:
    """Tasks by id. Every call looks at the folder anew: what it returns is what is there."""

    def __init__(self, tasks_dir: Path) -> None:
        self.tasks_dir = tasks_dir

    def ids(self) -> tuple[str, ...]:
        """Every task folder, broken ones too, sorted. Empty when the store does not exist yet."""
        if not self.tasks_dir.is_dir():
            return ()
        with os.scandir(self.tasks_dir) as entries:
            return tuple(sorted(entry.name for entry in entries if ID_PATTERN.fullmatch(entry.name)))

    def views(self) -> tuple[TaskView, ...]:
        """What an agent may see of every task that is sound."""
        return tuple(task.view for task in self._tasks().values() if isinstance(task, Task))

    def broken(self) -> Mapping[str, str]:
        """Id to the reason of every folder that is not a sound task."""
        return {name: str(task) for name, task in self._tasks().items() if isinstance(task, TaskError)}

    def view(self, task_id: str) -> TaskView:
        """What an agent may see of this task. Raises UnknownTask, TaskFormatError."""
        return self.task(task_id).view

    def task(self, task_id: str) -> Task:
        """The grader's handle on this task. Raises UnknownTask, TaskFormatError."""
        folder = self.tasks_dir / check_id(task_id)
        if not folder.is_dir():
            known = ", ".join(self.ids()) or "no task at all"
            raise UnknownTask(f"no task {task_id!r}; the store has {known}")
        return load_task(folder)

    def _tasks(self) -> dict[str, Task | TaskError]:
        found: dict[str, Task | TaskError] = {}
        for task_id in self.ids():
            try:
                found[task_id] = self.task(task_id)
            except TaskError as error:
                found[task_id] = error
        return found


def load_task(folder: Path) -> Task:
    """Read and check one task folder; its name is the id. Raises TaskFormatError."""
    if folder.is_symlink() or not folder.is_dir():
        raise TaskFormatError(folder.name, "", "not a folder", "a task folder that is no link")
    try:
        files = read_tree(folder)
    except OSError as error:
        raise TaskFormatError(folder.name, "", error.strerror, "files that can be read") from error
    content = manifest.load(_required(files, folder, manifest.FILE), f"{folder.name}/{manifest.FILE}")
    return Task(folder, _view(folder, files, content))


def _view(folder: Path, files: Files, content: Manifest) -> TaskView:
    ours = content.kaiju
    instruction = _text(files, folder, "instruction.md")
    if not instruction.strip():
        raise TaskFormatError(f"{folder.name}/instruction.md", "", "", "text")
    return TaskView(
        id=check_id(folder.name),
        language=ours.language,
        name=ours.name,
        version=ours.version,
        description=content.task.description,
        licence=ours.provenance.licence,
        instruction=instruction,
        pages=_pages(files, folder),
        workspace=below(files, WORKSPACE),
        roots=ours.roots,
        modules=ours.modules,
        visible_tests=ours.visible_tests,
        commands=ours.commands,
        digest=task_digest(files),
    )


def _pages(files: Files, folder: Path) -> dict[str, str]:
    names = sorted(below(files, SPEC), key=lambda name: (name != INDEX, name))
    if INDEX not in names:
        raise TaskFormatError(f"{folder.name}/{SPEC}", INDEX, "missing", "a first page")
    return {name: _text(files, folder, f"{SPEC}/{name}") for name in names}


def _text(files: Files, folder: Path, path: str) -> str:
    try:
        return _required(files, folder, path).decode()
    except UnicodeDecodeError as error:
        raise TaskFormatError(f"{folder.name}/{path}", "", str(error), "UTF-8") from error


def _required(files: Files, folder: Path, path: str) -> bytes:
    if path not in files:
        raise TaskFormatError(f"{folder.name}/{path}", "", "missing", "a file")
    return files[path].data
