"""The outer ends of a container's named pipes. See init.py for what goes through them."""

import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, Self

import anyio

from kaiju_sandbox.capture import CHUNK, drain

LONGEST_LINE = 65_536
"""Bytes. The inner end writes some hundred."""


class Channel:
    """Pipes in one new folder, opened here before the container exists, so that neither side ever blocks.

    Readers hold no writing end: end of file means that no process of the container is left that could write.
    The orders pipe is held open for writing: its end of file, inside, means that this server is gone.
    """

    def __init__(self, folder: Path, outputs: tuple[str, ...]) -> None:
        self.folder = folder
        self._open: dict[str, int] = {}
        folder.mkdir()
        folder.chmod(0o755)
        for name in ("control", *outputs):
            self._open[name] = os.open(self._pipe(name), os.O_RDONLY | os.O_NONBLOCK)
        self._open["orders"] = os.open(self._pipe("orders"), os.O_RDWR | os.O_NONBLOCK)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        while self._open:
            os.close(self._open.popitem()[1])

    def _pipe(self, name: str) -> Path:
        path = self.folder / name
        os.mkfifo(path)
        # The private folder above keeps other users out; in here the container's user may be any.
        path.chmod(0o666)
        return path

    def put(self, name: str, data: bytes) -> None:
        """A regular file beside the pipes."""
        path = self.folder / name
        path.write_bytes(data)
        path.chmod(0o444)

    def unlink(self) -> None:
        """Take every name away: what is open stays open, and nothing inside can open it again."""
        for path in self.folder.iterdir():
            path.unlink()

    def order(self, word: str) -> None:
        os.write(self._open["orders"], word.encode() + b"\n")

    async def drain(self, name: str, take: Callable[[bytes], None]) -> None:
        """Give every chunk to `take`, until the last writer is gone."""
        await drain(self._open[name], take, anyio.Event())

    async def messages(self) -> AsyncIterator[Mapping[str, Any]]:
        """What the first process says, until it is gone. A line that is no JSON object is passed over."""
        rest = b""
        while True:
            await anyio.wait_readable(self._open["control"])
            data = os.read(self._open["control"], CHUNK)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[:LONGEST_LINE]
            for message in map(parse, lines):
                if message is not None:
                    yield message


def parse(line: bytes) -> Mapping[str, Any] | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
