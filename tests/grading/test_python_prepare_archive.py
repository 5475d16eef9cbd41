"""Archives: whatever they hold, only checked regular files come out."""

import bz2
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable

import pytest

from kaiju_grading import archive
from kaiju_grading.archive import unpack
from kaiju_grading.preparation import Obstacle


def tar(*members: tuple[str, bytes] | tarfile.TarInfo, pax: dict[str, str] | None = None) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", pax_headers=pax, format=tarfile.PAX_FORMAT) as target:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                target.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            target.addfile(info, io.BytesIO(member[1]))
    return raw.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zipped(*members: tuple[str, bytes], mode: int = 0o100644) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            target.writestr(info, data)
    return raw.getvalue()


def code(data: bytes) -> str:
    with pytest.raises(Obstacle) as caught:
        unpack(data)
    return caught.value.code


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_the_top_folder_goes_and_content_stays(pack: Callable[[bytes], bytes]) -> None:
    found = unpack(pack(tar(("a-1.0/a.py", b"x = 1\n"), ("a-1.0/docs/i.md", b"hello"))))
    assert {path: file.data for path, file in found.files.items()} == {
        "a.py": b"x = 1\n",
        "docs/i.md": b"hello",
    }


def test_a_zip_gives_the_same_files_as_a_tar() -> None:
    members = (("a-1.0/a.py", b"x = 1\n"), ("a-1.0/b/c.py", b""))
    assert unpack(zipped(*members)).files == unpack(gzip.compress(tar(*members))).files


def test_modes_become_one_bit() -> None:
    info = tarfile.TarInfo("a/run")
    info.mode = 0o6755
    found = unpack(gzip.compress(tar(info, ("a/b", b"")))).files
    assert found["run"].executable
    assert not found["b"].executable


def test_links_and_special_files_are_refused_one_by_one() -> None:
    data = tar(
        ("a/a.py", b""),
        special("a/link", tarfile.SYMTYPE, "/etc/passwd"),
        special("a/hard", tarfile.LNKTYPE, "a/a.py"),
        special("a/device", tarfile.CHRTYPE),
        special("a/pipe", tarfile.FIFOTYPE),
    )
    found = unpack(gzip.compress(data))
    assert set(found.files) == {"a.py"}
    assert set(found.refused) == {"a/link", "a/hard", "a/device", "a/pipe"}


def test_a_link_in_a_zip_is_refused() -> None:
    assert unpack(zipped(("a/link", b"/etc/passwd"), mode=0o120777)).refused == {"a/link": "a link"}


@pytest.mark.parametrize("name", ["/etc/passwd", "../a.py", "a/../../b.py", "a\\b.py", "C:/a.py", "a/.."])
def test_members_that_leave_the_folder_refuse_the_archive(name: str) -> None:
    assert code(gzip.compress(tar(("a/x.py", b""), (name, b"")))) == "unsafe_archive"
    assert code(zipped(("a/x.py", b""), (name, b""))) == "unsafe_archive"


def test_a_folder_member_that_leaves_refuses_the_archive() -> None:
    assert code(gzip.compress(tar(special("a/../..", tarfile.DIRTYPE)))) == "unsafe_archive"


def test_a_nul_in_a_name_refuses_the_archive() -> None:
    data = zipped(("a/bXc.py", b"")).replace(b"bXc.py", b"b\0c.py")
    assert code(data) == "unsafe_archive"


@pytest.mark.parametrize("other", ["a/x.py", "a/X.py", "a//x.py", "./a/x.py"])
def test_two_members_of_one_name_refuse_the_archive(other: str) -> None:
    assert code(gzip.compress(tar(("a/x.py", b"1"), (other, b"2")))) == "unsafe_archive"


def test_names_that_no_tree_can_hold_are_refused_one_by_one() -> None:
    found = unpack(gzip.compress(tar(("a/ok.py", b""), ("a/line\nbreak", b""), ("a/" + "n" * 256, b""))))
    assert set(found.files) == {"ok.py"}
    assert len(found.refused) == 2


def test_a_compression_bomb_is_found_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_MAX_TAR", 1_000_000)
    assert code(gzip.compress(bytes(1_000_001))) == "archive_too_large"
    assert code(bz2.compress(bytes(50_000_000))) == "archive_too_large"


def test_members_together_have_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 10)
    assert code(gzip.compress(tar(("a/x", b"123456"), ("a/y", b"12345")))) == "archive_too_large"
    assert code(zipped(("a/x", b"123456"), ("a/y", b"12345"))) == "archive_too_large"


def test_members_have_a_number_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 2)
    assert code(zipped(*((f"a/{index}", b"") for index in range(3)))) == "archive_too_large"


@pytest.mark.parametrize("data", [b"", b"hello", b"\x1f\x8bnot really", b"PK\x03\x04nor this", b"BZh9no"])
def test_other_bytes_are_not_an_archive(data: bytes) -> None:
    assert code(data) == "unsupported_archive"


def test_a_cut_archive_is_not_an_archive() -> None:
    whole = gzip.compress(tar(("a/x.py", bytes(range(256)) * 400)))
    assert code(whole[: len(whole) // 2]) == "unsupported_archive"


def test_the_commit_of_a_git_archive_is_read() -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert unpack(gzip.compress(tar(("a/x.py", b""), pax={"comment": commit}))).commit == commit
    assert unpack(gzip.compress(tar(("a/x.py", b""), pax={"comment": "no commit"}))).commit == ""
