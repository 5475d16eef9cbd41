"""Fetching: from a package URL to a source in memory. Nothing of the package is executed."""

import hashlib
import logging
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import packaging.version
from packageurl import PackageURL
from unearth import Package, PackageFinder
from unearth.errors import UnpackError
from unearth.fetchers.sync import PyPIClient

from kaiju_grading.archive import MAX_BYTES, Unpacked, unpack
from kaiju_grading.files import digest
from kaiju_grading.languages.python.index import configured_index
from kaiju_grading.languages.python.metadata import read_metadata
from kaiju_grading.preparation import Obstacle, Release, Source
from kaiju_grading.upstream import cached, checked, keep, read_folder

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
    metadata = read_metadata(read_folder(folder, _SKIPPED_FOLDERS).files)
    name = metadata.name or folder.resolve().name
    if not _NAME.fullmatch(name):
        raise Obstacle("bad_purl", f"{purl!r}: {name!r} is not a distribution name")
    return Release(purl=purl, name=name, version=metadata.version or "0")
