"""Fetching: from a package URL to a source in memory. Nothing of the package is executed."""

import hashlib
import logging
import os
import re
import ssl
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import packaging.version
from packageurl import PackageURL
from unearth import Package, PackageFinder
from unearth.errors import UnpackError
from unearth.fetchers.sync import PyPIClient

from kaiju_grading.files import PathError, check_path, digest
from kaiju_grading.languages.python.archive import MAX_BYTES, MAX_MEMBERS, Unpacked, unpack
from kaiju_grading.languages.python.index import configured_index
from kaiju_grading.languages.python.metadata import read_metadata
from kaiju_grading.preparation import Obstacle, Release, Source
from kaiju_sandbox.command import File

FOLDER = "path:"
_SILENT = logging.NullHandler()
_TIMEOUT = 60.0
"""Seconds of silence from the index."""
_SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "__pycache__", "node_modules"}
)
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


def find_release(purl: str) -> Release:
    """`pkg:pypi/NAME[@VERSION]` or `path:FOLDER`. Raises Obstacle (`bad_purl`, `not_found`, ...)."""
    if purl.startswith(FOLDER):
        return _folder_release(purl)
    name, version = _parse(purl)
    if not version:
        version = _newest(name)
    return Release(purl=f"pkg:pypi/{name}@{version}", name=name, version=version)


def fetch_source(release: Release, downloads: Path) -> Source:
    """The release's source archive, from `downloads` when it is there by its sha256, else from the index."""
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
        raise Obstacle("bad_purl", f"{purl!r}: {error}; expected pkg:pypi/NAME@VERSION") from error
    name = str(parsed.name)
    if parsed.type != "pypi" or parsed.namespace or parsed.qualifiers or parsed.subpath:
        raise Obstacle("bad_purl", f"{purl!r}: expected pkg:pypi/NAME@VERSION")
    if not _NAME.fullmatch(name):
        raise Obstacle("bad_purl", f"{purl!r}: {name!r} is not a distribution name")
    try:
        return name, str(packaging.version.Version(parsed.version)) if parsed.version else ""
    except packaging.version.InvalidVersion as error:
        raise Obstacle("bad_purl", f"{purl!r}: {parsed.version!r} is not a version") from error


@contextmanager
def _finder() -> Iterator[PackageFinder]:
    index = configured_index()
    # What it says about a page that is not there would stand beside the obstacle that says the same.
    logging.getLogger("unearth").addHandler(_SILENT)
    verify: ssl.SSLContext | bool = True
    if index.certificates:
        verify = ssl.create_default_context(cafile=index.certificates)
    with PyPIClient(
        trusted_hosts=index.trusted_hosts, verify=verify, timeout=_TIMEOUT, follow_redirects=True
    ) as client:
        finder = PackageFinder(
            session=client,  # type: ignore[arg-type] # the protocol names fewer keywords than its own client has
            index_urls=index.urls,
            no_binary=[":all:"],
        )
        for address in index.extra_urls:
            finder.add_index_url(address)
        for place in index.find_links:
            if "://" in place or Path(place).exists():
                finder.add_find_links(place)
        yield finder


def _newest(name: str) -> str:
    """The newest version with a source archive for the running Python."""
    try:
        with _finder() as finder:
            return _best(finder, name).version or ""
    except (httpx2.HTTPError, UnpackError, OSError) as error:
        raise Obstacle("index_unavailable", f"{name}: {type(error).__name__}") from error


def _best(finder: PackageFinder, requirement: str) -> Package:
    best = finder.find_best_match(requirement).best
    if best is None or best.version is None:
        raise Obstacle("no_source_archive", f"{requirement}: the index has no source archive for it")
    return best


def _download(release: Release) -> bytes:
    chunks: list[bytes] = []
    size = 0
    try:
        with _finder() as finder:
            finder.ignore_compatibility = (
                True  # the version is pinned; what the archive asks for is read later
            )
            link = _best(finder, f"{release.name}=={release.version}").link
            with finder.session.get_stream(link.normalized) as response:
                response.raise_for_status()
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > MAX_BYTES:
                        raise Obstacle("archive_too_large", f"{release.purl}: more than {MAX_BYTES} bytes")
    except (httpx2.HTTPError, UnpackError, OSError) as error:
        raise Obstacle("index_unavailable", f"{release.purl}: {type(error).__name__}") from error
    return b"".join(chunks)


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
    metadata = read_metadata(unpacked.files)
    return Source(
        release=release,
        files=unpacked.files,
        licence=metadata.licence,
        commit=unpacked.commit,
        summary=metadata.summary,
        refused=unpacked.refused,
    )


def _folder_release(purl: str) -> Release:
    folder = Path(purl.removeprefix(FOLDER))
    if purl == FOLDER or not folder.is_dir():
        raise Obstacle("bad_purl", f"{purl!r}: no such folder")
    metadata = read_metadata(_read_folder(folder).files)
    name = metadata.name or folder.resolve().name
    if not _NAME.fullmatch(name):
        raise Obstacle("bad_purl", f"{purl!r}: {name!r} is not a distribution name")
    return Release(purl=purl, name=name, version=metadata.version or "0")


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
