"""The store of layers: folders that are built once, named by their content and shared read-only."""

import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.leftovers import orphans, owned_name

KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
PARTIAL = ".partial"
FOLDER_MODE, PROGRAM_MODE, FILE_MODE = 0o755, 0o755, 0o644


class LayerStore:
    """Finished layers lie under their key; one under construction carries its builder's label."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, key: str) -> Path | None:
        """The finished layer, or None. Raises ValueError for a key that is no file name."""
        path = self._path(key)
        return path if path.is_dir() else None

    def build(self, key: str, fill: Callable[[Path], None]) -> Path:
        """The layer `key`; when it is missing, `fill` puts its content into an empty folder first.

        Other processes see all of a layer or nothing. Two builders of one key both succeed, one result
        stays. Modes become 0755 and 0644, owners this process. What `fill` raises comes out unchanged.
        """
        finished = self.find(key)
        if finished is not None:
            return finished
        make_public_folder(self.root)
        partial = self.root / owned_name(PARTIAL)
        partial.mkdir()
        try:
            fill(partial)
            normalise(partial)
            self._publish(partial, self._path(key))
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        return self._path(key)

    def sweep(self) -> int:
        """Remove layers whose builder died. Returns how many."""
        found = list(orphans(self.root, PARTIAL))
        for path in found:
            shutil.rmtree(path, ignore_errors=True)
        return len(found)

    def _path(self, key: str) -> Path:
        if not KEY.fullmatch(key):
            raise ValueError(f"layer key {key!r}: expected {KEY.pattern}")
        return self.root / key

    @staticmethod
    def _publish(partial: Path, target: Path) -> None:
        try:
            partial.rename(target)
        except OSError:
            if not target.is_dir():  # else another builder was first, with the same content
                raise


def normalise(root: Path) -> None:
    """Readable by every slot, writable by the owner alone. Raises SandboxFault for a special file."""
    root.chmod(FOLDER_MODE)
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                path.chmod(FOLDER_MODE)
            elif stat.S_ISREG(mode):
                path.chmod(PROGRAM_MODE if mode & 0o111 else FILE_MODE)
            elif not stat.S_ISLNK(mode):
                raise SandboxFault(
                    f"layer holds {path.relative_to(root)}: expected files, folders and links only"
                )


def make_public_folder(path: Path) -> None:
    """Create `path` so that slots can pass through, whatever the umask; parents that exist stay."""
    for folder in [*reversed(path.parents), path]:
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)
            folder.chmod(FOLDER_MODE)
