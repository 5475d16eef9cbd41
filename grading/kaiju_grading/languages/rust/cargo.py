"""cargo on the host, for what needs the network: finding, fetching, locking, vendoring. It builds nothing."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kaiju_grading.languages.rust.toolchain import locate
from kaiju_grading.preparation import Obstacle

_SECONDS = 600
_ADDRESS = re.compile(r"\b[a-z][a-z+]*://\S+")
_ABSENT = ("could not find", "no matching package", "failed to select a version", "not found in registry")


def run_cargo(folder: Path, *arguments: str, home: Path | None = None) -> str:
    """Run cargo in `folder` with the user's own configuration; what it printed.

    Raises Obstacle `index_unavailable` or `dependency_unavailable` with what it said, addresses left out.
    """
    program = locate().prefix / "bin" / "cargo"
    variables = {"CARGO_TERM_COLOR": "never", "RUSTC": str(program.with_name("rustc"))}
    if home is not None:
        variables["CARGO_HOME"] = str(home)
    try:
        done = subprocess.run(
            [str(program), *arguments],
            cwd=folder,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Obstacle("index_unavailable", f"cargo did not end within {_SECONDS} s") from error
    if done.returncode:
        said = _ADDRESS.sub("(address)", done.stderr).strip()[-1500:]
        absent = any(sign in said for sign in _ABSENT)
        raise Obstacle("dependency_unavailable" if absent else "index_unavailable", said)
    return done.stdout


@contextmanager
def package(manifest: str, lock: str = "") -> Iterator[Path]:
    """A folder with a manifest, an empty library and an empty build script: enough for cargo to resolve."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Cargo.toml").write_text(manifest, "utf-8")
        for path in ("src/lib.rs", "build.rs", *_named(manifest)):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("fn main() {}\n" if path.endswith("build.rs") else "", "utf-8")
        if lock:
            (folder / "Cargo.lock").write_text(lock, "utf-8")
        yield folder


def _named(manifest: str) -> list[str]:
    """Paths of the manifest that lie inside the package."""
    found = re.findall(r'^(?:path|build) = "([^"]+\.rs)"$', manifest, re.MULTILINE)
    return [path for path in found if not path.startswith("/") and ".." not in path.split("/")]
