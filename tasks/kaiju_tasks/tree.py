"""A tree: regular files below a folder, read whole into memory and written with fixed modes."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from kaiju_grading.files import Files, PathError, check_path
from kaiju_sandbox.command import File
from kaiju_tasks.errors import TaskFormatError

MAX_FILES = 50_000
MAX_BYTES = 512 * 1024 * 1024
MAX_DEPTH = 100
"""Folders within folders."""


def read_tree(folder: Path) -> dict[str, File]:
    """Every regular file below `folder`. Links and special files raise TaskFormatError, too much does too."""
    found: dict[str, File] = {}
    size = 0
    for path in _walk(folder):
        name = _name(path, folder)
        status = path.lstat()
        mode = status.st_mode
        if not stat.S_ISREG(mode):
            raise TaskFormatError(str(folder), name, stat.filemode(mode), "regular files and folders only")
        # Before it is read: a file with holes costs its maker nothing and its reader all the memory.
        size += status.st_size
        if len(found) >= MAX_FILES or size > MAX_BYTES:
            raise TaskFormatError(str(folder), name, size, f"at most {MAX_FILES} files, {MAX_BYTES} bytes")
        found[name] = File(path.read_bytes(), bool(mode & stat.S_IXUSR))
    return found


def _name(path: Path, folder: Path) -> str:
    name = path.relative_to(folder).as_posix()
    try:
        return check_path(name)
    except PathError as error:
        raise TaskFormatError(str(folder), ascii(name), name, str(error)) from error


def _walk(folder: Path, depth: int = 0) -> Iterator[Path]:
    if depth > MAX_DEPTH:
        raise TaskFormatError(folder.name, "", "deeper", f"at most {MAX_DEPTH} folders within folders")
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), depth + 1)
        else:
            yield Path(entry.path)


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
