"""Upstream: what every language does with a release: keep its archive, check its digest, read a folder."""

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kaiju_grading.archive import MAX_BYTES, MAX_MEMBERS, Unpacked
from kaiju_grading.files import PathError, check_path
from kaiju_grading.preparation import Obstacle, Release
from kaiju_sandbox.command import File


def cached(release: Release, downloads: Path) -> bytes | None:
    """An archive that was downloaded before, if it still has its digest."""
    if release.sha256 is None or not re.fullmatch(r"[0-9a-f]{64}", release.sha256):
        return None
    try:
        data = (downloads / release.sha256).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == release.sha256 else None


def keep(data: bytes, target: Path) -> None:
    """Put a download in its place in one step."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(target)


def checked(release: Release, found: str) -> Release:
    """The release with its digest. Raises Obstacle `checksum_mismatch`."""
    if release.sha256 is not None and release.sha256 != found:
        raise Obstacle("checksum_mismatch", f"{release.purl}: sha256 is {found}, expected {release.sha256}")
    return replace(release, sha256=found)


def read_folder(folder: Path, skipped: frozenset[str]) -> Unpacked:
    """A folder as an archive of it would be, without folders of the names `skipped`. Raises Obstacle."""
    unpacked = Unpacked()
    total = 0
    for count, path in enumerate(_walk(folder, skipped), start=1):
        relative = path.relative_to(folder).as_posix()
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            unpacked.refused[relative] = "a link" if stat.S_ISLNK(state.st_mode) else "a special file"
            continue
        total += state.st_size
        if count > MAX_MEMBERS or total > MAX_BYTES:
            raise Obstacle("archive_too_large", f"more than {MAX_MEMBERS} files or {MAX_BYTES} bytes")
        try:
            check_path(relative)
        except PathError as error:
            unpacked.refused[ascii(relative)] = str(error)
            continue
        unpacked.files[relative] = File(path.read_bytes(), bool(state.st_mode & stat.S_IXUSR))
    return unpacked


def _walk(folder: Path, skipped: frozenset[str]) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        folders[:] = sorted(set(folders) - skipped - set(links))
        yield from (Path(parent) / name for name in sorted([*names, *links]))
