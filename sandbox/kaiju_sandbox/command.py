"""A command: everything one sandbox needs to know, and nothing it keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

REPORT_VARIABLE = "KAIJU_REPORT_FD"
"""Names, inside the sandbox, the descriptor of the result channel when `Command.report` is set."""


@dataclass(frozen=True, slots=True)
class File:
    """The content of one regular file and its x-bit."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """Files staged privately for one run and read-only inside it. All mtimes are the time of staging."""

    target: str
    """Absolute path in the sandbox."""
    files: Mapping[str, File] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Layer:
    """A folder of the host that many sandboxes share, read-only."""

    target: str
    """Absolute path in the sandbox, the same in every sandbox that has the layer."""
    path: Path


@dataclass(frozen=True, slots=True)
class Scratch:
    """An empty writable folder in memory, gone with the sandbox."""

    target: str
    size: int
    """Bytes it may hold."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command for one fresh sandbox. `/tmp` is always there as scratch of `Limits.disk` bytes."""

    argv: tuple[str, ...]
    """argv[0] is an absolute path."""
    cwd: str = "/tmp"  # noqa: S108 - a path inside the sandbox, private to it
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment, plus what the channel needs; nothing is inherited."""
    stdin: bytes | None = None
    """None is /dev/null."""
    inputs: tuple[Tree | Layer, ...] = ()
    scratch: tuple[Scratch, ...] = ()
    keep: str | None = None
    """An absolute path below a scratch (or /tmp); comes back as a tar once every process is dead."""
    report: bool = False
    """Open a result channel that is neither stdout nor stderr; see REPORT_VARIABLE."""
    system: str = "python"
    """Names the image of a container backend. In the namespace backend `python` is a small /usr of our own,
    any other the host's whole."""
