"""Reading and writing the workspace: paths, bytes, sizes, searches."""

import hashlib
from functools import partial
from pathlib import Path

import anyio
import pytest
from tests.server.conftest import Session, Toy

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


def tree(toy: Toy, session: Session) -> Path:
    return toy.store / "episodes" / str(session.episode["episode_id"]) / "files"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/proc/self/root/etc/x",
        "../x",
        "a/../../etc/x",
        "a/./b",
        "a//b",
        "..\\x",
        "",
        ".",
        "a\0b",
        "a\nb",
        "a\u2028b",
        "a\u202eyp.b",
        "a\u0085b",
        "e\u0301.py",
        "c" * 300,
        "d/" * 600 + "x",
    ],
)
async def test_a_path_that_names_no_file_of_a_tree_is_refused(shared_toy: Toy, path: str) -> None:
    async with shared_toy.http() as session:
        await session.start()
        before = await session.ok("list_files")
        for tool, extra in (
            ("write_file", {"content": "x"}),
            ("edit_file", {"old": "a", "new": "b"}),
            ("read_file", {}),
            ("delete_file", {}),
        ):
            assert "path" in await session.error(tool, path=path, **extra)
        assert await session.ok("list_files") == before


async def test_a_neighbour_whose_name_begins_like_the_workspace_is_outside(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        root = tree(shared_toy, session)
        neighbour = root.with_name("files-evil")
        neighbour.mkdir()
        (neighbour / "there").write_text("theirs")
        for name in ("new", "there"):
            for path in (f"{neighbour}/{name}", f"../files-evil/{name}", f"toy/../../files-evil/{name}"):
                for tool, extra in (("write_file", {"content": "x"}), ("read_file", {}), ("delete_file", {})):
                    assert "path" in await session.error(tool, path=path, **extra)
        assert [entry.name for entry in neighbour.iterdir()] == ["there"]
        assert (neighbour / "there").read_text() == "theirs"


async def test_no_link_is_followed_wherever_it_stands(shared_toy: Toy, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    async with shared_toy.http() as session:
        await session.start()
        root = tree(shared_toy, session)
        (root / "out").symlink_to(tmp_path)
        (root / "file").symlink_to(tmp_path / "secret")
        (root / "dangling").symlink_to(tmp_path / "new")
        for path in ("out/new", "out/secret", "file", "dangling"):
            for tool, extra in (("write_file", {"content": "x"}), ("read_file", {}), ("delete_file", {})):
                assert path.split("/")[0] in await session.error(tool, path=path, **extra)
        listed = {entry["path"] for entry in (await session.ok("list_files"))["files"]}
        assert not listed & {"out", "file", "dangling", "out/secret"}
        assert (await session.ok("search_files", pattern="secret"))["matches"] == []
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "secret").read_text() == "secret"


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        (b"a\r\nb\nc\r\n", "c", "d", b"a\r\nb\nd\r\n"),
        (b"\xef\xbb\xbfx\r\n", "x", "y", b"\xef\xbb\xbfy\r\n"),
        (b"no newline at end", "end", "END", b"no newline at END"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        ("x\u2028y\u0085z\x1c".encode(), "y", "Y", "x\u2028Y\u0085z\x1c".encode()),
        (b"\xff\xfe broken \x00", "broken", "still", b"\xff\xfe still \x00"),
    ],
)
async def test_bytes_outside_an_edit_do_not_change(
    shared_toy: Toy, content: bytes, old: str, new: str, expected: bytes
) -> None:
    async with shared_toy.http() as session:
        await session.start()
        file = tree(shared_toy, session) / "toy" / "a.py"
        file.write_bytes(content)
        edited = await session.ok("edit_file", path="toy/a.py", old=old, new=new)
        assert file.read_bytes() == expected
        assert edited["sha256"] == hashlib.sha256(expected).hexdigest()
        assert edited["size"] == len(expected)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_text_comes_back_byte_for_byte(toy: Toy, shared_toy: Toy, transport: str, mode: str) -> None:
    content = "\ufeffx\u2028y\u2029z\u0085\x1c\x00\r\n\r\U0001f995 [1] true 5"
    connection = toy.stdio(mode) if transport == "stdio" else shared_toy.http(mode)
    async with connection as session:
        await session.start()
        written = await session.ok("write_file", path="toy/odd.txt", content=content)
        assert written["sha256"] == hashlib.sha256(content.encode()).hexdigest()
        assert (await session.ok("read_file", path="toy/odd.txt"))["text"] == content


