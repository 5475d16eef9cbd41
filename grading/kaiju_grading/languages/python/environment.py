"""The environment of a task: a virtual environment and the linter as layers, built from a lock.

No package's code runs here: wheels are unpacked by uv, bytecode is written by the interpreter's own compiler.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from packaging.utils import canonicalize_name

from kaiju_grading.languages.python.backend import BUILD, fill_backend, holds_copy
from kaiju_grading.languages.python.lock import blocks, run_uv
from kaiju_grading.languages.python.own_build import BACKEND
from kaiju_grading.preparation import Lock, Obstacle
from kaiju_sandbox import interpreter
from kaiju_sandbox.command import Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.interpreter import Interpreter
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.settings import Settings

VENV = "/kaiju/env/venv"
LINT = "/kaiju/env/lint"
_FORMAT = 1
"""Part of every key: counts changes to how a layer is made from the same lock."""
_COMPILE_SECONDS = 900
_METADATA = {
    "name": re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"),
    "version": re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*"),
    "packages": re.compile(r"\w+( \w+)*"),
}


def provision_environment(lock: Lock, settings: Settings) -> Environment:
    """Find or build the layers. Raises Obstacle (`dependency_unavailable`, `library_in_environment`, ...)."""
    python = interpreter.locate(settings)
    minor = ".".join(python.version.split(".")[:2])
    if minor != lock.language_version:
        raise Obstacle(
            "other_language_version", f"locked for Python {lock.language_version}, this machine has {minor}"
        )
    _check_metadata(lock)
    store = LayerStore(settings.layers_dir)
    pinned = blocks(lock.text)
    linter = pinned.pop("ruff", "")
    tests, lint = "".join(pinned.values()), linter or _missing("ruff")
    venv_key, lint_key = _key("venv", tests, python, lock), _key("lint", lint, python, None)
    venv = store.build(venv_key, lambda folder: _fill_venv(folder, tests, python, lock))
    tool = store.build(lint_key, lambda folder: _fill_lint(folder, lint, python))
    own = [(python.layer, python.key)] if python.layer else []
    backend = _backend_layer(lock, python, store)
    layers = [*own, (Layer(VENV, venv), venv_key), (Layer(LINT, tool), lint_key), *backend]
    return Environment(
        system="python",
        layers=tuple(layer for layer, _ in layers),
        keys=tuple(key for _, key in layers),
        programs={"python": f"{VENV}/bin/python", "ruff": f"{LINT}/bin/ruff"},
        tools={
            "python": python.version,
            "pytest": _installed(_site(venv, minor)).get("pytest") or _missing("pytest"),
            "ruff": _ruff_version(tool),
        },
        public=tuple(layer.target for layer, _ in own),
    )


def _backend_layer(lock: Lock, python: Interpreter, store: LayerStore) -> list[tuple[Layer, str]]:
    """What the library's own build needs, where it could be locked and holds no copy of the library."""
    text = "".join(blocks(lock.metadata.get(BUILD, "")).values())
    if not text:
        return []
    key = _key("build", text, python, None)

    def fill(folder: Path) -> None:
        fill_backend(folder, lambda site: _install(text, site, python))
        _compile(folder, BACKEND, python)

    layer = Layer(BACKEND, store.build(key, fill))
    return [] if holds_copy(layer.path, lock) else [(layer, key)]


def _check_metadata(lock: Lock) -> None:
    """It may come from a stranger's task, and becomes part of a path."""
    for name, form in _METADATA.items():
        value = lock.metadata.get(name, "")
        if not form.fullmatch(value):
            raise Obstacle("bad_lock", f"metadata {name} is {value[:80]!r}; expected {form.pattern}")


def _key(role: str, text: str, python: Interpreter, lock: Lock | None) -> str:
    content = {
        "format": _FORMAT,
        "text": text,
        "python": python.version,
        "program": python.path,
        "platform": sysconfig.get_platform(),
        "metadata": {name: lock.metadata[name] for name in sorted(_METADATA)} if lock else {},
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return f"python-{role}-{digest[:32]}"


def _fill_venv(folder: Path, text: str, python: Interpreter, lock: Lock) -> None:
    minor = lock.language_version
    site = _site(folder, minor)
    _install(text, site, python)
    shutil.rmtree(site / "bin", ignore_errors=True)  # scripts name a path of this machine
    _check_absent(site, lock)
    _write_metadata(site, lock)
    (folder / "bin").mkdir()
    for name in ("python", "python3", f"python{minor}"):
        (folder / "bin" / name).symlink_to(python.path)
    home = python.path.rpartition("/")[0]
    settings = {"home": home, "include-system-site-packages": "false", "version": python.version}
    lines = (f"{name} = {value}\n" for name, value in settings.items())
    (folder / "pyvenv.cfg").write_text("".join(lines), "utf-8")
    _compile(site, f"{VENV}/{site.relative_to(folder).as_posix()}", python)


def _fill_lint(folder: Path, text: str, python: Interpreter) -> None:
    with tempfile.TemporaryDirectory() as unpacked:
        _install(text, Path(unpacked), python)
        (folder / "bin").mkdir()
        shutil.copy2(Path(unpacked) / "bin" / "ruff", folder / "bin" / "ruff")


def _install(text: str, target: Path, python: Interpreter) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "requirements.txt"
        lock.write_text(text, "utf-8")
        run_uv(
            *("pip", "install", "--quiet", "--require-hashes", "--no-deps", "--only-binary", ":all:"),
            *("--link-mode", "copy", "--python", str(python.host), "--target", str(target)),
            *("--requirements", str(lock)),
        )
    for left in (".lock", "CACHEDIR.TAG", ".gitignore"):
        (target / left).unlink(missing_ok=True)


def _compile(site: Path, inside: str, python: Interpreter) -> None:
    """Unchecked hashes do not look at times, so that a copied layer stays valid; some files never compile."""
    subprocess.run(
        [
            *(str(python.host), "-I", "-S", "-m", "compileall", "-q", "-f"),
            *("--invalidation-mode", "unchecked-hash", "-s", str(site), "-p", inside, str(site)),
        ],
        capture_output=True,
        check=False,
        timeout=_COMPILE_SECONDS,
    )


def _check_absent(site: Path, lock: Lock) -> None:
    """The library itself must not be there, not even as a dependency of the test runner."""
    name = canonicalize_name(lock.metadata["name"])
    if name in _installed(site):
        raise Obstacle("library_in_environment", f"{name} is a dependency of its own tests or of pytest")
    tops = {path.name.split(".", 1)[0] for path in site.iterdir()}
    for package in lock.metadata["packages"].split():
        if package in tops:
            raise Obstacle("library_in_environment", f"another distribution has the module {package}")


def _write_metadata(site: Path, lock: Lock) -> None:
    """Name and version for libraries and tests that ask for them; no entry point, nothing to import."""
    name, version = lock.metadata["name"], lock.metadata["version"]
    folder = site / f"{re.sub(r'[-_.]+', '_', name)}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")


def _installed(site: Path) -> dict[str, str]:
    """Versions by normalised name of what has a dist-info folder."""
    stems = (path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info"))
    return {canonicalize_name(name): version for name, _, version in (stem.partition("-") for stem in stems)}


def _ruff_version(layer: Path) -> str:
    said = subprocess.run(
        [str(layer / "bin" / "ruff"), "--version"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    return said.split()[1]


def _site(layer: Path, minor: str) -> Path:
    return layer / "lib" / f"python{minor}" / "site-packages"


def _missing(name: str) -> str:
    raise Obstacle("bad_lock", f"the lock has no {name}")
