"""The build backend that upstream declares, as a lock and a layer of its own: no test imports from it."""

import shutil
from collections.abc import Callable
from pathlib import Path

from packaging.utils import canonicalize_name

from kaiju_grading.files import Files
from kaiju_grading.languages.python.metadata import read_metadata
from kaiju_grading.preparation import Lock

LEGACY = ("setuptools",)
"""What pip installs for a project that says nothing."""
BUILD = "build"
"""Key of the backend's lock in `Lock.metadata`."""


def build_requirements(files: Files) -> tuple[str, ...]:
    """Of `[build-system]`; nothing where the archive has no build files at all."""
    system = read_metadata(files).project.get("build-system")
    if isinstance(system, dict):
        listed = system.get("requires")
        return tuple(line for line in listed if isinstance(line, str)) if isinstance(listed, list) else ()
    named = ("pyproject.toml", "setup.py", "setup.cfg")
    return LEGACY if any(name in files for name in named) else ()


def fill_backend(site: Path, install: Callable[[Path], None]) -> None:
    """The layer; `install` unpacks the locked wheels."""
    install(site)
    shutil.rmtree(site / "bin", ignore_errors=True)  # scripts name a path of this machine


def holds_copy(site: Path, lock: Lock) -> bool:
    """Whether anything there, vendored or not, has the name of the library or of what it imports as."""
    names = {lock.metadata["name"], *lock.metadata["packages"].split()}
    wanted = {canonicalize_name(name) for name in names}
    return any(canonicalize_name(path.name.partition(".")[0]) in wanted for path in site.rglob("*"))
