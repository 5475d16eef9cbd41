"""What a snapshot takes, what it leaves out, and what it says about it."""

import os
import socket
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kaiju_grading import submission as limits
from kaiju_grading.disk import MAX_DEPTH, TreeError, open_folder, read_at, read_tree, write_tree
from kaiju_grading.files import digest
from kaiju_grading.language import Language
from kaiju_grading.submission import OUTSIDE, Submission, SubmissionError, snapshot, submission_of
from kaiju_sandbox.command import File

ROOTS = ("lib", "single.py")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    write_tree(folder, {"lib/a.py": File(b"A = 1\n"), "README.md": File(b"words\n")})
    return folder


def taken_from(workspace: Path, language: Language, reserved: tuple[str, ...] = ()) -> Submission:
    return snapshot(workspace, ROOTS, language, frozenset(reserved))


def test_only_admitted_files_under_the_roots_are_taken(workspace: Path, toy_language: Language) -> None:
    write_tree(
        workspace,
        {
            "lib/sub/b.py": File(b"", executable=True),
            "single.py": File(b"x"),
            "lib/data.bin": File(b"d"),
            "library/c.py": File(b"c"),
        },
    )
    found = taken_from(workspace, toy_language)
    assert sorted(found.files) == ["lib/a.py", "lib/sub/b.py", "single.py"]
    assert found.files["lib/sub/b.py"].executable
    assert found.refused == {
        "README.md": OUTSIDE,
        "lib/data.bin": "only .py files are taken",
        "library/c.py": OUTSIDE,
    }


def test_files_that_the_task_gave_are_not_listed_unless_they_were_changed(
    workspace: Path, toy_language: Language
) -> None:
    pristine = {"README.md": File(b"words\n"), "setup.cfg": File(b"old")}
    write_tree(workspace, {"setup.cfg": File(b"new")})
    found = snapshot(workspace, ROOTS, toy_language, frozenset(), pristine)
    assert found.refused == {"setup.cfg": OUTSIDE}


def test_the_digest_names_the_content_and_nothing_else(workspace: Path, toy_language: Language) -> None:
    first = taken_from(workspace, toy_language)
    os.utime(workspace / "lib/a.py", (1, 1))
    (workspace / "README.md").write_text("other")
    assert taken_from(workspace, toy_language).digest == first.digest == digest(first.files)
    (workspace / "lib/a.py").chmod(0o755)
    assert taken_from(workspace, toy_language).digest != first.digest


def test_a_snapshot_in_memory_is_the_snapshot_of_the_same_tree_on_disk(
    workspace: Path, toy_language: Language
) -> None:
    write_tree(workspace, {"lib/Twin.py": File(b"1"), "lib/twin.py": File(b"2"), "lib/x.bin": File(b"")})
    on_disk = taken_from(workspace, toy_language)
    assert submission_of(read_tree(workspace, 100), ROOTS, toy_language) == on_disk


