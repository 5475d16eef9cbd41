"""A tree on disk, read and written by directory descriptor so that no link leads out of it."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.files import Files, check_path
from kaiju_sandbox.command import File

MAX_DEPTH = 64
"""Folders below each other; bounds the descriptors that a walk holds open."""
MAX_ENTRIES = 50_000
"""Files and folders that one walk looks at."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a fifo or a device must not wait.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class TreeError(Exception):
    """A tree that cannot be read or written safely; the text names the entry and what was expected."""


class TreeTooLarge(TreeError):
    """More bytes than the reader may take."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that is not a folder, as a walk met it. `path` may hold any character that a name can."""

    path: str
    regular: bool
    problem: str = ""
    """Why nothing below (for a folder) or in it can be read; empty when it can."""


@contextmanager
def open_folder(root: Path) -> Iterator[int]:
    """A descriptor of `root`, which must be a folder and not a link."""
    try:
        descriptor = os.open(root, _FOLDER)
    except OSError as error:
        raise TreeError(f"folder {root.name!r}: {error.strerror}; expected a folder") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def walk(root: int) -> Iterator[Entry]:
    """Everything below the folder `root` that is no folder, by name, links not followed."""
    for seen, entry in enumerate(_walk(root, "", 1), 1):
        if seen > MAX_ENTRIES:
            raise TreeError(f"more than {MAX_ENTRIES} entries; expected fewer")
        if entry is not None:
            yield entry


def read_at(root: int, path: str, limit: int) -> File:
    """The regular file at `path` below the folder `root`, at most `limit` bytes.

    Raises TreeError; TreeTooLarge for more bytes.
    """
    *folders, name = path.split("/")
    with _beneath(root, folders, create=False) as folder:
        return _read(folder, name, path, limit)


def read_tree(root: Path, limit: int) -> dict[str, File]:
    """All files below `root`, at most `limit` bytes together. Raises TreeError for links and devices."""
    files: dict[str, File] = {}
    left = limit
    with open_folder(root) as folder:
        for entry in walk(folder):
            if not entry.regular:
                raise TreeError(f"{entry.path!a} {entry.problem}; expected only regular files")
            files[entry.path] = read_at(folder, entry.path, left)
            left -= len(files[entry.path].data)
    return files


def write_tree(root: Path, files: Files) -> None:
    """Write new files below `root`, which is created. Raises TreeError where a file or link is in the way."""
    root.mkdir(parents=True, exist_ok=True)
    with open_folder(root) as folder:
        for path in sorted(files):
            *folders, name = check_path(path).split("/")
            with _beneath(folder, folders, create=True) as parent:
                _write(parent, name, path, files[path])


def _walk(folder: int, prefix: str, depth: int) -> Iterator[Entry | None]:
    """None stands for a folder, so that folders count too."""
    with os.scandir(folder) as found:
        names = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)
    for name, is_folder in names:
        path = prefix + name
        if not is_folder:
            yield _entry(folder, name, path)
        elif depth >= MAX_DEPTH:
            yield Entry(path, regular=False, problem=f"lies more than {MAX_DEPTH} folders deep")
        else:
            yield None
            yield from _enter(folder, name, path, depth)


def _enter(folder: int, name: str, path: str, depth: int) -> Iterator[Entry | None]:
    try:
        inner = os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        yield Entry(path, regular=False, problem=f"is a folder that cannot be opened ({error.strerror})")
        return
    try:
        yield from _walk(inner, path + "/", depth + 1)
    finally:
        os.close(inner)


def _entry(folder: int, name: str, path: str) -> Entry:
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError as error:
        return Entry(path, regular=False, problem=f"cannot be looked at ({error.strerror})")
    if stat.S_ISREG(mode):
        return Entry(path, regular=True)
    return Entry(path, regular=False, problem="is a link" if stat.S_ISLNK(mode) else "is no regular file")


@contextmanager
def _beneath(root: int, folders: list[str], *, create: bool) -> Iterator[int]:
    """A descriptor of the folder below `root`, opened part by part."""
    current = os.dup(root)
    try:
        for depth, name in enumerate(folders):
            try:
                if create and not _exists(current, name):
                    os.mkdir(name, 0o755, dir_fd=current)
                inner = os.open(name, _FOLDER, dir_fd=current)
            except OSError as error:
                shown = ascii("/".join(folders[: depth + 1]))
                raise TreeError(f"{shown}: {error.strerror}; expected a folder") from error
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _read(folder: int, name: str, path: str, limit: int) -> File:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        reason = "is a link" if error.errno == errno.ELOOP else error.strerror
        raise TreeError(f"{path!a}: {reason}; expected a readable regular file") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise TreeError(f"{path!a} is no regular file; expected one")
        with open(descriptor, "rb", closefd=False) as stream:
            # The size is asked first (sparse files) and counted again (files that grow).
            data = stream.read(limit + 1) if status.st_size <= limit else b""
    finally:
        os.close(descriptor)
    if status.st_size > limit or len(data) > limit:
        raise TreeTooLarge(f"{path!a} has more than the {limit} bytes that are left for it")
    return File(data, executable=bool(status.st_mode & stat.S_IXUSR))


def _write(folder: int, name: str, path: str, file: File) -> None:
    try:
        descriptor = os.open(name, _WRITE, 0o755 if file.executable else 0o644, dir_fd=folder)
    except OSError as error:
        raise TreeError(f"{path!a}: {error.strerror}; expected a new file") from error
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(file.data)
