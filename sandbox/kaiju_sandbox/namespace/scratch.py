"""The scratch folders of one sandbox, held open from outside: during the run and after its last process.

A descriptor keeps a folder in memory alive when the sandbox that had it mounted is dead. What is kept is
therefore read when nobody is left who could change it.
"""

import io
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from kaiju_sandbox.limits import Limits

HOLD = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Fill:
    """What the folders hold together, and the first that is full."""

    used: int
    files: int
    full: str | None


@dataclass(frozen=True, slots=True)
class Kept:
    """`tar` is None when there was nothing or when `size`, the bytes seen so far, passed the limit."""

    tar: bytes | None
    size: int


class ScratchFolders:
    """Opened at the gate, when the command has not yet run."""

    def __init__(self, pid: int, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self._held: dict[str, int] = {}
        try:
            for target in sizes:
                self._held[target] = os.open(f"/proc/{pid}/root{target}", HOLD)
        except OSError:
            self.close()
            raise

    def fill(self) -> Fill:
        used = files = 0
        full = None
        for target, descriptor in self._held.items():
            state = os.fstatvfs(descriptor)
            used += (state.f_blocks - state.f_bfree) * state.f_frsize
            files += max(0, state.f_files - state.f_ffree - 1)  # less the folder itself
            if state.f_bfree == 0:
                full = full or target
        return Fill(used, files, full)

    def keep(self, holder: str, path: str, limits: Limits) -> Kept:
        """The regular files and folders below `path`, sorted, as a tar. Every process must be dead."""
        relative = os.path.relpath(path, holder)
        try:
            root = descend(self._held[holder], [] if relative == "." else relative.split("/"))
        except OSError:  # absent, a link, no folder
            return Kept(None, 0)
        try:
            return pack(root, limits)
        finally:
            os.close(root)

    def close(self) -> None:
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held = {}


def descend(root: int, parts: list[str]) -> int:
    """A descriptor of the folder `parts` below `root`; follows no link."""
    current = os.open(".", HOLD, dir_fd=root)
    for part in parts:
        try:
            following = open_below(current, part, HOLD)
        finally:
            os.close(current)
        current = following
    return current


def open_below(root: int, path: str, flags: int) -> int:
    """Open `path`, whose last part is no link. Its owner may have shut itself out: then, and only then, the
    right is given back, by descriptor, so that nothing else can change mode.
    """
    try:
        return os.open(path, flags, dir_fd=root)
    except PermissionError:
        for name in (os.path.dirname(path) or ".", path):  # noqa: PTH120 - relative to a descriptor
            unlock(root, name)
        return os.open(path, flags, dir_fd=root)


def unlock(root: int, path: str) -> None:
    with suppress(OSError):
        held = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
        try:
            if not stat.S_ISLNK(os.fstat(held).st_mode):
                os.chmod(f"/proc/self/fd/{held}", 0o700)  # noqa: PTH101 - names the descriptor itself
        finally:
            os.close(held)


def pack(root: int, limits: Limits) -> Kept:
    size = 0
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, status in walk(root, limits.files):
            member = tarfile.TarInfo(path)
            member.mtime = int(status.st_mtime)
            if stat.S_ISDIR(status.st_mode):
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(member)
                continue
            member.mode = 0o755 if status.st_mode & 0o111 else 0o644
            member.size = status.st_size
            size += status.st_size
            if size > limits.keep:
                return Kept(None, size)
            with open(open_below(root, path, READ), "rb") as file:
                archive.addfile(member, file)
            if content.tell() > limits.keep:
                return Kept(None, content.tell())
    return Kept(content.getvalue(), size)


def walk(root: int, most: int) -> Iterator[tuple[str, os.stat_result]]:
    """Regular files and folders, each folder before what it holds; at most `most` of them.

    By path, not by recursion: depth is the guest's choice. A path too long for the kernel is left out.
    """
    waiting = [""]
    while waiting and most > 0:
        folder = waiting.pop()
        children = []
        for name in names(root, folder):
            path = f"{folder}/{name}" if folder else name
            try:
                status = os.stat(path, dir_fd=root, follow_symlinks=False)
            except OSError:  # too long
                continue
            if stat.S_ISDIR(status.st_mode):
                children.append(path)
            if stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode):
                most -= 1
                yield path, status
        waiting += reversed(children)


def names(root: int, folder: str) -> list[str]:
    try:
        descriptor = open_below(root, folder or ".", READ | os.O_DIRECTORY)
    except OSError:
        return []
    try:
        return sorted(os.listdir(descriptor))  # noqa: PTH208 - a descriptor
    finally:
        os.close(descriptor)