def test_links_are_left_out_wherever_they_lead(
    workspace: Path, toy_language: Language, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1\n")
    (workspace / "lib/link.py").symlink_to(secret)
    (workspace / "lib/inner.py").symlink_to("a.py")
    (workspace / "lib/dangling.py").symlink_to("nowhere")
    (workspace / "lib/folder").symlink_to(tmp_path)
    (workspace / "lib/loop").symlink_to(".")
    found = taken_from(workspace, toy_language)
    assert sorted(found.files) == ["lib/a.py"]
    assert found.refused["lib/link.py"] == "is a link; only regular files are handed in"
    assert {"lib/inner.py", "lib/dangling.py", "lib/folder", "lib/loop"} <= set(found.refused)


def test_a_workspace_that_is_itself_a_link_or_a_file_is_refused(
    workspace: Path, toy_language: Language, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(workspace)
    for path in (tmp_path / "link", workspace / "README.md", tmp_path / "missing"):
        with pytest.raises(SubmissionError, match="expected a folder"):
            taken_from(path, toy_language)


def test_fifos_sockets_and_devices_are_left_out_without_waiting(
    workspace: Path, toy_language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(workspace / "lib/pipe.py")
    monkeypatch.chdir(workspace)  # socket names are short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("lib/socket.py")
        found = taken_from(workspace, toy_language)
    assert sorted(found.files) == ["lib/a.py"]
    assert found.refused["lib/pipe.py"] == "is no regular file; only regular files are handed in"
    assert "lib/socket.py" in found.refused


def test_names_that_differ_only_in_case_are_taken_once(workspace: Path, toy_language: Language) -> None:
    write_tree(workspace, {"lib/A.py": File(b"upper"), "LIB/x.py": File(b""), "lib/Sub/one.py": File(b"")})
    write_tree(workspace, {"lib/sub/two.py": File(b"")})
    found = taken_from(workspace, toy_language)
    assert sorted(found.files) == ["lib/A.py", "lib/Sub/one.py"]
    assert found.refused["lib/a.py"] == "differs from 'lib/A.py' only in upper and lower case"
    assert found.refused["lib/sub/two.py"] == "differs from 'lib/Sub' only in upper and lower case"


def test_names_that_are_no_plain_text_are_left_out_and_shown_escaped(
    workspace: Path, toy_language: Language
) -> None:
    (workspace / "lib" / unicodedata.normalize("NFD", "é.py")).write_text("")
    (workspace / "lib/é.py").write_text("")
    (workspace / "lib/line\nbreak.py").write_text("")
    (workspace / "lib/sep\u2028.py").write_text("")
    (workspace / "lib/back\\slash.py").write_text("")
    Path(os.fsdecode(os.fsencode(workspace) + b"/lib/\xff.py")).write_text("")
    found = taken_from(workspace, toy_language)
    assert sorted(found.files) == ["lib/a.py", "lib/é.py"]
    assert len(found.refused) == 6
    assert all(text.isprintable() for item in found.refused.items() for text in item)
    assert "lib/line\\nbreak.py" in found.refused
    assert "lib/\\udcff.py" in found.refused
    assert "normal form C" in found.refused[unicodedata.normalize("NFD", "lib/é.py")]


def test_a_file_that_cannot_be_read_is_told(workspace: Path, toy_language: Language) -> None:
    (workspace / "lib/closed.py").write_text("")
    (workspace / "lib/closed.py").chmod(0)
    found = taken_from(workspace, toy_language)
    if os.geteuid() == 0:
        assert "lib/closed.py" in found.files
    else:
        assert found.refused["lib/closed.py"] == "cannot be read"


def test_folders_without_end_are_left_out(workspace: Path, toy_language: Language) -> None:
    deep = workspace / "lib"
    for _ in range(MAX_DEPTH + 3):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "x.py").write_text("")
    found = taken_from(workspace, toy_language)
    assert sorted(found.files) == ["lib/a.py"]
    assert [reason for path, reason in found.refused.items() if path.startswith("lib/d")] == [
        f"lies more than {MAX_DEPTH} folders deep; only regular files are handed in"
    ]


def test_too_many_files_are_an_error_that_says_how_many_may_be(toy_language: Language) -> None:
    files = {f"lib/f{number}.py": File(b"") for number in range(limits.MAX_FILES)}
    assert len(submission_of(files, ROOTS, toy_language).files) == limits.MAX_FILES
    with pytest.raises(SubmissionError, match="at most 5000 files") as caught:
        submission_of(files | {"lib/more.py": File(b"")}, ROOTS, toy_language)
    assert caught.value.field == "files"


def test_too_many_bytes_are_an_error_also_when_no_disk_holds_them(
    workspace: Path, toy_language: Language
) -> None:
    os.truncate(workspace / "README.md", 2**40)  # outside the roots: never read
    assert sorted(taken_from(workspace, toy_language).files) == ["lib/a.py"]
    (workspace / "lib/b.py").touch()
    os.truncate(workspace / "lib/b.py", 2**40)
    with pytest.raises(SubmissionError, match="at most 67108864 bytes") as caught:
        taken_from(workspace, toy_language)
    assert caught.value.field == "size"


def test_bytes_are_counted_over_all_files(toy_language: Language) -> None:
    half = File(bytes(limits.MAX_BYTES // 2))
    files = {"lib/a.py": half, "lib/b.py": half}
    assert len(submission_of(files, ROOTS, toy_language).files) == 2
    with pytest.raises(SubmissionError, match="at most 67108864 bytes"):
        submission_of(files | {"lib/c.py": File(b"1")}, ROOTS, toy_language)


def test_a_reserved_name_is_left_out_without_a_word(workspace: Path, toy_language: Language) -> None:
    reserved = ("lib/secret_check.py", "lib/deep/inner/check.py")
    write_tree(workspace, {"lib/secret_check.py": File(b""), "lib/deep/inner/check.py/x.py": File(b"")})
    found = taken_from(workspace, toy_language, reserved)
    assert sorted(found.files) == ["lib/a.py"]
    assert "secret" not in str(found.refused)
    assert not any(path.startswith("lib/") for path in found.refused)
    blocking = {"lib/deep/inner": File(b""), "lib/a.py": File(b"")}
    language = toy_language
    assert sorted(submission_of(blocking, ROOTS, language, frozenset(reserved)).files) == ["lib/a.py"]


def test_an_empty_workspace_is_an_empty_submission(tmp_path: Path, toy_language: Language) -> None:
    found = taken_from(tmp_path, toy_language)
    assert (dict(found.files), dict(found.refused)) == ({}, {})


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(files=st.dictionaries(NAMES.map(lambda name: f"lib/{name}.py"), st.binary(max_size=3), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_give_printable_reasons_and_safe_paths(
    toy_language: Language, files: dict[str, bytes]
) -> None:
    toy = toy_language
    found = submission_of({path: File(data) for path, data in files.items()}, ROOTS, toy)
    assert all(path == unicodedata.normalize("NFC", path) for path in found.files)
    assert len({path.casefold() for path in found.files}) == len(found.files)
    assert all(".." not in path.split("/") for path in found.files)
    assert all(path.isprintable() for path in found.refused)
    assert found == submission_of({path: File(files[path]) for path in reversed(files)}, ROOTS, toy)


# Trees on disk.


def test_a_tree_comes_back_as_it_was_written(tmp_path: Path) -> None:
    files = {"a/b.txt": File(b"\r\n\xff", executable=True), "c": File(b"")}
    write_tree(tmp_path / "new", files)
    assert read_tree(tmp_path / "new", 3) == files


def test_writing_follows_no_link_and_replaces_no_file(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (root / "folder").symlink_to(outside)
    (root / "file").symlink_to(outside / "made")
    for path in ("folder/x", "file", "../x"):
        with pytest.raises((TreeError, ValueError)):
            write_tree(root, {path: File(b"")})
    assert list(outside.iterdir()) == []
    write_tree(root, {"kept": File(b"1")})
    with pytest.raises(TreeError, match="expected a new file"):
        write_tree(root, {"kept": File(b"2")})
    assert (root / "kept").read_bytes() == b"1"


def test_reading_a_tree_refuses_links_and_too_many_bytes(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": File(b"12345")})
    with pytest.raises(TreeError, match="more than the 4 bytes"):
        read_tree(tmp_path, 4)
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(TreeError, match="is a link"):
        read_tree(tmp_path, 5)


def test_a_file_that_became_a_link_or_a_fifo_since_the_walk_is_not_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"real/file": File(b"secret")})
    (tmp_path / "link").symlink_to("real/file")
    (tmp_path / "folder").symlink_to("real")
    os.mkfifo(tmp_path / "pipe")
    with open_folder(tmp_path) as folder:
        for path in ("link", "folder/file", "pipe", "real", "missing"):
            with pytest.raises(TreeError):
                read_at(folder, path, 100)
        assert read_at(folder, "real/file", 6) == File(b"secret")
