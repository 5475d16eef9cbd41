"""Fetching: from a package URL to a source in memory, with the go command. None of it is executed."""

import hashlib
import json
import re
import tempfile
from pathlib import Path

from packageurl import PackageURL

from kaiju_grading.archive import MAX_BYTES, Unpacked, unpack
from kaiju_grading.files import Files, digest
from kaiju_grading.languages.go.licences import licence_of
from kaiju_grading.languages.go.lock import download
from kaiju_grading.languages.go.module import module_path, short_name
from kaiju_grading.languages.go.syntax import summary
from kaiju_grading.languages.go.toolchain import run_go
from kaiju_grading.preparation import Obstacle, Release, Source
from kaiju_grading.upstream import cached, checked, keep, read_folder
from kaiju_sandbox.command import File

FOLDER = "path:"
_MODULE = re.compile(r"[A-Za-z0-9.-]+\.[A-Za-z0-9.-]+(/[A-Za-z0-9._~-]+)*")
_VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*")
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "vendor", "node_modules"})
_NETWORK = {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOWORK": "off"}


def find_release(purl: str) -> Release:
    """`pkg:golang/MODULE[@VERSION]` or `path:FOLDER`. Raises Obstacle (`bad_purl`, ...)."""
    if purl.startswith(FOLDER):
        folder = Path(purl.removeprefix(FOLDER))
        if not (folder / "go.mod").is_file():
            raise Obstacle("bad_purl", f"{purl!r}: no such folder, or one without go.mod")
        return Release(
            purl=purl, name=short_name(module_path(read_folder(folder, _SKIPPED_FOLDERS).files)), version="0"
        )
    module, version = _parse(purl)
    version = version or _newest(module)
    return Release(
        purl=f"pkg:golang/{module}@{version}", name=short_name(module), version=version.removeprefix("v")
    )


def fetch_source(release: Release, downloads: Path) -> Source:
    """The module's archive, from `downloads` when it is there by its sha256, else from the module proxy."""
    if release.purl.startswith(FOLDER):
        unpacked = read_folder(Path(release.purl.removeprefix(FOLDER)), _SKIPPED_FOLDERS)
        found = digest(unpacked.files).removeprefix("sha256:")
        return _source(checked(release, found), unpacked, "")
    module, version = _parse(release.purl)
    data, commit = cached(release, downloads), ""
    if data is None:
        data, commit = _download(module, version)
    found = hashlib.sha256(data).hexdigest()
    pinned = checked(release, found)
    keep(data, downloads / found)
    unpacked = unpack(data)
    unpacked.files = _inside(unpacked.files, f"{module}@{version}")
    return _source(pinned, unpacked, commit)


def _parse(purl: str) -> tuple[str, str]:
    try:
        parsed = PackageURL.from_string(purl)
    except ValueError as error:
        raise Obstacle("bad_purl", f"{purl!r}: {error}; expected pkg:golang/MODULE@VERSION") from error
    # The type of package URL folds case, the module proxy does not: the path is read as it was written.
    written = purl.removeprefix("pkg:golang/").split("?")[0].split("#")[0]
    module, _, version = written.replace("%2F", "/").partition("@")
    if parsed.type != "golang" or parsed.qualifiers or parsed.subpath or not _MODULE.fullmatch(module):
        raise Obstacle("bad_purl", f"{purl!r}: expected pkg:golang/MODULE@VERSION")
    if version and not _VERSION.fullmatch(version):
        raise Obstacle("bad_purl", f"{purl!r}: {version!r} is not a version such as v1.2.3")
    return module, version


def _newest(module: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        variables = {**_NETWORK, "GOMODCACHE": f"{folder}/mod"}
        said = run_go(["list", "-m", "-json", f"{module}@latest"], Path(folder), variables)
    return str(json.loads(said).get("Version", ""))


def _download(module: str, version: str) -> tuple[bytes, str]:
    """The archive, and the commit where the proxy names it. The go command checks it against its database."""
    with tempfile.TemporaryDirectory() as folder:
        # A cache of its own: the library must not be found among the dependencies.
        variables = {**_NETWORK, "GOMODCACHE": f"{folder}/mod", "GOFLAGS": "-mod=mod -modcacherw"}
        found = download(module, version, variables, Path(folder))
        archive = Path(str(found.get("Zip", "")))
        if archive.stat().st_size > MAX_BYTES:
            raise Obstacle("archive_too_large", f"{module}: more than {MAX_BYTES} bytes")
        origin = found.get("Origin")
        commit = str(origin.get("Hash", "")) if isinstance(origin, dict) else ""
        return archive.read_bytes(), commit


def _inside(files: Files, top: str) -> dict[str, File]:
    """Below `MODULE@VERSION/`, of which reading the archive took the first part."""
    prefix = top.partition("/")[2]
    prefix = prefix + "/" if prefix else ""
    return {path.removeprefix(prefix): file for path, file in files.items()}


def _source(release: Release, unpacked: Unpacked, commit: str) -> Source:
    return Source(
        release=release,
        files=unpacked.files,
        licence=licence_of(unpacked.files),
        commit=commit,
        summary=summary(unpacked.files),
        refused=unpacked.refused,
    )
