"""The first process of a container: it starts the command, measures it, ends the whole tree and tells.

Kaiju does not import this file. Its text runs inside the container after `python3 -I -S -c`, on the image's
own Python (3.9 or newer), with only the standard library. It shares a user with the command, so it makes
itself unreadable (not dumpable). The outside holds every hard limit, and believes this process about the
command's end only.

Protocol, over named pipes in FOLDER whose names are gone before the command starts:
    control                        out: JSON objects, one a line: ready, samples, the end
    orders                         in: `go`, perhaps `end`; end of file (the server died) is `end`, too
    stdout, stderr, report, keep   out: bytes
    order.json, stdin              regular files: what to run, its input
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import resource
import select
import signal
import stat
import sys
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

FOLDER = "/kaiju/channel"
PERIOD = 0.1
"""Seconds between two samples."""
PR_SET_DUMPABLE = 4
CHARGED = "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory.current"
PEAK = "/sys/fs/cgroup/memory/memory.max_usage_in_bytes", "/sys/fs/cgroup/memory.peak"
"""Files of the two versions of control groups."""
RESET = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python treats specially; the command gets them as the system has them."""
LONGEST_PATH = 4095
"""Bytes."""
VICTIM = b"1000"
"""The command's score for the kernel's out-of-memory killer: it goes first, not this process."""


