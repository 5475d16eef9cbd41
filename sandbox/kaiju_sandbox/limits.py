"""Limits: what a command may use before it is stopped."""

from dataclasses import dataclass
from enum import StrEnum

MIB = 1024 * 1024


class LimitName(StrEnum):
    """The limits a result can name."""

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"
    PROCESSES = "processes"
    FILE_SIZE = "file_size"
    DISK = "disk"
    FILES = "files"
    OUTPUT = "output"
    REPORT = "report"
    KEEP = "keep"


class Enforcement(StrEnum):
    """How a backend holds a limit: the kernel does, we look from time to time, nobody does."""

    HARD = "hard"
    POLLED = "polled"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, bytes and counts for one command and all its children together."""

    wall: float = 60.0
    """Seconds of wall clock."""
    cpu: float = 120.0
    """Seconds of processor time, summed over the process tree."""
    memory: int = 1024 * MIB
    """Bytes resident, summed over the process tree, scratch space included."""
    processes: int = 128
    """Processes and threads at once."""
    file_size: int = 64 * MIB
    """Bytes in one file."""
    disk: int = 256 * MIB
    """Bytes in /tmp."""
    files: int = 20_000
    """Files and folders in all scratch space."""
    output: int = 1 * MIB
    """Bytes kept of stdout and of stderr, each. More than 16 times this much ends the command."""
    report: int = 16 * MIB
    """Bytes on the result channel; more ends the command."""
    keep: int = 64 * MIB
    """Bytes of the tar that comes back."""
