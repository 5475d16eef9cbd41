"""What a command finds, where it may write, and what is kept of it."""

import hashlib
import io
import os
import tarfile
from pathlib import Path

import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import File, Layer, Scratch, Tree
from kaiju_sandbox.limits import MIB, LimitName, Limits


def members(kept: bytes | None) -> dict[str, bytes | None]:
    """None for a folder."""
    assert kept is not None
    with tarfile.open(fileobj=io.BytesIO(kept)) as archive:
        found: dict[str, bytes | None] = {}
        for member in archive:
            assert member.isfile() or member.isdir(), member
            content = archive.extractfile(member)
            found[member.name] = content.read() if content else None
        return found


def test_a_tree_arrives_with_content_and_modes(box: Box) -> None:
    tree = Tree(
        "/work", {"a/b/c.txt": File(b"one\r\n\x00"), "run": File(b"#!/bin/sh\necho ran\n", executable=True)}
    )
    result = box.shell(
        "cat /work/a/b/c.txt; /work/run; test -x /work/a/b/c.txt || echo plain", inputs=(tree,)
    )
    assert result.stdout == b"one\r\n\x00ran\nplain\n"


@pytest.mark.parametrize("size", [95_000, 200_000, 5_000_000])
def test_a_file_of_any_size_arrives_byte_for_byte(box: Box, size: int) -> None:
    data = os.urandom(size)
    result = box.run("/usr/bin/sha256sum", "/work/f", inputs=(Tree("/work", {"f": File(data)}),))
    assert result.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()


def test_names_of_any_script_and_length_arrive(box: Box) -> None:
    names = ["\u00e9t\u00e9.txt", "n" * 255, "with space and 'quote'", "-rf"]
    result = box.shell("cat /work/*", inputs=(Tree("/work", {name: File(b"x") for name in names}),))
    assert result.stdout == b"xxxx"


def test_a_tree_and_its_folders_have_one_recent_time(box: Box) -> None:
    tree = Tree("/work", {"a/b.txt": File(b""), "c.txt": File(b"")})
    result = box.shell(
        "stat -c %.9Y /work /work/a /work/a/b.txt /work/c.txt | sort -u; date +%s", inputs=(tree,)
    )
    staged, now = map(float, result.stdout.split())
    assert -1 < now - staged < 60


def test_a_tree_cannot_be_changed(box: Box) -> None:
    script = "touch /work/new; echo x >/work/f; rm /work/f; chmod 777 /work/f; mv /work /tmp/w; cat /work/f"
    result = box.shell(script, inputs=(Tree("/work", {"f": File(b"same")}),))
    assert result.stdout == b"same"
    assert result.stderr.count(b"Read-only file system") + result.stderr.count(b"busy") >= 4


def test_very_deep_folders_can_be_staged_and_are_removed(box: Box) -> None:
    deep = "d/" * 1500 + "f"
    result = box.python(
        "import os\nfor _ in range(1500): os.chdir('d')\nprint(open('f').read())",
        cwd="/work",
        inputs=(Tree("/work", {deep: File(b"bottom")}),),
    )
    assert result.stdout == b"bottom\n"
    assert list(box.settings.staging_dir.iterdir()) == []


def test_a_layer_is_shared_and_read_only(box: Box, state_dir: Path) -> None:
    folder = state_dir / "shared"
    folder.mkdir(exist_ok=True)
    (folder / "f").write_text("layer")
    layer = Layer("/kaiju/env/thing", folder)
    result = box.shell("cat /kaiju/env/thing/f; echo x >/kaiju/env/thing/f", inputs=(layer,))
    assert result.stdout == b"layer"
    assert b"Read-only" in result.stderr
    assert (folder / "f").read_text() == "layer"


def test_scratch_is_empty_writable_and_of_its_own_size(box: Box) -> None:
    script = "ls -A /build; dd if=/dev/zero of=/build/f bs=1M count=20 2>/dev/null; stat -c %s /build/f"
    result = box.shell(script, scratch=(Scratch("/build", 8 * MIB),))
    assert int(result.stdout.split()[0]) <= 8 * MIB
    assert int(result.stdout.split()[0]) > 7 * MIB


