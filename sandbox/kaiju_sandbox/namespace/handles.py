"""Handles: a hold on one sandbox's processes that no reuse of a process id can mislead."""

import fcntl
import os
import select
import signal
import struct
from collections.abc import Mapping
from contextlib import suppress

import anyio

from kaiju_sandbox.namespace.launch import parent_of
from kaiju_sandbox.namespace.process_tree import ProcessTree
from kaiju_sandbox.namespace.scratch import ScratchFolders

GET_INFORMATION = 0xC040FF0B
"""PIDFD_GET_INFO, _IOWR(0xFF, 11, 64 bytes)."""
WANT_EXIT = 1 << 3
INFORMATION = struct.Struct("QQ11Ii")
"""struct pidfd_info: mask, control group, ids, and the status as wait(2) would give it."""
INFORMATION_BYTES = 64


class Handles:
    """Taken while the sandbox waits at the gate."""

    def __init__(self, pid: int, sizes: Mapping[str, int]) -> None:
        """Raises OSError when the sandbox is already gone."""
        self._open: list[int] = []
        self._init_pid = parent_of(pid)
        try:
            self._main = self._hold(pid)
            self._init = self._hold(self._init_pid)
            self.tree = ProcessTree(pid)
            self._open.append(self.tree.descriptor)
            self.scratch = ScratchFolders(pid, sizes)
        except OSError:
            self._close_all()
            raise

    def kill(self) -> None:
        """End every process of the sandbox: they die with the first one."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init, signal.SIGKILL)

    async def command_ended(self) -> None:
        await anyio.wait_readable(self._main)

    def has_ended(self) -> bool:
        """Whether the command has ended by now; waits for nothing."""
        poll = select.poll()
        poll.register(self._main, select.POLLIN)
        return bool(poll.poll(0))

    async def all_ended(self) -> None:
        """The kernel lets the first process of a namespace end only after all others."""
        await anyio.wait_readable(self._init)
        with suppress(ChildProcessError):  # it is ours only where this process adopts orphans
            os.waitpid(self._init_pid, os.WNOHANG)  # noqa: ASYNC222 - does not wait

    def wait_status(self) -> int | None:
        """How the command ended, from the kernel itself; None where it cannot tell (before Linux 6.15).

        Bubblewrap turns a signal into 128 + n, which a program may also return.
        """
        buffer = bytearray(INFORMATION_BYTES)
        struct.pack_into("Q", buffer, 0, WANT_EXIT)
        try:
            fcntl.ioctl(self._main, GET_INFORMATION, buffer)
        except OSError:
            return None
        values = INFORMATION.unpack_from(buffer)
        return int(values[-1]) if values[0] & WANT_EXIT else None

    def close(self) -> None:
        self.scratch.close()
        self._close_all()

    def _hold(self, pid: int) -> int:
        descriptor = os.pidfd_open(pid)
        self._open.append(descriptor)
        return descriptor

    def _close_all(self) -> None:
        for descriptor in self._open:
            os.close(descriptor)
        self._open = []
