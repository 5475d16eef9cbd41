"""Locking: every package of a task's environment, pinned by cargo's own lock with its checksums."""

import re
import tomllib

from kaiju_grading.languages.rust.cargo import package, run_cargo
from kaiju_grading.languages.rust.manifest import FILE, LOCK
from kaiju_grading.languages.rust.toolchain import locate
from kaiju_grading.preparation import Lock, Obstacle, Source, Split
from kaiju_sandbox.settings import Settings

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
"""How cargo names the public registry in every lock, whichever mirror it came from."""
_CHECKSUM = re.compile(r"[0-9a-f]{64}")


def lock_environment(split: Split, source: Source, settings: Settings) -> Lock:
    """The archive's own lock where it has one, less what the manifest does not need. Raises Obstacle."""
    manifest = split.config[FILE].data.decode()
    upstream = source.files[LOCK].data.decode() if LOCK in source.files else ""
    return Lock(
        text=resolve(manifest, upstream),
        language_version=locate().minor,
        metadata={"manifest": manifest},
    )


def resolve(manifest: str, upstream: str) -> str:
    """A lock for this manifest; versions that `upstream` has are taken from there."""
    with package(manifest, upstream) as folder:
        run_cargo(folder, "metadata", "--format-version", "1", "--quiet")
        return (folder / LOCK).read_text("utf-8")


def check_lock(text: str) -> None:
    """Only packages of the registry, each with its checksum. Raises Obstacle `bad_lock`."""
    try:
        packages = tomllib.loads(text).get("package", [])
    except ValueError as error:
        raise Obstacle("bad_lock", f"Cargo.lock cannot be read: {error}") from error
    roots = [entry for entry in packages if "source" not in entry]
    if len(roots) != 1:
        raise Obstacle("bad_lock", f"Cargo.lock has {len(roots)} packages without a source; expected one")
    for entry in packages:
        pinned = _CHECKSUM.fullmatch(str(entry.get("checksum", "")))
        if "source" in entry and (entry["source"] != REGISTRY or not pinned):
            raise Obstacle("bad_lock", f"{entry.get('name')}: expected the registry and a checksum")
