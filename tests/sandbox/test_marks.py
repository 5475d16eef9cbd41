"""Marks: what one sandbox could leave for the next in the files that both can read."""

import json
import os
from pathlib import Path

import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import Command
from kaiju_sandbox.warmth import Warmth

COUNT_COLD_PAGES = """
import json, mmap, os, resource
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_majflt
cold = {}
for top in ("/usr", "/kaiju", "/etc"):
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.islink(path) or os.path.getsize(path) == 0:
                continue
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pages:
                pages.madvise(mmap.MADV_RANDOM)
                before = faults()
                for place in range(0, len(pages), mmap.PAGESIZE):
                    pages[place]
                if faults() > before:
                    cold[path] = faults() - before
print(json.dumps(cold))
"""
ASK_THE_CACHE = """
import ctypes, json, mmap, os
library = ctypes.CDLL(None, use_errno=True)
file = os.open("/usr/bin/env", os.O_RDONLY)
pages = mmap.mmap(-1, mmap.PAGESIZE)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(pages)))
def refused(call):
    try:
        return call() != 0
    except OSError:
        return True
vector = ctypes.create_string_buffer(1)
MADV_PAGEOUT = 21
print(json.dumps({
    "RWF_NOWAIT": refused(lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT) - 1),
    "fadvise": refused(lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)),
    "mincore": refused(lambda: library.mincore(address, mmap.PAGESIZE, vector)),
    "pageout": refused(lambda: library.madvise(address, mmap.PAGESIZE, MADV_PAGEOUT)),
    "an ordinary read": refused(lambda: os.preadv(file, [bytearray(1)], 0, 0) - 1),
    "ordinary advice": refused(lambda: library.madvise(address, mmap.PAGESIZE, mmap.MADV_DONTNEED)),
}))
"""


@pytest.fixture
def namespace(box: Box) -> Box:
    """A container's image has its own pages, which nobody keeps in memory yet."""
    if box.backend.name != "namespace":
        pytest.skip("only the namespace backend keeps shared files in memory")
    return box


def test_every_page_that_a_python_sandbox_can_read_is_in_memory_already(namespace: Box) -> None:
    result = namespace.python(COUNT_COLD_PAGES)

    assert json.loads(result.stdout) == {}, result.stderr


def test_a_python_sandbox_sees_none_of_the_hosts_usr(namespace: Box) -> None:
    result = namespace.shell("ls /usr /usr/share; ls /usr/bin | wc -l")

    *folders, programs = result.stdout.decode().split()
    assert {"include", "local", "src", "doc", "man"}.isdisjoint(folders)
    assert 20 < int(programs) < 130


def test_other_systems_see_the_hosts_programs(namespace: Box) -> None:
    asked = Command(("/bin/ls", "/usr/bin"), system="go")

    result = namespace.run(*asked.argv, system=asked.system)

    assert set(os.listdir("/usr/bin")) == set(result.stdout.decode().split("\n")) - {""}  # noqa: PTH208


def test_a_sandbox_can_neither_ask_what_is_in_memory_nor_drop_it(namespace: Box) -> None:
    answers = json.loads(namespace.python(ASK_THE_CACHE).stdout)

    ordinary = {name: answers.pop(name) for name in ("an ordinary read", "ordinary advice")}
    assert all(answers.values()), answers
    assert not any(ordinary.values()), ordinary


def test_what_was_dropped_from_memory_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "shared"
    path.parent.mkdir()
    path.write_bytes(os.urandom(64 * 4096))
    drop(path)
    if in_memory(path):
        pytest.skip("this file system lives in memory")
    warmth = Warmth()

    warmth.keep([path.parent])

    assert in_memory(path)
    drop(path)
    warmth.keep([path.parent])
    assert not in_memory(path)  # it was read a moment ago: that is believed for a while


def drop(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def in_memory(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            return os.preadv(file.fileno(), [bytearray(path.stat().st_size)], 0, os.RWF_NOWAIT) > 0
        except BlockingIOError:
            return False
