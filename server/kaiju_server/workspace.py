"""A workspace: the files of one episode, beneath one folder, by directory descriptors and without links.

Every method that is no coroutine is blocking and short; callers run it one at a time and, unless it is
`quick`, in a thread.
"""

import hashlib
import os
import secrets
import shutil
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from kaiju_grading.disk import MAX_DEPTH, open_folder, write_tree
from kaiju_grading.files import Files, check_path, under
from kaiju_sandbox.command import File
from kaiju_server.errors import WorkspaceError, shown
from kaiju_server.reserve import check_reserve
from kaiju_server.text import encode, spelling

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
QUICK_BYTES = 64 * 1024
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Caps:
    """Bytes of one file, bytes of all, number of files (and as many folders)."""

    file: int
    total: int
    files: int
    reserve: int = 0
    """Bytes of the disk that stay free."""


@dataclass(frozen=True, slots=True)
class Written:
    size: int
    sha256: str
    created: bool


class Workspace:
    """`folder/files` holds the tree, `folder/new` what is being written."""

    def __init__(self, folder: Path, caps: Caps) -> None:
        self._folder = folder
        self._caps = caps
        self._sizes: dict[str, int] | None = None
        self._below: Counter[str] = Counter()
        """How many files lie below each folder; as old as `_sizes`."""

    @property
    def tree(self) -> Path:
        return self._folder / "files"

    def create(self, files: Files) -> None:
        """Lay out the starting tree. A leftover of a broken start is removed first."""
        self.remove()
        for folder in (self._folder, self._folder / "new"):
            folder.mkdir(mode=0o700, parents=True)
        self._check_disk(sum(len(file.data) for file in files.values()))
        write_tree(self.tree, files)

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def quick(self, path: str, size: int = 0) -> bool:
        """Whether to read this file, or write so many bytes, takes less time than to wake a thread."""
        return self._sizes is not None and max(size, self._sizes.get(path, 0)) <= QUICK_BYTES

    def sizes(self) -> dict[str, int]:
        """Bytes by path, sorted; regular files only."""
        return dict(sorted(self._counted().items()))

    async def total(self) -> int:
        """Bytes of all files; in a thread where they are still to be counted."""
        if self._sizes is None:
            await anyio.to_thread.run_sync(self._counted)
        return sum(self._counted().values())

    def _counted(self) -> dict[str, int]:
        if self._sizes is None:
            with open_folder(self.tree) as root:
                self._sizes = dict(_sizes(root, ""))
            self._below = Counter(folder for name in self._sizes for folder in _folders(name))
        return self._sizes

    def listing(self, path: str) -> dict[str, int]:
        """Like `sizes`, below one folder (or one file)."""
        if not path:
            return self.sizes()
        path = check_path(path.removesuffix("/"))
        found = {name: size for name, size in self.sizes().items() if under(name, (path,))}
        if not found:
            raise WorkspaceError(f"path {shown(path)} is no file or folder of the workspace")
        return found

    def read(self, path: str) -> bytes:
        """The bytes of one file."""
        return self._read(check_path(path)).data

    def texts(self, path: str) -> dict[str, bytes]:
        """The content of every file below a folder that is not binary."""
        contents = {name: self._read(name).data for name in self.listing(path)}
        return {name: data for name, data in contents.items() if b"\0" not in data}

    def write(self, path: str, data: bytes) -> Written:
        """Put exactly these bytes at a path, whole or not at all."""
        sizes = self._check_room(check_path(path), len(data))
        with self._open_parent(path, create=True) as (parent, name):
            executable = _check_target(parent, name, path)
            self._replace(parent, name, data, executable=executable)
        created = path not in sizes
        sizes[path] = len(data)
        if created:
            self._below.update(_folders(path))
        return Written(len(data), hashlib.sha256(data).hexdigest(), created)

    def edit(self, path: str, old: str, new: str, *, replace_all: bool) -> tuple[Written, int]:
        """Replace text; every byte outside the replaced spans stays. Returns how many were replaced."""
        if not old:
            raise WorkspaceError("argument 'old' is empty; expected the text to replace")
        data = self.read(path)
        before, after = spelling(data, encode(old, "old"), encode(new, "new"))
        count = data.count(before)
        if count == 0:
            raise WorkspaceError(f"argument 'old': {shown(old)} does not occur in {shown(path)}")
        if count > 1 and not replace_all:
            raise WorkspaceError(
                f"argument 'old' occurs {count} times in {shown(path)}; expected text that occurs once, "
                "or replace_all=true"
            )
        # Before the new text is made: it may be a million times as long as both arguments.
        self._check_room(path, len(data) + count * (len(after) - len(before)))
        return self.write(path, data.replace(before, after)), count

    def delete(self, path: str) -> None:
        """Remove one file, and the folders that it leaves empty."""
        sizes = self._counted()
        with self._open_parent(check_path(path), create=False) as (parent, name):
            _check_regular(parent, name, path)
            os.unlink(name, dir_fd=parent)
        if sizes.pop(path, None) is not None:
            self._below.subtract(_folders(path))
            self._below += Counter()  # without those that hold nothing any more
        self._prune(path)

    def _check_room(self, path: str, size: int) -> dict[str, int]:
        """The sizes of all files, which whoever writes has to keep."""
        sizes = self._counted()
        if size > self._caps.file:
            raise WorkspaceError(f"{shown(path)} would have {size} bytes; at most {self._caps.file}")
        if path not in sizes and len(sizes) >= self._caps.files:
            raise WorkspaceError(f"the workspace has {len(sizes)} files; at most {self._caps.files}")
        self._check_folders(path)
        total = sum(sizes.values()) - sizes.get(path, 0) + size
        if total > self._caps.total:
            raise WorkspaceError(f"the workspace would have {total} bytes; at most {self._caps.total}")
        return sizes

    def _check_folders(self, path: str) -> None:
        """A tree that is too deep or has too many folders could not be handed in."""
        if path.count("/") >= MAX_DEPTH:
            raise WorkspaceError(f"path {shown(path)} has more than {MAX_DEPTH} parts")
        new = sum(folder not in self._below for folder in _folders(path))
        if new and len(self._below) + new > self._caps.files:
            raise WorkspaceError(
                f"the workspace would have {len(self._below) + new} folders; at most {self._caps.files}"
            )

    def _read(self, path: str) -> File:
        with self._open_parent(path, create=False) as (parent, name):
            _check_regular(parent, name, path)
            with os.fdopen(os.open(name, READ, dir_fd=parent), "rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                return File(file.read(), executable=bool(mode & 0o100))

    def _replace(self, parent: int, name: str, data: bytes, *, executable: bool) -> None:
        self._check_disk(len(data))
        temporary = self._folder / "new" / secrets.token_hex(8)
        descriptor = os.open(temporary, CREATE, 0o755 if executable else 0o644)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.rename(temporary, name, dst_dir_fd=parent)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def _check_disk(self, size: int) -> None:
        check_reserve(self._folder, size, self._caps.reserve)

    def _prune(self, path: str) -> None:
        for folder in [str(parent) for parent in Path(path).parents if str(parent) != "."]:
            with self._open_parent(folder, create=False) as (parent, name):
                try:
                    os.rmdir(name, dir_fd=parent)
                except OSError:
                    return

    @contextmanager
    def _open_parent(self, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
        """The descriptor of the folder that holds `path`, walked part by part, and the last part."""
        *parts, name = path.split("/")
        descriptor = os.open(self.tree, FOLDER)
        try:
            for part in parts:
                inner = _enter(descriptor, part, path, create=create)
                os.close(descriptor)
                descriptor = inner
            yield descriptor, name
        finally:
            os.close(descriptor)


def _folders(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first."""
    return (path[:cut] for cut, char in enumerate(path) if char == "/")


def _enter(descriptor: int, part: str, path: str, *, create: bool) -> int:
    try:
        return os.open(part, FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not create:
            raise WorkspaceError(f"path {shown(path)} does not exist in the workspace") from None
    except OSError as error:
        raise WorkspaceError(f"path {shown(path)}: {shown(part)} is not a folder") from error
    _check_case(descriptor, part, path)
    os.mkdir(part, 0o755, dir_fd=descriptor)
    return os.open(part, FOLDER, dir_fd=descriptor)


def _check_target(parent: int, name: str, path: str) -> bool:
    """Refuse what cannot be replaced; returns whether the present file is executable."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        _check_case(parent, name, path)
        return False
    if not stat.S_ISREG(mode):
        raise WorkspaceError(f"path {shown(path)} is a {_kind(mode)}; expected a file")
    return bool(mode & 0o100)


def _check_regular(parent: int, name: str, path: str) -> None:
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        raise WorkspaceError(f"path {shown(path)} does not exist in the workspace") from None
    if not stat.S_ISREG(mode):
        raise WorkspaceError(f"path {shown(path)} is a {_kind(mode)}; expected a file")


def _check_case(parent: int, name: str, path: str) -> None:
    folded = name.casefold()
    twin = next((entry for entry in os.listdir(parent) if entry.casefold() == folded), None)
    if twin is not None:
        raise WorkspaceError(
            f"path {shown(path)}: {shown(name)} differs only in case from {shown(twin)}, which exists"
        )


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "special file"


def _sizes(descriptor: int, prefix: str) -> Iterator[tuple[str, int]]:
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inner = os.open(entry.name, FOLDER, dir_fd=descriptor)
                try:
                    yield from _sizes(inner, f"{prefix}{entry.name}/")
                finally:
                    os.close(inner)
            elif entry.is_file(follow_symlinks=False):
                yield prefix + entry.name, entry.stat(follow_symlinks=False).st_size
