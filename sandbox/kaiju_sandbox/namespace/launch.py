"""Launching bubblewrap: descriptors in fixed places, nothing else inherited, a gate before the command.

Inside the sandbox a shell first writes one line to the gate and waits for the answer. Its line comes with
its process id as the kernel saw it, so the outside takes hold of the sandbox (process descriptors, scratch
folders) before the first instruction of the command. A sandbox that never reaches the gate is our fault,
one that went through it is the command's.
"""

import errno
import fcntl
import os
import signal
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio

from kaiju_sandbox.command import REPORT_VARIABLE, Command
from kaiju_sandbox.limits import Limits

PIPE_SIZE = 65536
"""Bytes that any pipe holds."""
GATE, ARGUMENTS, FILTER, REPORT = 3, 4, 5, 6
"""Descriptors after stdin, stdout and stderr. One digit each: that is all a POSIX shell can name."""
SPARE_PROCESSES = 2
"""Bubblewrap's own first process, and one more so that going over the limit can be seen."""
OPEN_FILES = 4096
SCRIPT = (
    "umask 022; echo 500 2>/dev/null >/proc/self/oom_score_adj; "
    f"echo >&{GATE}; read -r go <&{GATE} || exit 125; exec {GATE}>&-; "
    'cd -- "$1" || exit 127; shift; exec "$@"'
)
"""The score makes the kernel choose a sandbox before the server when the machine runs out of memory."""
CREDENTIALS = struct.Struct("3i")
DEFAULT_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
"""A server started by nohup, or in the background of a script, ignores some; its sandboxes do not."""


class Gate:
    """A socket on which the sandbox announces itself and waits."""

    def __init__(self) -> None:
        self.outside, self.inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.outside.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.outside.setblocking(False)

    async def arrival(self) -> int | None:
        """The process id, as seen from here, of the waiting shell; None when the sandbox ended before."""
        await anyio.wait_readable(self.outside)
        try:
            data, ancillary, _, _ = self.outside.recvmsg(16, socket.CMSG_SPACE(CREDENTIALS.size))
        except ConnectionError:
            return None
        for level, kind, content in ancillary:
            if data and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                return int(CREDENTIALS.unpack(content[: CREDENTIALS.size])[0])
        return None

    def open(self) -> None:
        with suppress(OSError):  # it was killed while it waited
            self.outside.send(b"go\n")

    def shut(self) -> None:
        """Whoever waits, or comes later, turns back."""
        with suppress(OSError):  # nobody is there any more
            self.outside.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.outside.close()
        self.inside.close()


def inner_command(command: Command, limits: Limits) -> list[str]:
    """The shell at the gate, the exact environment, per-process limits, then the command itself.

    The limit on processes is set inside: there it counts this sandbox alone, whoever owns it.
    """
    processes = limits.processes + SPARE_PROCESSES
    seconds = int(limits.cpu) + 2
    variables = dict(command.env)
    if command.report:
        variables[REPORT_VARIABLE] = str(REPORT)
    return [
        *("/bin/sh", "-c", SCRIPT, "sh", command.cwd),
        *("/usr/bin/env", "-i", "--", *(f"{name}={value}" for name, value in variables.items())),
        "/usr/bin/prlimit",
        f"--nproc={processes}:{processes}",
        f"--fsize={limits.file_size}:{limits.file_size}",
        f"--cpu={seconds}:{seconds + 1}",
        f"--nofile={OPEN_FILES}:{OPEN_FILES}",
        "--core=0:0",
        "--",
        *command.argv,
    ]


def drop_to(uid: int | None) -> list[str]:
    """Bubblewrap is never started as root: kernel uid 0 inside is root outside."""
    if uid is None:
        return []
    return [
        "/usr/bin/setpriv",
        f"--reuid={uid}",
        f"--regid={uid}",
        "--clear-groups",
        "--bounding-set=-all",
        "--",
    ]


def filled_pipe(content: bytes) -> int:
    """The end of a pipe that holds `content`; nobody writes to it.

    What was read is gone for every process of the sandbox. Raises OSError without such a pipe.
    """
    reader, writer = os.pipe2(os.O_CLOEXEC)
    try:
        if len(content) > PIPE_SIZE:
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, len(content))
        os.set_blocking(writer, False)
        if os.write(writer, content) != len(content):
            raise OSError("the pipe is smaller than was asked for")
    except OSError:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    return reader


def memory_file(content: bytes) -> int:
    """A read-only, sealed file in memory, at its start."""
    descriptor = os.memfd_create("kaiju", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(descriptor, "wb", buffering=0, closefd=False) as file:
        view = memoryview(content)
        while view:
            view = view[file.write(view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(
        descriptor,
        fcntl.F_ADD_SEALS,
        fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL,
    )
    return descriptor


def spawn(argv: list[str], descriptors: Mapping[int, int]) -> int:
    """Start `argv[0]` with an empty environment; `descriptors` maps its numbers to ours.

    Must be called on a thread that lives as long as the sandbox: bubblewrap dies with that thread. Not
    `subprocess`: descriptors need fixed numbers. Raises ValueError when the arguments are too long, OSError
    when the host has no process or memory left.
    """
    first_free = max(descriptors) + 1
    copies = {
        place: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, first_free)
        for place, descriptor in descriptors.items()
    }
    try:
        return os.posix_spawn(
            argv[0],
            argv,
            {},
            file_actions=[
                *((os.POSIX_SPAWN_DUP2, copy, place) for place, copy in copies.items()),
                *((os.POSIX_SPAWN_CLOSE, stray) for stray in strays(copies)),
            ],
            setpgroup=0,
            setsigmask=[],
            setsigdef=DEFAULT_SIGNALS,
        )
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise ValueError(f"argv: {len(argv)} arguments are more than a program can take") from error
    finally:
        for copy in copies.values():
            os.close(copy)


def strays(places: Mapping[int, int]) -> list[int]:
    """Descriptors that this process was itself started with and that a child would inherit."""
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208 - names only
    found = []
    for number in numbers:
        with suppress(OSError):  # the descriptor of the listing itself
            if number not in places and os.get_inheritable(number):
                found.append(number)
    return found


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
