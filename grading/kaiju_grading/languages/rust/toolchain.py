"""The Rust toolchain of this machine, copied into a layer: cargo, rustc, clippy, rustfmt and rustdoc."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from kaiju_grading.languages.rust.sandboxed import TOOLCHAIN
from kaiju_grading.preparation import Obstacle
from kaiju_sandbox.backend import Check
from kaiju_sandbox.command import Layer
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.toolchain import share_release

PROGRAMS = ("cargo", "rustc", "rustdoc", "rustfmt", "cargo-clippy", "clippy-driver")
REMEDY = "install Rust with rustup (components clippy and rustfmt), or Debian's rustup package"
_SECONDS = 60
_LIBRARY = re.compile(r"lib/(lib[^/]+\.so[^/]*|rustlib/[^/]+-linux-gnu/(lib|bin)/.+)")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A toolchain with its version, such as `1.95.0`."""

    prefix: Path
    version: str
    commit: str
    host: str

    @property
    def minor(self) -> str:
        return ".".join(self.version.split(".")[:2])


def locate() -> Toolchain:
    """The one that `rustc` on the search path stands for. Raises Obstacle `no_toolchain`."""
    program = shutil.which("rustc")
    if program is None:
        raise Obstacle("no_toolchain", f"rustc is not on the search path; {REMEDY}")
    return _probe(program)


@lru_cache(maxsize=4)
def _probe(program: str) -> Toolchain:
    said = dict(re.findall(r"^([\w-]+): (.+)$", _output(program, "-vV"), re.MULTILINE))
    prefix = Path(_output(program, "--print", "sysroot").strip())
    missing = [name for name in PROGRAMS if not (prefix / "bin" / name).is_file()]
    if missing or "release" not in said:
        raise Obstacle("no_toolchain", f"{prefix} lacks {', '.join(missing) or 'a version'}; {REMEDY}")
    return Toolchain(prefix, said["release"], said.get("commit-hash", ""), said.get("host", ""))


def _output(*argv: str) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise Obstacle(
            "no_toolchain", f"{argv[0]} does not run ({type(error).__name__}); {REMEDY}"
        ) from error
    return done.stdout


def check_toolchain() -> Check:
    """A line of `kaiju doctor`."""
    try:
        found = locate()
    except Obstacle as obstacle:
        return Check("rust", ok=False, detail=obstacle.detail, remedy=REMEDY, required=False)
    return Check("rust", ok=True, detail=f"{found.version} in {found.prefix}")


def share_toolchain(found: Toolchain, store: LayerStore) -> tuple[Layer, str]:
    """The layer and its key."""
    identity = f"{found.version}\0{found.commit}\0{found.host}"
    return share_release(found.prefix, store, TOOLCHAIN, identity, _wanted)


def _wanted(path: PurePosixPath) -> bool:
    name = str(path)
    if name in {"bin", "lib", "lib/rustlib"} or re.fullmatch(
        r"lib/rustlib/[^/]+-linux-gnu(/(lib|bin).*)?", name
    ):
        return True
    return (path.parts[0] == "bin" and path.name in PROGRAMS) or _LIBRARY.fullmatch(name) is not None
