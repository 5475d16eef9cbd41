"""Owner labels: whose a folder or container is, so that only what the dead left is removed.

A label names the boot, the process-id namespace, the process and its start time. An owner in another
namespace of the same boot cannot be judged from here and counts as living.
"""

import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

LABEL = re.compile(r"(?P<boot>[0-9a-f]{12})-(?P<namespace>[0-9]+)-(?P<pid>[0-9]+)-(?P<start>[0-9]+)")
START_TIME = 19
"""Position of the start time in /proc/<pid>/stat, counted after the program's name."""


@dataclass(frozen=True, slots=True)
class Owner:
    """One process on one boot of one machine."""

    boot: str
    namespace: int
    pid: int
    start: int

    @classmethod
    def current(cls) -> Self:
        return cls(*_identity(os.getpid()))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The owner whose label stands in `text`; None when there is none."""
        match = LABEL.search(text)
        if match is None:
            return None
        return cls(match["boot"], int(match["namespace"]), int(match["pid"]), int(match["start"]))

    @property
    def label(self) -> str:
        return f"{self.boot}-{self.namespace}-{self.pid}-{self.start}"

    def alive(self) -> bool:
        """False only when it is certain that the owner is gone."""
        if self.boot != boot_id():
            return False
        return self.namespace != pid_namespace() or start_time(self.pid) == self.start


@cache
def _identity(pid: int) -> tuple[str, int, int, int]:
    """Of this process: every run asks for it, and it never changes."""
    return boot_id(), pid_namespace(), pid, start_time(pid) or 0


def owned_name(kind: str) -> str:
    """A fresh file name that carries the label of this process."""
    return f"{kind}-{Owner.current().label}-{secrets.token_hex(4)}"


def orphans(folder: Path, kind: str) -> Iterator[Path]:
    """Entries of `folder` made by `owned_name(kind)` in a process that is gone."""
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        owner = Owner.parse(entry.name) if entry.name.startswith(kind + "-") else None
        if owner is not None and not owner.alive():
            yield entry


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().replace("-", "")[:12]


def pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def start_time(pid: int) -> int | None:
    """Clock ticks after boot; None when there is no such process or it is a zombie."""
    try:
        content = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = content.rpartition(")")[2].split()
    return None if fields[0] in {"Z", "X"} else int(fields[START_TIME])
