"""The Python that sandboxes use.

The one of `Settings.interpreter`, else the running one, else /usr/bin/python3. Outside /usr it becomes a
layer without its site-packages, so that nothing the host has installed is importable in a sandbox.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kaiju_sandbox.command import Layer
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.settings import Settings
from kaiju_sandbox.toolchain import SYSTEM, share

TARGET = "/kaiju/env/python"
SYSTEM_PYTHON = Path("/usr/bin/python3")
UNWANTED = {
    *("site-packages", "dist-packages", "ensurepip", "idlelib", "turtledemo", "tests"),
    *("pkgs", "conda-meta", "pkgconfig"),
}
"""Names of what no task needs. `ensurepip` has wheels of pip and setuptools, and in them copies of a dozen
libraries that may be tasks."""
PROBE = """
import json, platform, sys
program = getattr(sys, "_base_executable", "") or sys.executable
print(json.dumps([program, sys.base_prefix, platform.python_version()]))
"""
PROBE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One Python, seen from both sides."""

    path: str
    """In the sandbox."""
    host: Path
    """To run on the host; the same version."""
    version: str
    """`3.11.7`."""
    layer: Layer | None
    """None: /usr has it, and so does every sandbox."""
    key: str
    """Equal keys mean equal content, /usr excepted, where it means the same version."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A Python on the host."""

    program: Path
    prefix: Path
    version: str


def locate(settings: Settings) -> Interpreter:
    """Blocking; the first call copies up to 150 MB into the layer store.

    Raises SandboxFault when the Python that was asked for, or none at all, can be used.
    """
    if settings.interpreter is not None:
        return adopt(probe(settings.interpreter), settings)
    try:
        return adopt(probe(Path(sys.executable)), settings)
    except SandboxFault:
        return adopt(probe(SYSTEM_PYTHON), settings)


def probe(program: Path) -> Installation:
    """Ask a Python (a virtual environment's too) where its installation lies."""
    try:
        answer = subprocess.run(
            [str(program), "-I", "-S", "-c", PROBE],
            capture_output=True,
            check=True,
            timeout=PROBE_SECONDS,
        )
        base, prefix, version = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise SandboxFault(f"interpreter {program}: expected a working Python ({error})") from error
    return Installation(Path(base).resolve(), Path(prefix).resolve(), version)


def adopt(python: Installation, settings: Settings) -> Interpreter:
    """Make the installation available to sandboxes."""
    if python.program.is_relative_to(SYSTEM):
        key = f"system-{os.uname().machine}-{python.version}"
        return Interpreter(str(python.program), python.program, python.version, None, key)
    if not python.program.is_relative_to(python.prefix):
        raise SandboxFault(f"interpreter {python.program}: expected it below its prefix {python.prefix}")

    def amend(copy: Path) -> None:
        relocate(copy, python)
        compile_library(copy, python)

    layer, key = share(python.prefix, LayerStore(settings.layers_dir), TARGET, wanted=wanted, amend=amend)
    inside = f"{TARGET}/{python.program.relative_to(python.prefix)}"
    return Interpreter(inside, python.program, python.version, layer, key)


def wanted(path: PurePosixPath) -> bool:
    """The interpreter and its standard library; of that library's own tests only their helpers."""
    name, parts = path.name, path.parts
    if parts[0] == "bin":
        return len(parts) == 1 or (name.startswith("python") and not name.endswith(("-config", ".py")))
    if parts[0] not in {"lib", "lib64", "include"}:
        return False
    if "test" in parts[:-1]:
        after = parts[parts.index("test") + 1 :]
        return after[0] in {"support", "__init__.py"}
    return not (name in UNWANTED or name.startswith("config-3") or name.endswith(".a"))


def relocate(copy: Path, python: Installation) -> None:
    """Let the copied program find its shared library beside itself instead of in the old prefix.

    The search path is a string inside the program; a shorter one is put in its place.
    """
    program = copy / python.program.relative_to(python.prefix)
    old = os.fsencode(python.prefix / "lib") + b"\0"
    new = b"$ORIGIN/../lib\0"
    content = program.read_bytes()
    if old in content and len(new) <= len(old):
        program.write_bytes(content.replace(old, new.ljust(len(old), b"\0")))
    listing = subprocess.run(
        [str(program)], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, check=False
    ).stdout
    for line in listing.splitlines():
        if "not found" in line or str(python.prefix) in line:
            raise SandboxFault(
                f"interpreter {python.program}: it cannot be moved ({line.strip()}); set KAIJU_INTERPRETER"
            )


def compile_library(copy: Path, python: Installation) -> None:
    """Sandboxes cannot write compiled files, and without them each start costs half a second."""
    libraries = [str(path) for path in copy.glob("lib/python3*")]
    subprocess.run(
        [str(python.program), "-I", "-S", "-m", "compileall", "-q", *libraries],
        capture_output=True,
        check=False,  # a file of the library that does not compile is no fault of the copy
        timeout=600,
    )
