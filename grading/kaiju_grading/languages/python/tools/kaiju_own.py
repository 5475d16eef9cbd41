"""Build a wheel of a copy of the tree with the backend that it declares. Runs in a sandbox; answers on the
result channel: yes, no, or not_measured where the environment lacks what the tree asks for.

The backend and the tree's own build code run in other processes.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

WORK = Path("/kaiju/work")
TREE, WHEELS, ANSWER = Path("/tmp/tree"), Path("/tmp/wheels"), Path("/tmp/answer.json")  # noqa: S108 - private
LEGACY = {"requires": ["setuptools"], "build-backend": "setuptools.build_meta:__legacy__"}
"""What a tree without [build-system] means."""
DECLARATIONS = ("pyproject.toml", "setup.py", "setup.cfg")
SAID = 2000
"""Characters of what a build printed."""
VERSION_VARIABLES = (
    *("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION"),
    *("POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS"),
)
"""Backends that ask version control for the version take it from here."""


class Broken(Exception):
    """The tree does not build."""


class NotMeasured(Exception):
    """The environment cannot tell."""


def main() -> None:
    here = Path(__file__).parent
    instructions = json.loads(here.joinpath("instructions.json").read_bytes())
    channel = io.FileIO(int(os.environ["KAIJU_REPORT_FD"]), "w")
    try:
        build(instructions, here / "kaiju_own_hook.py")
        answer = {"outcome": "yes"}
    except Broken as error:
        answer = {"outcome": "no", "cause": str(error)}
    except NotMeasured as error:
        answer = {"outcome": "not_measured", "cause": str(error)}
    write(channel, answer)


def build(instructions: dict[str, Any], hook: Path) -> None:
    copy(WORK, TREE)
    system, site = declared(), instructions["backend"]
    backend = str(system["build-backend"])
    own = [str(TREE / path) for path in system.get("backend-path", [])]
    check_present(system["requires"], site)
    if not own and not find(backend, site):
        raise NotMeasured(f"the environment lacks the build backend {backend}")
    call = Call(hook, backend, [*own, site])
    check_present(call.run("get_requires_for_build_wheel"), site)
    WHEELS.mkdir()
    check_wheel(WHEELS / str(call.run("build_wheel")), instructions["sources"])


class Call:
    """Hooks of one backend, each in a process of its own."""

    def __init__(self, hook: Path, backend: str, paths: list[str]) -> None:
        self.argv = [sys.executable, "-B", "-s", "-P", str(hook), backend, str(WHEELS), str(ANSWER)]
        self.env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        self.env |= dict.fromkeys(VERSION_VARIABLES, version_of_library())

    def run(self, name: str) -> object:
        ended = subprocess.run(
            [*self.argv, name],
            cwd=TREE,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if ended.returncode:
            said = ended.stdout.decode(errors="replace").strip()[-SAID:]
            raise Broken(f"{said}\n{name} ended with status {ended.returncode}".strip())
        try:
            answer: object = json.loads(ANSWER.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise Broken(f"{name} ended without an answer") from error
        return answer


def copy(source: Path, target: Path) -> None:
    """Everything, writable."""
    target.mkdir()
    for entry in sorted(source.iterdir()):
        if entry.is_dir():
            copy(entry, target / entry.name)
        else:
            shutil.copyfile(entry, target / entry.name)
            (target / entry.name).chmod(0o755 if os.access(entry, os.X_OK) else 0o644)


def declared() -> dict[str, Any]:
    """The [build-system] of the tree, complete."""
    if not any((TREE / name).is_file() for name in DECLARATIONS):
        raise Broken(f"the tree has none of {', '.join(DECLARATIONS)}")
    try:
        project = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))
    except FileNotFoundError:
        project = {}
    except (OSError, ValueError, RecursionError) as error:
        raise Broken(f"pyproject.toml: {error}") from error
    system = project.get("build-system", LEGACY)
    if not isinstance(system, dict) or not texts(system.get("requires")):
        raise Broken("pyproject.toml: build-system.requires is not a list of requirements")
    system = {"build-backend": LEGACY["build-backend"], **system}
    if not isinstance(system["build-backend"], str) or not texts(system.get("backend-path", [])):
        raise Broken("pyproject.toml: build-backend or backend-path is not what PEP 517 says")
    return system


def texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def version_of_library() -> str:
    """The environment tells name and version of the library, which is not installed: nothing recorded it."""
    return next((found.version for found in distributions() if found.read_text("RECORD") is None), "0")


def check_present(requirements: object, site: str) -> None:
    """Every requirement that counts here must be in the environment."""
    if not isinstance(requirements, list):
        raise Broken("the backend's requirements are no list")
    there = {
        canonicalize_name(found.name): found.version
        for found in distributions(path=[site, *sys.path])
        if found.name
    }
    for line in requirements:
        try:
            wanted = Requirement(str(line))
        except InvalidRequirement as error:
            raise Broken(f"requirement {str(line)[:200]!r}: {error}") from error
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        version = there.get(canonicalize_name(wanted.name))
        if version is None:
            raise NotMeasured(f"the environment lacks {wanted.name}")
        if not wanted.specifier.contains(version, prereleases=True):
            raise NotMeasured(f"the environment has {wanted.name} {version}, the tree asks for {wanted}")


def find(backend: str, site: str) -> bool:
    """Whether the environment has the backend's module, without importing it."""
    top = backend.partition(":")[0].partition(".")[0]
    return any((Path(folder) / name).exists() for folder in [site, *sys.path] for name in (top, f"{top}.py"))


def check_wheel(path: Path, sources: list[str]) -> None:
    """A wheel without any module of the library is none of it."""
    try:
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        raise Broken(f"build_wheel made no wheel: {path.name[:200]}") from error
    if not any(f"/{source}".endswith(f"/{name}") for source in sources for name in names):
        raise Broken("the wheel holds no module of the library")


def write(channel: io.FileIO, record: dict[str, Any]) -> None:
    data = json.dumps(record).encode() + b"\n"
    while data:
        data = data[channel.write(data) :]


if __name__ == "__main__":
    sys.exit(main())
