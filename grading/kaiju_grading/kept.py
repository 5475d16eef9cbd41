"""Kept files: what a command left in the folder that `Command.keep` names."""

import io
import tarfile

from kaiju_grading.files import Files, PathError, check_path
from kaiju_sandbox.command import File
from kaiju_sandbox.result import Result

EXECUTABLE = 0o100


def kept_files(result: Result) -> Files:
    """Regular files below the kept path, relative to it. Empty when nothing came back, or no sound archive.

    Names that cannot stand in a tree are left out: the program chose them.
    """
    found: dict[str, File] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(result.kept or b""), mode="r:") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isreg() else None
                if content is not None:
                    _add(found, member, content.read())
    except (tarfile.TarError, ValueError, OSError):
        return {}
    return found


def _add(found: dict[str, File], member: tarfile.TarInfo, data: bytes) -> None:
    try:
        path = check_path(member.name.removeprefix("./"))
    except PathError:
        return
    found[path] = File(data, executable=bool(member.mode & EXECUTABLE))
