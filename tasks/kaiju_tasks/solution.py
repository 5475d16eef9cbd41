"""The solution of a task: the reference and a half of it. For the oracle agent and for preparation alone."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.submission import admitted
from kaiju_tasks import half as half_file
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.format import read_json
from kaiju_tasks.half import HalfRecord
from kaiju_tasks.task import Task
from kaiju_tasks.tree import read_tree

REFERENCE = "solution/reference"


@dataclass(frozen=True, slots=True)
class Half:
    """A submission that restores some of the reference, and the modules that it earns."""

    files: Files = field(repr=False)
    modules: tuple[str, ...]


def reference_files(task: Task) -> Files:
    """The upstream files below the roots: the submission that scores 1.0."""
    files = read_tree(task.path / REFERENCE)
    if not files:
        raise TaskFormatError(
            f"{task.view.id}/{REFERENCE}", "", "empty", "the upstream files below the roots"
        )
    return files


def half(task: Task) -> Half:
    """The half-restored tree, as a submission. Raises TaskFormatError when the task has none."""
    path = task.path / half_file.FILE
    if not path.is_file():
        raise TaskFormatError(f"{task.view.id}/{half_file.FILE}", "", "missing", "a file")
    record = read_json(HalfRecord, path.read_bytes(), f"{task.view.id}/{half_file.FILE}")
    stub = admitted(task.view.workspace, task.view.roots, languages.get(task.view.language))
    folder = task.path / half_file.FOLDER
    cut = read_tree(folder) if folder.is_dir() else {}
    return Half({**restored(stub, reference_files(task), record.restore), **cut}, record.modules)


def restored(stub: Files, reference: Files, globs: tuple[str, ...]) -> Files:
    """The stub with the reference files that match any of `globs` (all but those that match a `!glob`)."""
    return {**stub, **{path: file for path, file in reference.items() if _matches(path, globs)}}


def _matches(path: str, globs: tuple[str, ...]) -> bool:
    chosen = any(fnmatchcase(path, glob) for glob in globs if not glob.startswith("!"))
    return chosen and not any(fnmatchcase(path, glob[1:]) for glob in globs if glob.startswith("!"))
