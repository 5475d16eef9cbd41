"""The processes of one sandbox, seen from outside through the sandbox's own /proc.

That /proc lists the processes of the sandbox and no others, so looking is cheap and misses nobody.
"""

import os
import re
from dataclasses import dataclass

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
INIT = "1"
"""Bubblewrap's own process: its children's time counts, it does not."""
USER, SYSTEM, CHILD_USER, CHILD_SYSTEM, THREADS, START, RESIDENT = 11, 12, 13, 14, 17, 19, 21
"""Positions in /proc/<pid>/stat, counted after the program's name."""
PROPORTIONAL = re.compile(rb"^(Pss_Anon|Pss_File|Pss_Shmem): +(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the tree uses now; `cpu` (seconds) is what it has used so far."""

    threads: int
    resident: int
    """Bytes, pages shared between processes counted once for each: an upper bound."""
    cpu: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes, every shared page counted once."""

    private: int
    shared: int
    """In memory file systems or shared mappings."""


class ProcessTree:
    """Holds the sandbox's /proc open from the gate on; who made it closes `descriptor`."""

    def __init__(self, pid: int) -> None:
        self.descriptor = os.open(f"/proc/{pid}/root/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._own_ticks: dict[tuple[str, bytes], int] = {}
        self._gone_ticks = 0
        self._cpu = 0.0

    def usage(self) -> Usage:
        threads = resident = child_ticks = 0
        own_ticks: dict[tuple[str, bytes], int] = {}
        for name in self._names():
            fields = self._stat(name)
            if fields is None:
                continue
            child_ticks += int(fields[CHILD_USER]) + int(fields[CHILD_SYSTEM])
            if name == INIT:
                continue
            own_ticks[name, fields[START]] = int(fields[USER]) + int(fields[SYSTEM])
            threads += int(fields[THREADS])
            resident += int(fields[RESIDENT]) * PAGE
        return Usage(threads, resident, self._seconds(own_ticks, child_ticks))

    def memory(self) -> Memory:
        """Slower than `usage`: the kernel walks every page table."""
        totals = {b"Pss_Anon": 0, b"Pss_File": 0, b"Pss_Shmem": 0}
        for name in self._names():
            content = self._read(f"{name}/smaps_rollup")
            for kind, kilobytes in PROPORTIONAL.findall(content or b""):
                totals[kind] += int(kilobytes) * 1024
        return Memory(totals[b"Pss_Anon"] + totals[b"Pss_File"], totals[b"Pss_Shmem"])

    def _seconds(self, own_ticks: dict[tuple[str, bytes], int], child_ticks: int) -> float:
        """A parent that ignores its children loses their time to the kernel's counters, not to ours."""
        self._gone_ticks += sum(ticks for key, ticks in self._own_ticks.items() if key not in own_ticks)
        self._own_ticks = own_ticks
        ticks = sum(own_ticks.values()) + max(child_ticks, self._gone_ticks)
        self._cpu = max(self._cpu, ticks / TICKS)
        return self._cpu

    def _names(self) -> list[str]:
        try:
            return [name for name in os.listdir(self.descriptor) if name.isdigit()]  # noqa: PTH208 - a descriptor
        except OSError:  # the sandbox is gone
            return []

    def _stat(self, name: str) -> list[bytes] | None:
        content = self._read(f"{name}/stat")
        return None if content is None else content.rpartition(b")")[2].split()

    def _read(self, name: str) -> bytes | None:
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.descriptor)
        except OSError:  # it ended meanwhile
            return None
        try:
            return os.read(descriptor, 16_384)
        except OSError:
            return None
        finally:
            os.close(descriptor)
