"""A result: what one command did, as seen from outside."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_sandbox.limits import Enforcement, LimitName


@dataclass(frozen=True, slots=True)
class LimitHit:
    """The limit that ended (or cut) a command: its setting and what was measured, same unit as in Limits."""

    name: LimitName
    setting: float
    measured: float


@dataclass(frozen=True, slots=True)
class Result:
    """The whole process tree is dead when a result exists."""

    exit_code: int | None
    """None when a signal ended the command."""
    signal: int | None
    limit: LimitHit | None
    """The first limit that fired. A command can exit 0 and still carry one (cut output)."""
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    stdout_size: int
    """Bytes written, of which `stdout` holds the head and the tail when it was more than the limit."""
    stderr_size: int
    report: bytes = field(repr=False)
    kept: bytes | None = field(repr=False)
    """A tar of regular files and folders below `Command.keep`; None when absent or over the limit."""
    wall: float
    """Seconds."""
    cpu: float
    """Seconds, user + system, of the process tree as far as it could be seen."""
    memory: int
    """Peak bytes of the process tree as far as it could be seen."""
    enforcement: Mapping[LimitName, Enforcement]

    @property
    def ok(self) -> bool:
        """Ended by itself with status 0 and within every limit."""
        return self.exit_code == 0 and self.limit is None
