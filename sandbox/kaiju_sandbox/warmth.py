"""Warmth: shared files are kept in memory, so that no sandbox can tell which of them another one has read."""

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

KEEP_SECONDS = 600.0
"""The kernel drops pages when memory is short; this often they are read again."""
READINGS = 2
"""The second time that a page is used the kernel puts it among those in use, and that takes longer than every
later time: a page that was read once would still tell whether a sandbox has read it since."""
CHUNK = 1024 * 1024


class Warmth:
    """Remembers which folders were read, and when."""

    def __init__(self) -> None:
        self._read: dict[Path, float] = {}

    def keep(self, folders: Iterable[Path]) -> None:
        """Read every file below those folders whose last reading is long ago. Blocks on the disk."""
        now = time.monotonic()
        for folder in folders:
            if now - self._read.get(folder, -KEEP_SECONDS) >= KEEP_SECONDS:
                for _ in range(READINGS):
                    read_all(folder)
                self._read[folder] = now


def read_all(folder: Path) -> None:
    buffer = bytearray(CHUNK)
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118 - thousands of files: pathlib costs more than reading
            if stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
                    while file.readinto(buffer):
                        pass