def test_a_tree_can_lie_inside_scratch(box: Box) -> None:
    tree = Tree("/build/src", {"f": File(b"x")})
    result = box.shell(
        "echo new >/build/out; cat /build/src/f /build/out", inputs=(tree,), scratch=(Scratch("/build", MIB),)
    )
    assert result.stdout == b"xnew\n"


def test_nothing_of_one_run_is_there_in_the_next(box: Box) -> None:
    assert box.shell("echo left >/tmp/left; echo left >/dev/shm/left").ok
    assert box.shell("ls -A /tmp /dev/shm").stdout == b"/dev/shm:\n\n/tmp:\n"


def test_kept_files_and_folders_come_back(box: Box) -> None:
    script = """
mkdir -p /build/out/empty /build/out/a
printf one >/build/out/a/f; printf two >/build/out/g; printf no >/build/h
"""
    result = box.shell(script, scratch=(Scratch("/build", MIB),), keep="/build/out")
    assert members(result.kept) == {"a": None, "a/f": b"one", "empty": None, "g": b"two"}


def test_nothing_is_kept_where_nothing_is(box: Box) -> None:
    assert box.run("/bin/true", keep="/tmp/none").kept is None
    assert box.run("/bin/true").kept is None


def test_what_is_kept_is_regular_files_and_folders_only(box: Box) -> None:
    program = """
import os, socket
os.makedirs("/tmp/out/sub")
os.chdir("/tmp/out")
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "linked")
os.symlink("sub", "inner")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
open("sub/real", "w").write("yes")
open("locked", "w").write("mine")
os.chmod("locked", 0)
os.chmod("sub", 0)
"""
    result = box.python(program, keep="/tmp/out")
    assert result.ok
    assert members(result.kept) == {"locked": b"mine", "sub": None, "sub/real": b"yes"}


@pytest.mark.parametrize(
    "trick", ["ln -s /etc /tmp/out", "mkdir /tmp/x; ln -s x /tmp/out", "mkfifo /tmp/out"]
)
def test_a_kept_folder_that_is_none_is_absent(box: Box, trick: str) -> None:
    result = box.shell(trick, keep="/tmp/out")
    assert result.exit_code == 0
    assert result.kept is None


def test_a_link_above_the_kept_folder_is_not_followed(box: Box) -> None:
    assert box.shell("mkdir -p /tmp/real/out; ln -s real /tmp/way", keep="/tmp/way/out").kept is None


def test_a_survivor_cannot_change_what_is_kept(box: Box) -> None:
    script = """
mkdir /tmp/out; printf first >/tmp/out/f
(trap '' TERM HUP; while :; do printf later >>/tmp/out/f; done) >/dev/null 2>&1 &
sleep 0.3
"""
    result = box.shell(script, keep="/tmp/out")
    content = members(result.kept)["f"]
    assert content is not None
    assert content.startswith(b"firstlater")


def test_keeping_too_much_is_a_limit_and_keeps_nothing(box: Box) -> None:
    script = "mkdir /tmp/out; head -c 3000000 /dev/zero >/tmp/out/f"
    result = box.shell(script, keep="/tmp/out", limits=Limits(keep=MIB))
    assert result.exit_code == 0
    assert result.kept is None
    assert result.limit is not None
    assert (result.limit.name, result.limit.setting) == (LimitName.KEEP, MIB)
    assert result.limit.measured > MIB


def test_a_sparse_file_of_a_tebibyte_is_too_much_to_keep(box: Box) -> None:
    limits = Limits(file_size=2**50)
    result = box.shell("mkdir /tmp/out; truncate -s 1T /tmp/out/f", keep="/tmp/out", limits=limits)
    assert result.kept is None
    assert result.limit is not None
    assert result.limit.name is LimitName.KEEP


def test_a_very_deep_kept_folder_does_no_harm(box: Box) -> None:
    program = """
import os
os.mkdir("/tmp/out"); os.chdir("/tmp/out")
open("top", "w").write("here")
for _ in range(3000):
    os.mkdir("d"); os.chdir("d")
"""
    result = box.python(program, keep="/tmp/out")
    assert result.ok
    assert members(result.kept)["top"] == b"here"
