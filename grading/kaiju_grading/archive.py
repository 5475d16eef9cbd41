"""An upstream archive: tar or zip bytes to checked members in memory. Nothing touches the disk."""

import bz2
import gzip
import io
import re
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from kaiju_grading.files import PathError, check_path
from kaiju_grading.preparation import Obstacle
from kaiju_sandbox.command import File

MAX_BYTES = 64 * 1024 * 1024
"""Of all members together."""
MAX_MEMBERS = 20_000
_MAX_TAR = 2 * MAX_BYTES
"""Headers and padding count too: a bomb is found before a tar reader sees it."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_OPENERS: dict[bytes, Callable[[io.BytesIO], io.BufferedIOBase]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": bz2.BZ2File,
}


@dataclass(slots=True)
class Unpacked:
    """What an archive held."""

    files: dict[str, File] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Members that were not taken, and why."""
    commit: str = ""
    """The commit that `git archive` wrote into the archive's header."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    size: int
    problem: str
    """Why it is not taken; empty for a regular file."""
    executable: bool
    read: Callable[[], bytes]


def unpack(data: bytes) -> Unpacked:
    """Members by path below the archive's one top folder.

    Raises Obstacle: `unsupported_archive`, `unsafe_archive` (a member that leaves the folder, two members of
    one name) or `archive_too_large`. Links and special files are refused one by one.
    """
    unpacked = Unpacked()
    seen: dict[str, str] = {}
    total = 0
    for count, member in enumerate(_members(data, unpacked), start=1):
        if count > MAX_MEMBERS:
            raise Obstacle("archive_too_large", f"more than {MAX_MEMBERS} members")
        path = _relative(member.name)
        if member.problem:
            unpacked.refused[path] = member.problem
            continue
        total += member.size
        if total > MAX_BYTES:
            raise Obstacle("archive_too_large", f"members hold more than {MAX_BYTES} bytes")
        _claim(path, seen)
        _take(path, member, unpacked)
    unpacked.files = without_top_folder(unpacked.files)
    return unpacked


def without_top_folder(files: dict[str, File]) -> dict[str, File]:
    """The files below the one folder that holds them all, or the files as they are."""
    tops = {path.split("/", 1)[0] for path in files}
    if len(tops) != 1 or any("/" not in path for path in files):
        return files
    return {path.split("/", 1)[1]: file for path, file in files.items()}


def _members(data: bytes, unpacked: Unpacked) -> Iterator[_Member]:
    try:
        if data[:4] == b"PK\x03\x04":
            yield from _zip_members(data)
        else:
            yield from _tar_members(_expand(data), unpacked)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        raise Obstacle("unsupported_archive", f"not a readable archive: {error}") from error
    except (NotImplementedError, RuntimeError) as error:  # zipfile: unknown method, encrypted member
        raise Obstacle("unsupported_archive", f"not a readable zip: {error}") from error


def _expand(data: bytes) -> bytes:
    for magic, opener in _OPENERS.items():
        if data.startswith(magic):
            expanded = opener(io.BytesIO(data)).read(_MAX_TAR + 1)
            if len(expanded) > _MAX_TAR:
                raise Obstacle("archive_too_large", f"expands to more than {_MAX_TAR} bytes")
            return expanded
    raise Obstacle("unsupported_archive", "expected .tar.gz, .tar.bz2 or .zip")


def _tar_members(expanded: bytes, unpacked: Unpacked) -> Iterator[_Member]:
    with tarfile.open(fileobj=io.BytesIO(expanded), mode="r:") as archive:
        for info in archive:
            unpacked.commit = unpacked.commit or _commit(archive.pax_headers)
            if info.isdir():
                _relative(info.name)
                continue
            yield _Member(
                name=info.name,
                size=info.size,
                problem=_tar_problem(info),
                executable=bool(info.mode & stat.S_IXUSR),
                read=partial(_tar_content, archive, info),
            )


def _tar_content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(info)
    return stream.read(MAX_BYTES + 1) if stream else b""


def _tar_problem(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link"
    if info.issparse():
        return "a sparse file"
    return "" if info.isreg() else "a special file"


def _commit(headers: Mapping[str, str]) -> str:
    comment = headers.get("comment", "")
    return comment if _COMMIT.fullmatch(comment) else ""


def _zip_members(data: bytes) -> Iterator[_Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                _relative(info.filename)
                continue
            mode = info.external_attr >> 16
            regular = stat.S_IFMT(mode) in {0, stat.S_IFREG}
            yield _Member(
                name=info.orig_filename,
                size=info.file_size,
                problem="" if regular else ("a link" if stat.S_ISLNK(mode) else "a special file"),
                executable=bool(mode & stat.S_IXUSR),
                read=partial(_zip_content, archive, info),
            )


def _zip_content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as stream:
        return stream.read(info.file_size + 1)


def _relative(name: str) -> str:
    """The member's path, or Obstacle for one that no honest archive holds."""
    shown = ascii(name[:80])
    if "\0" in name:
        raise Obstacle("unsafe_archive", f"member {shown} has a NUL in its name")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or "\\" in name:
        raise Obstacle("unsafe_archive", f"member {shown} is not a relative POSIX path")
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise Obstacle("unsafe_archive", f"member {shown} leaves the archive")
    return "/".join(parts)


def _claim(path: str, seen: dict[str, str]) -> None:
    folded = unicodedata.normalize("NFC", path).casefold()
    if folded in seen:
        raise Obstacle(
            "unsafe_archive", f"members {seen[folded]!a} and {path!a} are one file on some systems"
        )
    seen[folded] = path


def _take(path: str, member: _Member, unpacked: Unpacked) -> None:
    try:
        check_path(path)
    except PathError as error:
        unpacked.refused[ascii(path)] = str(error)
        return
    data = member.read()
    if len(data) != member.size:
        raise Obstacle("unsafe_archive", f"member {path!a} has another size than its header says")
    unpacked.files[path] = File(data, member.executable)
