"""A check-up: what `kaiju doctor` looks at besides the backend, one line a thing, each with a remedy."""

import os
import shutil
import sys
from collections.abc import Iterator

from kaiju_grading import languages
from kaiju_sandbox.backend import Check
from kaiju_server.settings import MIB, ServerSettings
from kaiju_tasks.store import Store

FREE_BYTES = 2048 * MIB
PYTHON = (3, 11)
FIRST_TASK = "make one: kaiju tasks prepare tinydb (or another recipe, or a package URL)"


def look(settings: ServerSettings) -> Iterator[Check]:
    """Every check of this component. Blocks; changes nothing."""
    yield _python()
    for language in languages.names():
        yield from languages.preparation(language).check(settings)
    yield _state_folder(settings)
    yield _store(settings)
    yield _space(settings)
    yield from _tasks(settings)


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    wanted = ".".join(str(part) for part in PYTHON)
    remedy = f"install Python {wanted} or newer"
    return Check("python", sys.version_info >= PYTHON, f"{version} at {sys.executable}", remedy)


def _state_folder(settings: ServerSettings) -> Check:
    folder = settings.state_dir
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Check(
            "state folder",
            ok=False,
            detail=f"{existing} " + ("cannot be written" if existing.is_dir() else "is a file, not a folder"),
            remedy="set KAIJU_STATE_DIR to a folder of your own",
        )
    return Check("state folder", ok=True, detail=f"{folder}" + ("" if folder.exists() else " (will be made)"))


def _store(settings: ServerSettings) -> Check:
    """Whoever reads the store reads the tests."""
    folder = settings.store_dir
    if not folder.exists():
        return Check("store", ok=True, detail=f"{folder} (will be made)")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Check("store", ok=False, detail=f"{folder} cannot be read", remedy="run as its owner")
    mode = folder.stat().st_mode & 0o777
    return Check("store", mode & 0o077 == 0, f"{folder} has mode {mode:04o}", f"chmod 700 {folder}")


def _space(settings: ServerSettings) -> Check:
    folder = next(path for path in (settings.state_dir, *settings.state_dir.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    remedy = "free some space: layers and episodes need 2 GiB"
    return Check("disk", free >= FREE_BYTES, f"{free // MIB} MiB free", remedy)


def _tasks(settings: ServerSettings) -> Iterator[Check]:
    folder = settings.tasks_dir
    if folder.exists() and not os.access(folder, os.R_OK | os.X_OK):
        yield Check("tasks", ok=False, detail=f"{folder} cannot be read", remedy="run as the store's owner")
        return
    store = Store(folder)
    broken = store.broken()
    found = len(store.ids()) - len(broken)
    if found or broken:
        yield Check("tasks", found > 0, f"{found} in {folder}", FIRST_TASK)
    else:
        # Not a fault of the machine: every installation begins like this.
        yield Check("tasks", ok=False, detail="no task is prepared yet", remedy=FIRST_TASK, required=False)
    for task_id, reason in broken.items():
        yield Check(f"task {task_id}", ok=False, detail=reason, remedy="prepare it again", required=False)
