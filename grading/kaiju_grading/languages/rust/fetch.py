"""Fetching: from a package URL to a source in memory. Nothing of the package is executed."""

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path

from packageurl import PackageURL

from kaiju_grading.archive import MAX_BYTES, Unpacked, unpack
from kaiju_grading.files import digest
from kaiju_grading.languages.rust.cargo import package, run_cargo
from kaiju_grading.languages.rust.manifest import read_manifest
from kaiju_grading.preparation import Obstacle, Release, Source
from kaiju_grading.upstream import cached, checked, keep, read_folder
from kaiju_sandbox.command import File

FOLDER = "path:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*")
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "target"})
_PACKAGE = '[package]\nname = "kaiju-fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'


def find_release(purl: str) -> Release:
    """`pkg:cargo/NAME[@VERSION]` or `path:FOLDER`. Raises Obstacle (`bad_purl`, `dependency_unavailable`)."""
    if purl.startswith(FOLDER):
        folder = Path(purl.removeprefix(FOLDER))
        if not folder.is_dir():
            raise Obstacle("bad_purl", f"{purl!r}: no such folder")
        manifest = read_manifest(read_folder(folder, _SKIPPED_FOLDERS).files)
        return Release(purl=purl, name=manifest.name, version=manifest.version)
    name, version = _parse(purl)
    version = version or _newest(name)
    return Release(purl=f"pkg:cargo/{name}@{version}", name=name, version=version)


def fetch_source(release: Release, downloads: Path) -> Source:
    """The release's archive, from `downloads` when it is there by its sha256, else from the registry."""
    if release.purl.startswith(FOLDER):
        unpacked = read_folder(Path(release.purl.removeprefix(FOLDER)), _SKIPPED_FOLDERS)
        found = digest(unpacked.files).removeprefix("sha256:")
        return _source(checked(release, found), unpacked)
    data = cached(release, downloads) or _download(release)
    found = hashlib.sha256(data).hexdigest()
    pinned = checked(release, found)
    keep(data, downloads / found)
    return _source(pinned, unpack(data))


def _parse(purl: str) -> tuple[str, str]:
    try:
        parsed = PackageURL.from_string(purl)
    except ValueError as error:
        raise Obstacle("bad_purl", f"{purl!r}: {error}; expected pkg:cargo/NAME@VERSION") from error
    name, version = str(parsed.name), parsed.version or ""
    extra = parsed.namespace or parsed.qualifiers or parsed.subpath
    if parsed.type != "cargo" or extra or not _NAME.fullmatch(name):
        raise Obstacle("bad_purl", f"{purl!r}: expected pkg:cargo/NAME@VERSION")
    if version and not _VERSION.fullmatch(version):
        raise Obstacle("bad_purl", f"{purl!r}: {version!r} is not a version")
    return name, version


def _newest(name: str) -> str:
    with package(f'{_PACKAGE}{name} = "*"\n') as folder:
        run_cargo(folder, "generate-lockfile")
        lock = (folder / "Cargo.lock").read_text("utf-8")
    found = re.search(rf'name = "{re.escape(name)}"\nversion = "([^"]+)"', lock)
    if found is None:
        raise Obstacle("dependency_unavailable", f"{name}: the registry has no version of it")
    return found.group(1)


def _download(release: Release) -> bytes:
    """cargo checks the archive against the registry's checksum, and leaves it in its cache."""
    with (
        tempfile.TemporaryDirectory() as home,
        package(
            f'{_PACKAGE}{release.name} = {{ version = "={release.version}", default-features = false }}\n'
        ) as folder,
    ):
        # Vendoring fetches what the lock names; the archive itself lies in the registry's cache.
        for name in ("config.toml", "config", "credentials.toml"):
            own = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / name
            if own.is_file():
                (Path(home) / name).symlink_to(own)
        run_cargo(folder, "fetch", home=Path(home))
        wanted = f"{release.name}-{release.version.partition('+')[0]}"
        for archive in Path(home).glob("registry/cache/*/*.crate"):
            if archive.name.startswith(wanted) and archive.stat().st_size <= MAX_BYTES:
                return archive.read_bytes()
    raise Obstacle("index_unavailable", f"{release.purl}: cargo fetched no archive of it")


def _source(release: Release, unpacked: Unpacked) -> Source:
    manifest = read_manifest(unpacked.files)
    return Source(
        release=release,
        files=unpacked.files,
        licence=manifest.licence or str(manifest.content["package"].get("license-file", "")),
        commit=_commit(unpacked.files),
        summary=manifest.summary,
        refused=unpacked.refused,
    )


def _commit(files: dict[str, File]) -> str:
    """What `cargo package` wrote down of the version control."""
    record = files.get(".cargo_vcs_info.json")
    try:
        found = json.loads(record.data)["git"]["sha1"] if record else ""
    except (ValueError, KeyError, TypeError):
        return ""
    return found if isinstance(found, str) and re.fullmatch(r"[0-9a-f]{40}", found) else ""