async def test_an_edit_needs_text_that_occurs_once(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="one one two")
        assert "occurs 2 times" in await session.error("edit_file", path="toy/a.py", old="one", new="1")
        assert "does not occur" in await session.error("edit_file", path="toy/a.py", old="three", new="3")
        assert "'old' is empty" in await session.error("edit_file", path="toy/a.py", old="", new="3")
        edited = await session.ok("edit_file", path="toy/a.py", old="one", new="1", replace_all="true")
        assert edited["replacements"] == 2
        assert (await session.ok("read_file", path="toy/a.py"))["text"] == "1 1 two"


async def test_files_up_to_the_limit_are_taken_whole_and_larger_ones_refused(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        full = "x" * MIB
        assert (await session.ok("write_file", path="toy/big.py", content=full))["size"] == MIB
        assert "1048577 bytes" in await session.error("write_file", path="toy/big.py", content=full + "x")
        text = ""
        offset: int | None = 0
        while offset is not None:
            page = await session.ok("read_file", path="toy/big.py", offset=offset, limit=MIB)
            text, offset = text + page["text"], page.get("next_offset")
        assert text == full


async def test_no_result_is_larger_than_the_cap(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toy/wide.txt", content="\U0001f995\n" * 100_000)
        for tool, arguments in (
            ("read_file", {"path": "toy/wide.txt", "limit": 1_000_000}),
            ("read_spec", {"limit": 1_000_000}),
            ("search_files", {"pattern": ".", "limit": 100_000}),
        ):
            result = await session.raw(tool, **arguments)
            sizes = [len(block.model_dump_json().encode()) for block in result.content]
            assert max(sizes) < 80_000, tool
            assert len(result.model_dump_json().encode()) < 170_000, tool


async def test_the_workspace_has_a_size_and_a_number_of_files(toy: Toy) -> None:
    async with toy.stdio(KAIJU_WORKSPACE_BYTES="1000", KAIJU_WORKSPACE_FILES="8") as session:
        await session.start()
        await session.ok("write_file", path="new1", content="x")
        assert "1000" in await session.error("write_file", path="new2", content="x" * 1000)
        await session.ok("write_file", path="new2", content="x")
        assert "at most 8" in await session.error("write_file", path="new3", content="x")
        await session.ok("delete_file", path="new1")
        await session.ok("write_file", path="new3", content="x")


async def test_what_could_not_be_handed_in_is_refused_when_it_is_written(toy: Toy) -> None:
    async with toy.stdio(KAIJU_WORKSPACE_FILES="8") as session:
        await session.start()
        assert "more than 64 parts" in await session.error("write_file", path="d/" * 64 + "x", content="")
        assert "folders; at most 8" in await session.error("write_file", path="d/" * 8 + "x", content="")
        await session.ok("write_file", path="d/" * 7 + "x", content="")
        assert "folders; at most 8" in await session.error("write_file", path="e/x", content="")
        await session.ok("write_file", path="d/y", content="")
        await session.ok("delete_file", path="d/" * 7 + "x")
        await session.ok("write_file", path="e/" * 6 + "x", content="")
        assert (await session.ok("submit", stage="draft"))["status"] == "graded"


async def test_an_edit_that_would_grow_a_file_beyond_the_limit_makes_nothing_first(shared_toy: Toy) -> None:
    """The new text would have 10^12 bytes: more than there is memory."""
    async with shared_toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="a" * 1_000_000)
        with anyio.fail_after(20):
            answer = await session.error(
                "edit_file", path="toy/a.py", old="a", new="b" * 1_000_000, replace_all=True
            )
        assert "1000000000000 bytes; at most" in answer
        await session.ok("list_files")


async def test_names_that_differ_only_in_case_are_refused(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        for path in ("toy/A.py", "Toy/a.py", "TOY/new.py", "run.SH"):
            assert "only in case" in await session.error("write_file", path=path, content="")
        await session.ok("write_file", path="sub/deep/x", content="")
        await session.ok("delete_file", path="sub/deep/x")
        await session.ok("write_file", path="SUB/x", content="")


async def test_what_is_no_file_is_told(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        assert "is a folder" in await session.error("write_file", path="toy", content="")
        assert "is a folder" in await session.error("read_file", path="toy")
        assert "is not a folder" in await session.error("write_file", path="toy/a.py/b", content="")
        assert "does not exist" in await session.error("read_file", path="toy/missing.py")
        assert "does not exist" in await session.error("delete_file", path="none/missing.py")
        assert "no file or folder" in await session.error("list_files", path="missing")
        (tree(shared_toy, session) / "toy" / "raw").write_bytes(b"ab\xff")
        assert "not UTF-8 text (byte 2)" in await session.error("read_file", path="toy/raw")


async def test_a_replaced_script_stays_executable(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        await session.ok("edit_file", path="run.sh", old="hi", new="ho")
        file = tree(shared_toy, session) / "run.sh"
        assert file.read_bytes() == b"#!/bin/sh\r\necho ho\r\n"
        assert file.stat().st_mode & 0o100


async def test_listing_and_search_keep_below_a_folder(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toyish/x.py", content="find me\r\nand Me\n")
        await session.ok("write_file", path="toy/a.py", content="find me too\n")
        listed = await session.ok("list_files", path="toy")
        assert [entry["path"] for entry in listed["files"]] == [f"toy/{name}.py" for name in "abcd"]
        page = await session.ok("list_files", offset="2", limit="1")
        assert (page["total"], page["next_offset"], len(page["files"])) == (7, 3, 1)
        found = await session.ok("search_files", pattern="(?i) me$", path="toyish")
        assert [(match["line"], match["text"]) for match in found["matches"]] == [(2, "and Me")]
        found = await session.ok("search_files", pattern="find")
        assert [match["path"] for match in found["matches"]] == ["toy/a.py", "toyish/x.py"]
        assert (await session.ok("search_files", pattern="find", limit=1))["truncated"]


async def test_a_pattern_that_never_ends_blocks_nobody(shared_toy: Toy) -> None:
    async with shared_toy.http() as slow, shared_toy.http() as other:
        await slow.start()
        await other.start()
        await slow.ok("write_file", path="toy/a.py", content="a" * 60)
        async with anyio.create_task_group() as tasks:

            async def search() -> None:
                assert "more than 5 seconds" in await slow.error("search_files", pattern="(a+)+$b")

            tasks.start_soon(search)
            await anyio.sleep(0.5)
            with anyio.fail_after(3):
                await other.ok("list_files")
        assert "no regular expression" in await slow.error("search_files", pattern="(")


async def test_many_searches_of_one_episode_do_not_keep_another_from_searching(shared_toy: Toy) -> None:
    async with shared_toy.http() as slow, shared_toy.http() as other:
        await slow.start()
        await other.start()
        await slow.ok("write_file", path="toy/a.py", content="a" * 60)
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(partial(slow.raw, "search_files", pattern="(a+)+$b"))
            await anyio.sleep(0.5)
            with anyio.fail_after(8):
                assert (await other.ok("search_files", pattern="To do"))["matches"]
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"path": "toy/a.py", "offset": "x"}, "argument 'offset'"),
        ({"path": "toy/a.py", "offset": -1}, "argument 'offset'"),
        ({"path": "toy/a.py", "limit": 0}, "argument 'limit'"),
        ({"path": ["toy/a.py"]}, "argument 'path'"),
        ({}, "argument 'path' is missing"),
        ({"path": "toy/a.py", "ofset": 1}, "no argument 'ofset'"),
    ],
)
async def test_a_wrong_argument_is_named_with_what_was_expected(
    shared_toy: Toy, arguments: dict[str, object], expected: str
) -> None:
    async with shared_toy.http() as session:
        await session.start()
        text = await session.error("read_file", **arguments)
        assert expected in text
        assert "pydantic" not in text


async def test_numbers_and_lists_may_be_text_but_content_is_never_read_as_anything_else(
    shared_toy: Toy,
) -> None:
    async with shared_toy.http() as session:
        await session.start()
        assert (await session.ok("read_file", path="toy/a.py", offset="5", limit="2"))["text"] == " d"
        for content in ("[1, 2]", "true", "5", "null", '{"a": 1}'):
            await session.ok("write_file", path="toy/a.py", content=content)
            assert (await session.ok("read_file", path="toy/a.py"))["text"] == content
        for other in ([1], 5, True, None, {"a": 1}):
            assert "argument 'content'" in await session.error("write_file", path="toy/a.py", content=other)


async def test_a_crash_tells_the_agent_nothing(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        episode_id = await session.start()
        root = shared_toy.store / "episodes" / episode_id / "files"
        root.rename(root.with_name("gone"))
        await session.error("write_file", path="toy/a.py", content="x")
        assert await session.error("write_file", path="b", content="x") == "Error executing tool write_file"
    assert "gone" not in shared_toy.stderr
