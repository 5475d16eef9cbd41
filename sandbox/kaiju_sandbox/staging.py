"""Staging: the input files of one run, on disk in a folder that only the user of its slot can enter."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from kaiju_sandbox.command import Command, Tree
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import make_public_folder
from kaiju_sandbox.leftovers import orphans, owned_name
from kaiju_sandbox.placement import folders_of

KIND = "run"


class Staging:
    """One run's folder below the staging folder of the settings."""

    def __init__(self, parent: Path, uid: int | None) -> None:
        self.folder = parent / owned_name(KIND)
        self._uid = uid

    def fill(self, command: Command) -> dict[str, Path]:
        """Write every tree. Returns the host path by target. Raises SandboxFault when the disk refuses."""
        trees = [entry for entry in command.inputs if isinstance(entry, Tree)]
        if not trees:
            return {}
        try:
            make_public_folder(self.folder.parent)
            self.folder.mkdir(mode=0o700)
            if self._uid is not None:
                os.chown(self.folder, self._uid, self._uid)
            now = time.time_ns()
            return {tree.target: self._write(tree, str(place), now) for place, tree in enumerate(trees)}
        except OSError as error:
            raise SandboxFault(
                f"staging {self.folder}: the input files cannot be written ({error})"
            ) from error

    def remove(self) -> None:
        remove_tree(self.folder)

    def _write(self, tree: Tree, place: str, now: int) -> Path:
        """Every file and folder gets the time `now`."""
        root = self.folder / place
        folders = {"", *(folder for name in tree.files for folder in folders_of(name))}
        ordered = [f"{root}/{name}".rstrip("/") for name in sorted(folders)]
        for path in ordered:
            os.mkdir(path)  # noqa: PTH102 - thousands of paths: pathlib costs more than the call
            os.chmod(path, 0o755)  # noqa: PTH101, S103 - the folder above is private
        for name, file in tree.files.items():
            self._write_file(f"{root}/{name}", file.data, 0o755 if file.executable else 0o644, now)
        for path in reversed(ordered):
            os.utime(path, ns=(now, now))
            if self._uid is not None:
                os.chown(path, self._uid, self._uid)
        return root

    def _write_file(self, path: str, data: bytes, mode: int, now: int) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(descriptor, "wb", buffering=0) as file:  # noqa: PTH123 - a descriptor, not a path
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            os.fchmod(descriptor, mode)
            if self._uid is not None:
                os.fchown(descriptor, self._uid, self._uid)
            os.utime(descriptor, ns=(now, now))


def sweep(parent: Path) -> int:
    """Remove the folders of dead owners. Returns how many."""
    found = list(orphans(parent, KIND))
    for path in found:
        remove_tree(path)
    return len(found)


def remove_tree(path: Path) -> None:
    """Whatever its depth, modes and owners; follows no link. Raises SandboxFault when something stays."""
    if not os.path.lexists(path):
        return
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):  # very deep, or folders without permission
        subprocess.run(["/bin/chmod", "-R", "u+rwX", "--", str(path)], capture_output=True, check=False)
        answer = subprocess.run(["/bin/rm", "-rf", "--", str(path)], capture_output=True, check=False)
        if os.path.lexists(path):
            raise SandboxFault(f"staging {path}: it cannot be removed ({answer.stderr!r})") from None
