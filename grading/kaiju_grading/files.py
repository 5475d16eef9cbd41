"""A set of files in memory: relative POSIX paths to content."""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping

from kaiju_sandbox.command import File

Files = Mapping[str, File]
"""Keys are relative POSIX paths: no leading slash, no `.` or `..`, no empty part."""

MAX_PART = 255
"""Bytes in one path part: the limit of every file system that Kaiju runs on."""
MAX_PATH = 1024
TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Bidirectional classes of characters that show what follows in another order than it is written in."""


class PathError(ValueError):
    """A path that cannot name a file of a tree; the text says which and why, without escaping characters."""


def check_path(path: str) -> str:
    """Return `path` if it can name a file inside a tree, else raise PathError."""
    shown = ascii(path if len(path) <= 80 else path[:77] + "...")
    if not path:
        raise PathError("path is empty; expected a relative path such as 'src/a.py'")
    if any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in path):
        raise PathError(f"path {shown} has a control character, surrogate or line separator")
    if any(unicodedata.bidirectional(char) in TURNING for char in path):
        raise PathError(f"path {shown} has a character that turns the direction of writing")
    if "\\" in path:
        raise PathError(f"path {shown} has a backslash; expected '/' between parts")
    if path.startswith("/"):
        raise PathError(f"path {shown} is absolute; expected a relative path")
    if unicodedata.normalize("NFC", path) != path:
        raise PathError(f"path {shown} is not in Unicode normal form C")
    if len(path.encode()) > MAX_PATH:
        raise PathError(f"path {shown} is longer than {MAX_PATH} bytes")
    for part in path.split("/"):
        if part in {"", ".", ".."}:
            raise PathError(f"path {shown} has an empty, '.' or '..' part")
        if len(part.encode()) > MAX_PART:
            raise PathError(f"path {shown} has a part longer than {MAX_PART} bytes")
    return path


def under(path: str, roots: Iterable[str]) -> bool:
    """Whether `path` is one of `roots` or lies below one; everything lies below `.`."""
    return any(root == "." or path == root or path.startswith(root + "/") for root in roots)


def digest(files: Files) -> str:
    """`sha256:...` over the sorted manifest (path, x-bit, content)."""
    total = hashlib.sha256()
    for path in sorted(files):
        file = files[path]
        content = hashlib.sha256(file.data).hexdigest()
        total.update(f"{path}\0{'x' if file.executable else '-'}\0{content}\n".encode())
    return "sha256:" + total.hexdigest()
