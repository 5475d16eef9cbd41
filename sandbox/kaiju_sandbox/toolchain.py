"""A toolchain of the host, made available to sandboxes at one fixed path.

It is copied, never bound: a bound prefix changes with the host's next upgrade, may lie below a folder
that slots cannot pass, and holds whatever else was installed into it.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from kaiju_sandbox.command import Layer
from kaiju_sandbox.layers import LayerStore

SYSTEM = Path("/usr")
Wanted = Callable[[PurePosixPath], bool]
"""Tells of a path relative to the prefix whether it belongs to the toolchain. Folders are asked, too."""
Amend = Callable[[Path], None]
"""Changes a fresh copy before it is published."""


def share(
    prefix: Path, store: LayerStore, target: str, *, wanted: Wanted, amend: Amend | None = None
) -> tuple[Layer | None, str]:
    """The toolchain under `prefix` as a layer at `target`, with its content key.

    No layer for a prefix in /usr: every sandbox has that. Compiled Python does not enter the key, it
    differs from one machine to the next.
    """
    if prefix.is_relative_to(SYSTEM):
        return None, f"system-{os.uname().machine}"
    key = f"{target.rpartition('/')[2]}-{content_digest(prefix, wanted)[:32]}"

    def fill(folder: Path) -> None:
        _copy(prefix, members(prefix, wanted), folder)
        if amend is not None:
            amend(folder)

    return Layer(target, store.build(key, fill)), key


def share_release(
    prefix: Path, store: LayerStore, target: str, identity: str, wanted: Wanted
) -> tuple[Layer, str]:
    """As `share`, for an official release: what it calls itself and names and sizes of its files tell its
    content. Hashing half a gigabyte at every start would cost more than compiling most libraries."""
    paths = list(members(prefix, wanted))
    listed = "".join(f"{path}\0{(prefix / path).lstat().st_size}\n" for path in paths)
    digest = hashlib.sha256(f"{identity}\n{listed}".encode()).hexdigest()
    key = f"{target.rpartition('/')[2]}-toolchain-{digest[:32]}"
    return Layer(target, store.build(key, lambda folder: _copy(prefix, paths, folder))), key


def _copy(prefix: Path, paths: Iterable[PurePosixPath], folder: Path) -> None:
    for path in paths:
        copy_member(prefix / path, folder / path)


def members(prefix: Path, wanted: Wanted) -> Iterator[PurePosixPath]:
    """Files and links that belong to the toolchain, sorted, relative to `prefix`."""
    for folder, folders, files in os.walk(prefix):
        base = PurePosixPath(Path(folder).relative_to(prefix).as_posix())
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in linked and wanted(base / name))
        yield from (base / name for name in sorted(files + linked) if wanted(base / name))


def content_digest(prefix: Path, wanted: Wanted) -> str:
    """SHA-256 in hex over names, link targets and content."""
    digest = hashlib.sha256()
    for relative in members(prefix, wanted):
        if "__pycache__" in relative.parts:
            continue
        path = prefix / relative
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        digest.update(f"{relative}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    return digest.hexdigest()


def copy_member(source: Path, target: Path) -> None:
    """Keeps links as links and times as they are: compiled Python is valid only with its source's time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)
