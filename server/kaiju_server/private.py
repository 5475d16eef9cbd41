"""A private folder: whoever reads the store reads the tests, so nobody else may enter it."""

import os
import stat
from pathlib import Path

import structlog

from kaiju_server.errors import ServerError

MODE = 0o700

log = structlog.get_logger("kaiju.private")


def private_folder(path: Path) -> None:
    """Make a folder that only this account may enter; one of ours that others may enter is closed to them.

    Raises ServerError for an open folder of another account, which may open it again at any time.
    """
    path.mkdir(mode=MODE, parents=True, exist_ok=True)
    status = path.stat()
    mode = stat.S_IMODE(status.st_mode)
    if not mode & 0o077:
        return
    if status.st_uid != os.geteuid():
        raise ServerError(
            f"store {str(path)!r}: mode {mode:04o} and it belongs to uid {status.st_uid}; expected mode "
            f"{MODE:04o} and uid {os.geteuid()}, because whoever reads the store reads the tests"
        )
    path.chmod(MODE)
    log.warning("store closed to other accounts", path=str(path), before=f"{mode:04o}")
