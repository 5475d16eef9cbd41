"""The task digest: Harbor's content rule over everything that does not depend on the environment."""

import hashlib

from kaiju_grading.files import Files
from kaiju_tasks import canaries, inventory

TOP_FILES = frozenset({"task.toml", "instruction.md", "README.md", "trajectory.json"})
FOLDERS = ("environment/", "tests/", "solution/", "steps/")
MEASURED = frozenset({inventory.FILE, canaries.FILE})


def task_digest(folder: Files) -> str:
    r"""`sha256:` of `path\0sha256\n` of each content file in path order; measurements are left out."""
    total = hashlib.sha256()
    for path in sorted(folder):
        if (path in TOP_FILES or path.startswith(FOLDERS)) and path not in MEASURED:
            content = hashlib.sha256(folder[path].data).hexdigest()
            total.update(f"{path}\0{content}\n".encode())
    return f"sha256:{total.hexdigest()}"
