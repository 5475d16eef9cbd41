"""A tree: regular files below a folder, read whole into memory and written with fixed modes."""

from collections.abc import Mapping
from pathlib import Path

from kaiju_grading import disk
from kaiju_grading.files import Files, PathError, check_path
from kaiju_sandbox.command import File
from kaiju_tasks.errors import TaskFormatError

MAX_BYTES = 512 * 1024 * 1024


def read_tree(folder: Path) -> dict[str, File]:
    """Every regular file below `folder`. Links, special files, strange names and too much of anything raise
    TaskFormatError."""
    try:
        files = disk.read_tree(folder, MAX_BYTES)
        for path in files:
            check_path(path)
    except (disk.TreeError, PathError) as error:
        raise TaskFormatError(folder.name, "", str(error), "regular files and folders only") from error
    return files


def write_tree(folder: Path, files: Files) -> None:
    """Write `files` below a folder that is made for it: 0700 folders, 0600 or 0700 files."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, file in sorted(files.items()):
        path = folder / check_path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o700 if file.executable else 0o600)


def below(files: Files, prefix: str) -> dict[str, File]:
    """The part of `files` below `prefix`, with the prefix taken off."""
    start = prefix.rstrip("/") + "/"
    return {path[len(start) :]: file for path, file in files.items() if path.startswith(start)}


def placed(files: Mapping[str, File], prefix: str) -> dict[str, File]:
    """`files` with `prefix` put before every path."""
    return {f"{prefix.rstrip('/')}/{path}": file for path, file in files.items()}
