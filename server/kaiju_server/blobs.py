"""Blobs: content by its sha256, durable before anything refers to it."""

import hashlib
import os
import secrets
from pathlib import Path

from kaiju_server.reserve import check_reserve


class BlobError(Exception):
    """Stored content is missing or does not match its name: the disk's fault, or somebody's."""


class Blobs:
    """A folder of files named by their content. Safe for several processes at once."""

    def __init__(self, folder: Path, reserve: int = 0) -> None:
        self._folder = folder
        self._reserve = reserve

    def put(self, data: bytes) -> str:
        """Store and fsync; returns the sha256. Storing the same content again costs one stat."""
        name = hashlib.sha256(data).hexdigest()
        path = self._path(name)
        if path.exists():
            return name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_reserve(path.parent, len(data), self._reserve)
        temporary = path.with_name(f".{name}.{secrets.token_hex(8)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        _sync_folder(path.parent)
        _sync_folder(self._folder)
        return name

    def get(self, name: str) -> bytes:
        """The content; raises BlobError when it is gone or altered."""
        try:
            data = self._path(name).read_bytes()
        except FileNotFoundError as error:
            raise BlobError(f"blob {name} is missing") from error
        if hashlib.sha256(data).hexdigest() != name:
            raise BlobError(f"blob {name} does not match its name")
        return data

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
