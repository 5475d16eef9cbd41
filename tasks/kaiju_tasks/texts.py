"""Texts: everything that can be read in the files of a folder, those inside archives included."""

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO

MAX_BINARY = 4 * 1024 * 1024
"""Bytes of a program or library beyond which it is passed over: it holds no lines."""
MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes of one member of an archive that are looked at."""
MAX_DEPTH = 3
"""Archives inside archives."""
_IMPORTS = re.compile(r'^import (\([^)]*\)|(\w+ )?"[^"\n]*")$', re.MULTILINE)
_COMPRESSED: dict[bytes, Callable[[BinaryIO], BufferedIOBase]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
_BROKEN = (
    *(EOFError, NotImplementedError, OSError, RuntimeError, ValueError),
    *(lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error),
)
"""An archive that cannot be read here cannot be read in a sandbox either."""


def text(data: bytes) -> str:
    """Never fails; what is no UTF-8 is replaced."""
    return data.decode(errors="replace")


def without_imports(data: bytes) -> str:
    """The text, less what a file of Go imports: that comes and goes with its bodies."""
    return _IMPORTS.sub("", text(data))


def is_binary(data: bytes) -> bool:
    """Whether it is a program, a picture or compiled messages rather than lines that somebody wrote."""
    return b"\0" in data[:8192]


def texts_below(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each regular file, sorted by path; a member of an archive is `archive!member`."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield from texts_of(path.relative_to(folder).as_posix(), path.read_bytes())


def texts_of(name: str, data: bytes, depth: int = MAX_DEPTH) -> Iterator[tuple[str, str]]:
    """Name and text of one file, and of what it holds."""
    if len(data) <= MAX_BINARY or not is_binary(data):
        yield name, text(data)
    if depth:
        for member, content in _members(data):
            yield from texts_of(f"{name}!{member}", content, depth - 1)


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    """What an archive or a compressed file holds; nothing of any other file."""
    try:
        for magic, opened in _COMPRESSED.items():
            if data.startswith(magic):
                with opened(io.BytesIO(data)) as file:
                    yield "", file.read(MAX_UNPACKED)
        if data[257:262] == b"ustar":
            yield from _of_tar(data)
        if b"PK\5\6" in data[-66_000:]:
            yield from _of_zip(data)
    except _BROKEN:
        return


def _of_zip(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                yield name, member.read(MAX_UNPACKED)


def _of_tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for entry in archive:
            member = archive.extractfile(entry) if entry.isfile() else None
            if member is not None:
                yield entry.name, member.read(MAX_UNPACKED)
