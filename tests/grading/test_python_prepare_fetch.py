"""Releases: package URLs, folders and pinned archives."""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kaiju_grading.languages.python.index import Index, configured_index
from kaiju_grading.languages.python.prepare import PREPARATION
from kaiju_grading.preparation import Obstacle, Release

PKG_INFO = """Metadata-Version: 2.4
Name: Sample
Version: 2.0
Summary: A sample
License-Expression: MIT

Long text
"""

MISSING = """
from kaiju_grading.languages.python.prepare import PREPARATION
from kaiju_grading.preparation import Obstacle
try:
    PREPARATION.release("pkg:pypi/sample")
except Obstacle as obstacle:
    print(obstacle.code)
"""


def sdist(**files: str) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as target:
        for name, text in files.items():
            info = tarfile.TarInfo(f"sample-2.0/{name}")
            info.size = len(text)
            target.addfile(info, io.BytesIO(text.encode()))
    return gzip.compress(raw.getvalue(), mtime=0)


def pinned(data: bytes, downloads: Path) -> Release:
    digest = hashlib.sha256(data).hexdigest()
    downloads.mkdir(exist_ok=True)
    (downloads / digest).write_bytes(data)
    return Release("pkg:pypi/sample@2.0", "sample", "2.0", digest)


def test_a_package_url_is_a_release() -> None:
    release = PREPARATION.release("pkg:pypi/TinyDB@4.9.0")
    assert (release.purl, release.name, release.version) == ("pkg:pypi/tinydb@4.9.0", "tinydb", "4.9.0")
    assert release.sha256 is None


@pytest.mark.parametrize(
    "purl",
    [
        "",
        "tinydb",
        "pkg:npm/left-pad@1.0",
        "pkg:pypi/a@not a version",
        "pkg:pypi/x/y@1",
        "pkg:pypi/a@1?b=c",
        "path:/nowhere",
        "path:",
    ],
)
def test_other_urls_are_refused_with_their_text(purl: str) -> None:
    with pytest.raises(Obstacle) as caught:
        PREPARATION.release(purl)
    assert caught.value.code == "bad_purl"
    assert repr(purl) in caught.value.detail


def test_a_pinned_archive_is_read_without_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/")
    source = PREPARATION.fetch(pinned(sdist(**{"PKG-INFO": PKG_INFO, "a.py": ""}), tmp_path), tmp_path)
    assert (source.licence, source.summary) == ("MIT", "A sample")
    assert set(source.files) == {"PKG-INFO", "a.py"}


def test_an_index_that_does_not_answer_is_an_obstacle_without_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/secret")
    with pytest.raises(Obstacle) as caught:
        PREPARATION.fetch(Release("pkg:pypi/sample@2.0", "sample", "2.0"), tmp_path)
    assert caught.value.code in {"index_unavailable", "no_source_archive"}
    assert "127.0.0.1" not in str(caught.value)


def test_an_index_without_the_release_is_told_once() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as index:  # it has no page at all
        threading.Thread(target=index.serve_forever, daemon=True).start()
        done = subprocess.run(
            [sys.executable, "-c", MISSING],
            env={**os.environ, "UV_DEFAULT_INDEX": f"http://127.0.0.1:{index.server_port}/"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        index.shutdown()
    assert (done.stdout, done.stderr) == ("no_source_archive\n", "")


def test_a_damaged_download_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/")
    release = pinned(sdist(**{"a.py": ""}), tmp_path)
    assert release.sha256
    (tmp_path / release.sha256).write_bytes(b"damaged")
    with pytest.raises(Obstacle):
        PREPARATION.fetch(release, tmp_path)


def test_an_archive_of_another_sum_is_refused(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / "sample-2.0.tar.gz").write_bytes(sdist(**{"a.py": ""}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UV_DEFAULT_INDEX", links.as_uri())
        patch.setenv("PIP_FIND_LINKS", str(links))
        found = PREPARATION.fetch(Release("pkg:pypi/sample@2.0", "sample", "2.0"), tmp_path / "downloads")
        with pytest.raises(Obstacle) as caught:
            PREPARATION.fetch(
                Release("pkg:pypi/sample@2.0", "sample", "2.0", "0" * 64), tmp_path / "downloads"
            )
    assert found.release.sha256 == hashlib.sha256(sdist(**{"a.py": ""})).hexdigest()
    assert found.release.url == ""
    assert caught.value.code == "checksum_mismatch"


def test_a_folder_is_a_release_and_its_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\nversion = "1.2"\nlicense = "MIT"\n')
    (tmp_path / "mine.py").write_text("x = 1\n")
    (tmp_path / "outside").symlink_to("/etc")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref")
    release = PREPARATION.release(f"path:{tmp_path}")
    source = PREPARATION.fetch(release, tmp_path / "downloads")
    assert (release.name, release.version, source.licence) == ("mine", "1.2", "MIT")
    assert set(source.files) == {"pyproject.toml", "mine.py"}
    assert source.refused == {"outside": "a link"}
    assert PREPARATION.fetch(source.release, tmp_path / "downloads") == source


def test_the_index_is_the_one_that_pip_or_uv_has(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null", "UV_NO_CONFIG": "1"}
    assert configured_index(environ) == Index((), (), (), (), None)
    pip = configured_index(
        {**environ, "PIP_INDEX_URL": "http://a/", "PIP_EXTRA_INDEX_URL": "http://b/ http://c/"}
    )
    assert (pip.urls, pip.extra_urls) == (("http://a/",), ("http://b/", "http://c/"))
    uv = configured_index({**environ, "PIP_INDEX_URL": "http://a/", "UV_INDEX_URL": "http://d/"})
    assert uv.urls == ("http://d/",)


def test_the_index_of_a_configuration_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = http://a/\nfind-links = /x\n  /y\n")
    (tmp_path / "uv.toml").write_text('[[index]]\nurl = "http://b/"\n')
    found = configured_index(
        {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "UV_CONFIG_FILE": str(tmp_path / "uv.toml")}
    )
    assert (found.urls, found.extra_urls, found.find_links) == (("http://a/",), ("http://b/",), ("/x", "/y"))
