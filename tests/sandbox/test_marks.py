"""Marks: what one sandbox could leave for the next in the files that both can read."""

import ctypes
import errno
import json
import mmap
import os
from io import FileIO
from pathlib import Path

import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import Command
from kaiju_sandbox.warmth import Warmth

FLAGS_OF_PAGES, GENERATIONS = Path("/proc/kpageflags"), Path("/sys/kernel/mm/lru_gen/enabled")
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
READ_PROC = """
import json, os
found = {}
for folder, folders, names in os.walk("/proc"):
    # Processes, and what leads to them: their own.
    folders[:] = [name for name in folders if not name.isdigit() and name not in {"self", "thread-self"}]
    for name in names:
        path = os.path.join(folder, name)
        try:
            if not os.path.islink(path) and name not in {"kmsg", "kcore"}:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, "/proc")] = file.read(200_000).decode("latin-1")
        except OSError:
            pass
print(json.dumps({"files": found, "processes": os.cpu_count()}))
"""
OF_THE_SANDBOX_ALONE = {"sys/kernel/random/uuid", "sys/kernel/ns_last_pid", "cpuinfo"}
"""Drawn anew, counted in its own process numbers, or what the processor does this moment."""
ASK = """
import ctypes, json, mmap, os, socket
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
MADV_PAGEOUT, MADV_HUGEPAGE, MADV_COLLAPSE = 21, 14, 25
internet = socket.socket()
local, _ = socket.socketpair()
SO_COOKIE, SO_NETNS_COOKIE, SO_PASSPIDFD, SO_PEERPIDFD = 57, 71, 76, 77
print(json.dumps({
    "RWF_NOWAIT": refused(lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT) - 1),
    "fadvise": refused(lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)),
    "mincore": refused(lambda: library.mincore(address, mmap.PAGESIZE, vector)),
    "pageout": refused(lambda: library.madvise(address, mmap.PAGESIZE, MADV_PAGEOUT)),
    "huge pages": refused(lambda: library.madvise(address, mmap.PAGESIZE, MADV_HUGEPAGE)),
    "collapse": refused(lambda: library.madvise(address, mmap.PAGESIZE, MADV_COLLAPSE)),
    "cookie": refused(lambda: internet.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8) and 0),
    "network's cookie": refused(lambda: internet.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8) and 0),
    "process of a peer": refused(lambda: local.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD, 4) and 0),
    "processes of messages": refused(lambda: local.setsockopt(1, SO_PASSPIDFD, 1) or 0),
    "handle": refused(lambda: os.pidfd_open(os.getpid()) and 0),
    "an ordinary option": refused(lambda: internet.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)),
    "an ordinary setting": refused(lambda: internet.setsockopt(1, socket.SO_REUSEADDR, 1) or 0),
    "an ordinary read": refused(lambda: os.preadv(file, [bytearray(1)], 0, 0) - 1),
    "ordinary advice": refused(lambda: library.madvise(address, mmap.PAGESIZE, mmap.MADV_DONTNEED)),
}))
"""
HONEST = """
import asyncio, multiprocessing, os, socket, time
async def main():
    async def answer(reader, writer):
        writer.write(b"hello")
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    print((await reader.read()).decode())
    writer.close()
    child = await asyncio.create_subprocess_exec("/bin/echo", "child", stdout=asyncio.subprocess.PIPE)
    print((await child.communicate())[0].decode())
asyncio.run(main())
def square(number):
    return number * number
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(square, [1, 2]))
with open("/proc/meminfo") as file:
    memory = {line.split(":")[0]: int(line.split()[1]) for line in file}
with open("/proc/stat") as file:
    began = next(int(line.split()[1]) for line in file if line.startswith("btime "))
with open("/proc/uptime") as file:
    up = float(file.read().split()[0])
print(0 < memory["MemAvailable"] <= memory["MemTotal"] and 0 < began < time.time() and up > 0
      and min(os.getloadavg()) >= 0 and os.cpu_count() > 0 and os.sysconf("SC_PHYS_PAGES") > 0)
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


def test_a_sandbox_can_neither_ask_what_is_in_memory_nor_drop_it_nor_count_for_the_machine(box: Box) -> None:
    answers = json.loads(box.python(ASK).stdout)

    ordinary = {name: answers.pop(name) for name in sorted(answers) if "ordinary" in name}
    assert len(ordinary) == 4
    assert all(answers.values()), answers
    assert not any(ordinary.values()), ordinary


def test_honest_programs_notice_nothing_of_that(box: Box) -> None:
    result = box.python(HONEST)

    assert result.stdout.decode().split() == ["hello", "child", "[1,", "4]", "True"], result.stderr.decode()


def test_counters_of_the_machine_stand_still(namespace: Box) -> None:
    first = json.loads(namespace.python(READ_PROC).stdout)
    namespace.shell("for n in 1 2 3 4 5 6 7 8; do ls /usr/bin >/dev/null; done")

    second = json.loads(namespace.python(READ_PROC).stdout)

    assert first["processes"] > 0
    moved = {name for name, text in first["files"].items() if second["files"][name] != text}
    assert moved <= OF_THE_SANDBOX_ALONE
    assert {"stat", "vmstat", "meminfo", "sys/fs/file-nr"} <= first["files"].keys()


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


def test_no_page_is_left_for_a_sandbox_to_use_for_the_second_time(tmp_path: Path) -> None:
    if os.geteuid() != 0 or not FLAGS_OF_PAGES.exists():
        pytest.skip("the kernel tells only root about its pages")
    if GENERATIONS.exists() and GENERATIONS.read_text().strip() != "0x0000":
        pytest.skip("this kernel sorts pages by generations")
    path = tmp_path / "shared"
    path.write_bytes(os.urandom(256 * mmap.PAGESIZE))
    drop(path)
    if in_memory(path):
        pytest.skip("this file system lives in memory")

    Warmth().keep([tmp_path])

    # The kernel moves them by the dozen: the last ones wait for more.
    assert in_use(path) > 128


def in_use(path: Path) -> int:
    """Pages of the file that the kernel has marked as active."""
    active = 6
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE) as pages,
        Path("/proc/self/pagemap").open("rb", buffering=0) as entries,
        FLAGS_OF_PAGES.open("rb", buffering=0) as flags,
    ):
        start = ctypes.addressof(ctypes.c_char.from_buffer(pages)) // mmap.PAGESIZE
        found = 0
        for number in range(len(pages) // mmap.PAGESIZE):
            pages[number * mmap.PAGESIZE]
            frame = word(entries, start + number) & (1 << 55) - 1
            found += word(flags, frame) >> active & 1
        return found


def word(file: FileIO, place: int) -> int:
    return int.from_bytes(os.pread(file.fileno(), 8, place * 8), "little")


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
        except OSError as error:
            return error.errno == errno.EOPNOTSUPP  # a tmpfs: it is always there
