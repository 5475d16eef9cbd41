"""The environment of a task: toolchain, vendored dependencies and their compiled form, as three layers.

Vendoring unpacks archives; compiling them runs build scripts and macros, so that happens in a sandbox.
"""

import hashlib
import io
import json
import re
import tarfile
import threading
from dataclasses import replace
from pathlib import Path

import anyio

from kaiju_grading.languages.rust.cargo import package, run_cargo
from kaiju_grading.languages.rust.lock import check_lock
from kaiju_grading.languages.rust.manifest import LOCK, check_manifest
from kaiju_grading.languages.rust.sandboxed import (
    BUILD_LIMITS,
    CARGO,
    FLAGS,
    TARGET,
    TOOLCHAIN,
    WARM,
    Script,
    cargo_command,
)
from kaiju_grading.languages.rust.toolchain import locate, share_toolchain
from kaiju_grading.preparation import Lock, Obstacle
from kaiju_sandbox import backends
from kaiju_sandbox.command import Command, File, Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

_FORMAT = 3
"""Part of every key: counts changes to how a layer is made from the same lock."""
CONFIG = f"""\
[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "{CARGO}/vendor"

# Debian's cc is a link through /etc, which sandboxes have not.
[target.'cfg(target_os = "linux")']
linker = "gcc"

[env]
CC = "gcc"
CXX = "g++"
"""
WARM_LIMITS = replace(BUILD_LIMITS, wall=1800.0, cpu=3600.0)


def provision_environment(lock: Lock, settings: Settings) -> Environment:
    """Find or build the layers. Raises Obstacle (`dependency_unavailable`, `dependency_build`, ...)."""
    found = locate()
    if found.minor != lock.language_version:
        raise Obstacle(
            "other_language_version",
            f"locked for Rust {lock.language_version}, this machine has {found.minor}",
        )
    manifest = lock.metadata.get("manifest", "")
    check_manifest(manifest)
    check_lock(lock.text)
    store = LayerStore(settings.layers_dir)
    toolchain, toolchain_key = share_toolchain(found, store)
    cargo_key = _key("cargo", manifest, lock.text)
    cargo = Layer(CARGO, store.build(cargo_key, lambda folder: _vendor(folder, manifest, lock.text)))
    environment = Environment(
        system="rust",
        layers=(toolchain, cargo),
        keys=(toolchain_key, cargo_key),
        programs={name: f"{TOOLCHAIN}/bin/{name}" for name in ("cargo", "rustc", "rustfmt", "rustdoc")},
        tools={"rustc": found.version},
        public=(TOOLCHAIN,),
    )
    warm_key = _key("target", manifest, lock.text, toolchain_key, FLAGS)
    warm = store.build(warm_key, lambda folder: _compile(folder, manifest, environment, settings))
    return replace(
        environment,
        layers=(*environment.layers, Layer(WARM, warm)),
        keys=(*environment.keys, warm_key),
    )


def _key(role: str, *parts: str) -> str:
    digest = hashlib.sha256(json.dumps([_FORMAT, *parts]).encode()).hexdigest()
    return f"rust-{role}-{digest[:32]}"


def _vendor(folder: Path, manifest: str, lock: str) -> None:
    """CARGO_HOME: archives unpacked by cargo, which checks them against the lock."""
    with package(manifest, lock) as source:
        run_cargo(source, "vendor", "--locked", "--versioned-dirs", "--quiet", str(folder / "vendor"))
        used = _used(run_cargo(source, "metadata", "--format-version", "1", "--locked", "--quiet"))
    (folder / "vendor").mkdir(exist_ok=True)
    for package_folder in (folder / "vendor").iterdir():
        if package_folder.name not in used:
            _empty(package_folder)
    (folder / "config.toml").write_text(CONFIG, "utf-8")
    (folder / LOCK).write_text(lock, "utf-8")


def _used(metadata: str) -> frozenset[str]:
    """Folders of the packages that the features of a task need, of all that its lock names."""
    found = json.loads(metadata)
    needed = {node["id"] for node in found["resolve"]["nodes"]}
    return frozenset(f"{one['name']}-{one['version']}" for one in found["packages"] if one["id"] in needed)


def _empty(folder: Path) -> None:
    """Of a package that is not used cargo reads the manifest alone. Its code may be what a task asks for."""
    for path in folder.rglob("*"):
        if path.name in {"Cargo.toml", ".cargo-checksum.json"} or path.is_dir():
            continue
        path.unlink()
        path.write_bytes(b"")
    sums = folder / ".cargo-checksum.json"
    pinned = json.loads(sums.read_text("utf-8"))
    sums.write_text(json.dumps({"files": {}, "package": pinned.get("package")}), "utf-8")


def _compile(folder: Path, manifest: str, environment: Environment, settings: Settings) -> None:
    """The target folder of an empty package with the task's dependencies, from a sandbox."""
    with package(manifest) as source:
        work = {
            path.relative_to(source).as_posix(): File(path.read_bytes())
            for path in source.rglob("*")
            if path.is_file()
        }
    name = re.search(r'^name = "([^"]+)"', manifest, re.MULTILINE)
    script = Script("warm.sh", (name.group(1) if name else "",))
    command = cargo_command(script, work, environment, keep=f"{TARGET}/keep")
    result = run_now(command, WARM_LIMITS, settings)
    if not result.ok or result.kept is None:
        limit = f"limit {result.limit.name}: " if result.limit else ""
        said = result.stderr.decode(errors="replace").strip()[-1500:]
        raise Obstacle("dependency_build", f"the dependencies do not compile: {limit}{said}")
    with tarfile.open(fileobj=io.BytesIO(result.kept)) as archive:
        archive.extractall(folder, filter="data")


def run_now(command: Command, limits: Limits, settings: Settings) -> Result:
    """One sandbox, in a thread of its own: the caller may stand in an event loop or in none."""
    answers: list[Result] = []
    errors: list[BaseException] = []

    async def run() -> None:
        answers.append(await backends.create(settings).run(command, limits))

    def body() -> None:
        try:
            anyio.run(run)
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread
            errors.append(error)

    thread = threading.Thread(target=body, name="provision")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]