def outlet(name: str) -> int:
    """The writing end of one named pipe. Fails at once when nobody reads it."""
    descriptor = os.open(f"{FOLDER}/{name}", os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def number(*paths: str, key: str = "") -> int:
    """A counter of the control group: the first file that exists, its value or the value behind `key`."""
    for path in paths:
        with contextlib.suppress(OSError, ValueError):
            for line in text(path).splitlines():
                name, _, value = line.rpartition(" ")
                if name == key:
                    return int(value)
    return 0


def text(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to load
        return file.read()


class Usage:
    """What the control group and the scratch space say, since the command started."""

    def __init__(self, scratch: list[str]) -> None:
        self.scratch = scratch
        self.files = 0
        self.full: list[str] = []
        self.memory = 0
        self.files_before = self.nodes()
        self.memory_before = self.resident()
        self.charged_before = number(*CHARGED)
        self.cpu_before = self.processor()

    def processor(self) -> float:
        nanoseconds = number("/sys/fs/cgroup/cpuacct/cpuacct.usage")
        return nanoseconds / 1e9 or number("/sys/fs/cgroup/cpu.stat", key="usage_usec") / 1e6

    def resident(self) -> int:
        old, new = "/sys/fs/cgroup/memory/memory.stat", "/sys/fs/cgroup/memory.stat"
        shared = number(old, key="total_shmem") or number(new, key="shmem")
        return shared + (number(old, key="total_rss") or number(new, key="anon"))

    def peak(self) -> int:
        """Bytes: the highest sample, or what one process held at most.

        A command that a sample never met and that stayed smaller than this process (whose size a new process
        has for a moment) is known by the control group's own peak, which counts file caches, too.
        """
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        if largest > own:
            return max(self.memory, largest)
        return max(self.memory, min(own, max(0, number(*PEAK) - self.charged_before)))

    def nodes(self) -> int:
        """Files and folders in all scratch space; notes which of it is full."""
        files = 0
        for target in self.scratch:
            space = os.statvfs(target)
            files += space.f_files - space.f_ffree
            if space.f_bavail == 0 and target not in self.full:
                self.full.append(target)
        return files

    def sample(self) -> dict[str, Any]:
        self.memory = max(self.memory, self.resident() - self.memory_before)
        self.files = max(self.files, self.nodes() - self.files_before)
        events = "/sys/fs/cgroup/pids/pids.events", "/sys/fs/cgroup/pids.events"
        return {
            "cpu": self.processor() - self.cpu_before,
            "memory": self.memory,
            "files": self.files,
            "full": self.full,
            "refused": number(*events, key="max"),
            "oom": number("/sys/fs/cgroup/memory/memory.oom_control", key="oom_kill")
            or number("/sys/fs/cgroup/memory.events", key="oom_kill"),
        }


class Init:
    """One command from its order to its end."""

    def __init__(self) -> None:
        self.control = outlet("control")
        # Without a writer, reading answers end of file at once: a server that died early is noticed too.
        self.orders = os.open(f"{FOLDER}/orders", os.O_RDONLY | os.O_NONBLOCK)
        self.order: dict[str, Any] = json.loads(text(f"{FOLDER}/order.json"))
        self.outputs = {name: outlet(name) for name in self.order["outputs"]}
        self.stdin = os.open(f"{FOLDER}/stdin" if self.order["stdin"] else "/dev/null", os.O_RDONLY)
        self.score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        self.wakeup, alarm = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        self.poll = select.poll()
        self.poll.register(self.orders, select.POLLIN)
        self.poll.register(self.wakeup, select.POLLIN)

    def tell(self, **message: Any) -> None:  # noqa: ANN401 - any JSON
        with contextlib.suppress(BrokenPipeError):
            os.write(self.control, json.dumps(message).encode() + b"\n")

    def ordered(self, seconds: float | None) -> bytes | None:
        """The next order: b"" when the server is gone, None when a child ended or the time passed."""
        for descriptor, _ in self.poll.poll(None if seconds is None else seconds * 1000):
            if descriptor == self.orders:
                return os.read(self.orders, 100)
            with contextlib.suppress(BlockingIOError):
                os.read(self.wakeup, 4096)
        return None

    def start(self) -> int:
        """The command's process id. Raises OSError when the system refuses to start it."""
        environment = dict(self.order["env"])
        given = [self.stdin, self.outputs["stdout"], self.outputs["stderr"]]
        if "report" in self.outputs:
            # One digit: that is all a POSIX shell can name.
            environment[self.order["report_variable"]] = str(len(given))
            given.append(self.outputs["report"])
        # `control` was opened first, so that no place is one of these descriptors.
        actions = [(os.POSIX_SPAWN_DUP2, descriptor, place) for place, descriptor in enumerate(given)]
        argv = self.order["argv"]
        os.pwrite(self.score, VICTIM, 0)
        try:
            os.chdir(self.order["cwd"])
            return os.posix_spawn(
                argv[0], argv, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=RESET
            )
        except OSError as error:
            # May be the doing of what is under test, so it is for the command's reader.
            reason = f"{error.filename or argv[0]}: {error.strerror}\n"
            os.write(self.outputs["stderr"], reason.encode(errors="replace"))
            raise
        finally:
            os.pwrite(self.score, b"0", 0)
            # Only the command and its children hold them now.
            for descriptor in given:
                os.close(descriptor)

    def follow(self, command: int, usage: Usage) -> int | None:
        """The wait status of the command, None when it was ended from outside."""
        due = time.monotonic() + PERIOD
        while True:
            order = self.ordered(max(0.0, due - time.monotonic()))
            for process, status in reap(os.WNOHANG):
                if process == command:
                    return status
            if order is not None:
                return None
            if time.monotonic() >= due:
                self.tell(**usage.sample())
                due = time.monotonic() + PERIOD

    def run(self) -> None:
        self.tell(ready=True)
        if self.ordered(None) != b"go\n":
            return
        usage = Usage(self.order["scratch"])
        try:
            command = self.start()
        except OSError as error:
            self.tell(unstarted=errno.errorcode.get(error.errno or 0, "EIO"))
            return
        status = self.follow(command, usage)
        with contextlib.suppress(ProcessLookupError):
            # Everything that this process can see, but not itself.
            os.kill(-1, signal.SIGKILL)
        for process, ended in reap(0):
            status = ended if process == command and status is None else status
        end = {**usage.sample(), "memory": usage.peak(), **ending(status)}
        self.tell(**end)
        if self.order["keep"]:
            with os.fdopen(self.outputs["keep"], "wb") as pipe, contextlib.suppress(BrokenPipeError):
                self.tell(**end, kept=pack(self.order["keep"], pipe, self.order["keep_most"]))


def reap(options: int) -> Iterator[tuple[int, int]]:
    """Every child that ended (or, with 0, will end): its id and wait status."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, options)
            if not process:
                return
            yield process, status


def ending(status: int | None) -> dict[str, int | None]:
    """Exit code and signal; both None when the command was ended from outside and is not ours to judge."""
    if status is None:
        return {"exit": None, "signal": None}
    if os.WIFSIGNALED(status):
        return {"exit": None, "signal": os.WTERMSIG(status)}
    return {"exit": os.WEXITSTATUS(status), "signal": None}


def pack(root: str, pipe: BinaryIO, most: int) -> int:
    """The regular files and folders below `root` as a tar. Nothing runs any more, so no path changes.

    The answer is the bytes in all files, or, when it is more than `most`, in those up to there.
    """
    import tarfile  # here, because it is slow to load and most commands keep nothing

    size = 0
    try:
        descend(root)
    except OSError:  # absent, a link, no folder
        return size
    with tarfile.open(fileobj=pipe, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for path, entry in walk():
            status = entry.stat(follow_symlinks=False)
            member = tarfile.TarInfo(path)
            member.mtime = int(status.st_mtime)
            if stat.S_ISDIR(status.st_mode):
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(member)
                continue
            member.size = status.st_size
            member.mode = 0o755 if status.st_mode & 0o111 else 0o644
            size += member.size
            if size > most:
                break
            os.chmod(entry.name, 0o600)  # noqa: PTH101 - its owner may have taken its own right to read
            with open(entry.name, "rb") as content:  # noqa: PTH123 - pathlib is slow to load
                archive.addfile(member, content)
    return size


def descend(path: str) -> None:
    """Make `path` the working directory; follows no link. Its owner may have shut itself out on the way."""
    os.chdir("/")
    for part in path.strip("/").split("/"):
        if not stat.S_ISDIR(os.lstat(part).st_mode):
            raise NotADirectoryError(part)
        unlock(part)
        os.chdir(part)


def unlock(folder: str) -> None:
    with contextlib.suppress(OSError):  # a folder of the system
        os.chmod(folder, 0o700)  # noqa: PTH101 - pathlib is slow to load


def walk() -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Regular files and folders below the working directory, each seen from its own folder.

    Steps with chdir, so that depth, which is the command's choice, cannot break it. A path too long for the
    kernel is left out.
    """
    stack = [(listing(), "")]
    while stack:
        entries, prefix = stack[-1]
        if not entries:
            stack.pop()
            os.chdir("..")
            continue
        entry = entries.pop()
        path = prefix + entry.name
        if len(os.fsencode(path)) > LONGEST_PATH:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield path, entry
            unlock(entry.name)
            os.chdir(entry.name)
            stack.append((listing(), path + "/"))
        elif entry.is_file(follow_symlinks=False):
            yield path, entry


def listing() -> list[os.DirEntry[str]]:
    """Last name first."""
    with os.scandir(".") as entries:
        return sorted(entries, key=lambda entry: entry.name, reverse=True)


if __name__ == "__main__":
    os.umask(0o022)
    Init().run()
    sys.exit(0)
