"""A reserve: room on the disk that the files of agents leave free.

Without room a grading ends in a fault, which is no verdict: whoever could fill the disk could drop a stage
that is lost.
"""

import errno
import os
from pathlib import Path

FILES = 20_000
"""Files that must still be possible; more than one workspace may have."""


def check_reserve(folder: Path, size: int, reserve: int) -> None:
    """Raise OSError, as a full disk does, when `size` bytes more would go into the reserve."""
    disk = os.statvfs(folder)
    few_files = disk.f_files > 0 and disk.f_favail < FILES
    if reserve and (few_files or disk.f_bavail * disk.f_frsize - size < reserve):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
