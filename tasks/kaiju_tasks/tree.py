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


def read_tree(folder: Path) -> dict[str, File]:
    """Every regular file below `folder`. Links and special files raise TaskFormatError, too much does too."""
    found: dict[str, File] = {}
    size = 0
    for path in _walk(folder):
        name = _name(path, folder)
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise TaskFormatError(str(folder), name, stat.filemode(mode), "regular files and folders only")
        data = path.read_bytes()
        size += len(data)
        if len(found) >= MAX_FILES or size > MAX_BYTES:
            raise TaskFormatError(str(folder), name, size, f"at most {MAX_FILES} files, {MAX_BYTES} bytes")
        found[name] = File(data, bool(mode & stat.S_IXUSR))
    return found


def _name(path: Path, folder: Path) -> str:
    name = path.relative_to(folder).as_posix()
    try:
        return check_path(name)
    except PathError as error:
        raise TaskFormatError(str(folder), ascii(name), name, str(error)) from error


def _walk(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
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
