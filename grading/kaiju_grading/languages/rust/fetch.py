"""Fetching: from a package URL to a source in memory. Nothing of the package is executed."""

import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from packageurl import PackageURL

from kaiju_grading.files import PathError, check_path, digest
from kaiju_grading.languages.python.archive import MAX_BYTES, MAX_MEMBERS, Unpacked, unpack
from kaiju_grading.languages.rust.cargo import package, run_cargo
from kaiju_grading.languages.rust.manifest import read_manifest
from kaiju_grading.preparation import Obstacle, Release, Source
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
        manifest = read_manifest(_read_folder(folder).files)
        return Release(purl=purl, name=manifest.name, version=manifest.version)
    name, version = _parse(purl)
    version = version or _newest(name)
    return Release(purl=f"pkg:cargo/{name}@{version}", name=name, version=version)


def fetch_source(release: Release, downloads: Path) -> Source:
    """The release's archive, from `downloads` when it is there by its sha256, else from the registry."""
    if release.purl.startswith(FOLDER):
        unpacked = _read_folder(Path(release.purl.removeprefix(FOLDER)))
        found = digest(unpacked.files).removeprefix("sha256:")
        return _source(_checked(release, found), unpacked)
    data = _cached(release, downloads) or _download(release)
    found = hashlib.sha256(data).hexdigest()
    checked = _checked(release, found)
    _keep(data, downloads / found)
    return _source(checked, unpack(data))


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


def _cached(release: Release, downloads: Path) -> bytes | None:
    if release.sha256 is None or not re.fullmatch(r"[0-9a-f]{64}", release.sha256):
        return None
    try:
        data = (downloads / release.sha256).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == release.sha256 else None


def _keep(data: bytes, target: Path) -> None:
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(target)


def _checked(release: Release, found: str) -> Release:
    if release.sha256 is not None and release.sha256 != found:
        raise Obstacle("checksum_mismatch", f"{release.purl}: sha256 is {found}, expected {release.sha256}")
    return replace(release, sha256=found)


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


def _read_folder(folder: Path) -> Unpacked:
    unpacked = Unpacked()
    total = 0
    for count, path in enumerate(_walk(folder), start=1):
        relative = path.relative_to(folder).as_posix()
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            unpacked.refused[relative] = "a link" if stat.S_ISLNK(state.st_mode) else "a special file"
            continue
        total += state.st_size
        if count > MAX_MEMBERS or total > MAX_BYTES:
            raise Obstacle("archive_too_large", f"more than {MAX_MEMBERS} files or {MAX_BYTES} bytes")
        try:
            check_path(relative)
        except PathError as error:
            unpacked.refused[ascii(relative)] = str(error)
            continue
        unpacked.files[relative] = File(path.read_bytes(), bool(state.st_mode & stat.S_IXUSR))
    return unpacked


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        folders[:] = sorted(set(folders) - _SKIPPED_FOLDERS - set(links))
        yield from (Path(parent) / name for name in sorted([*names, *links]))
