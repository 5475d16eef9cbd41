"""The Go toolchain of this machine, copied into a layer, and the go command on the host."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from kaiju_grading.languages.go.sandboxed import SETTINGS, TOOLCHAIN
from kaiju_grading.preparation import Obstacle
from kaiju_sandbox.backend import Check
from kaiju_sandbox.command import Layer
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.toolchain import share_release

REMEDY = "install Go 1.26 or newer (https://go.dev/dl), and put its bin folder on PATH"
SECONDS = 1800
"""For one go command: the first one compiles the standard library."""
_VERSION = re.compile(r"go(\d+)\.(\d+)(\.\d+)?([a-z]+\d+)?")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A toolchain with its version, such as `1.26.8`."""

    prefix: Path
    version: str
    platform: str

    @property
    def minor(self) -> str:
        return ".".join(self.version.split(".")[:2])


def locate() -> Toolchain:
    """The one that `go` on the search path stands for. Raises Obstacle `no_toolchain`."""
    program = shutil.which("go")
    if program is None:
        raise Obstacle("no_toolchain", f"go is not on the search path; {REMEDY}")
    return _probe(program)


@lru_cache(maxsize=4)
def _probe(program: str) -> Toolchain:
    argv = ["env", "GOTOOLCHAIN=local", program, "env", "-json", "GOROOT", "GOVERSION", "GOHOSTARCH"]
    try:
        said = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, cwd="/").stdout
        found: Mapping[str, str] = json.loads(said)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise Obstacle(
            "no_toolchain", f"{program} does not run ({type(error).__name__}); {REMEDY}"
        ) from error
    version = found.get("GOVERSION", "").split(" ")[0]
    match = _VERSION.fullmatch(version)
    if match is None or (int(match[1]), int(match[2])) < (1, 26):
        raise Obstacle("no_toolchain", f"{program} is {version or 'of no version'}; {REMEDY}")
    return Toolchain(Path(found["GOROOT"]), version.removeprefix("go"), found.get("GOHOSTARCH", ""))


def check_toolchain() -> Check:
    """A line of `kaiju doctor`."""
    try:
        found = locate()
    except Obstacle as obstacle:
        return Check("go", ok=False, detail=obstacle.detail, remedy=REMEDY, required=False)
    return Check("go", ok=True, detail=f"{found.version} in {found.prefix}", required=False)


def share_toolchain(found: Toolchain, store: LayerStore) -> tuple[Layer, str]:
    """The layer and its key."""
    return share_release(found.prefix, store, TOOLCHAIN, f"{found.version}\0{found.platform}", _wanted)


def _wanted(path: PurePosixPath) -> bool:
    """Programs and the standard library with its sources, without its tests."""
    top, parts = path.parts[0], path.parts
    if top in {"bin", "VERSION", "go.env", "LICENSE", "lib"}:
        return True
    if top == "pkg":
        return len(parts) < 2 or parts[1] in {"tool", "include"}
    return (
        top == "src"
        and parts[1:2] != ("cmd",)
        and "testdata" not in parts
        and not path.name.endswith("_test.go")
    )


def offline(prefix: Path, caches: Mapping[str, str]) -> dict[str, str]:
    """Variables of a go command that compiles and asks nobody."""
    return {**SETTINGS, "GOROOT": str(prefix), "GOTMPDIR": "", **caches}


def run_go(arguments: list[str], cwd: Path, variables: Mapping[str, str], program: str = "go") -> str:
    """Run the go command on the host and return its standard output. Raises Obstacle.

    Everything else of the environment stays, so that an account's proxy and certificates count.
    """
    argv = ["env", *(f"{name}={value}" for name, value in variables.items()), program, *arguments]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=cwd)
    except (OSError, subprocess.SubprocessError) as error:
        raise Obstacle("no_toolchain", f"go {arguments[0]}: {type(error).__name__}") from error
    if done.returncode:
        raise Obstacle("dependency_unavailable", f"go {arguments[0]}: {_reason(done.stderr or done.stdout)}")
    return done.stdout


def _reason(text: str) -> str:
    """Its last lines, without the address of a proxy."""
    shown = re.sub(r"https?://\S+", "(address)", text.strip())
    return shown[-600:]
