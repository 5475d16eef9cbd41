"""A watch: lures on the host that nothing in a sandbox may touch or read, and whether something did."""

import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_tasks.attacks.attack import Lures

VARIABLE = "KAIJU_LURE"
_HOLD = "import sys; sys.stdin.read()"
"""A process that does nothing until its input ends."""


@dataclass(slots=True)
class Watch:
    """The lures of one campaign, and what came near them."""

    lures: Lures
    secret: bytes = field(repr=False)
    """In the file and in the variable: nothing that comes out of a sandbox may hold it."""
    listeners: Mapping[str, socket.socket] = field(repr=False)
    """By what to call them. Nobody accepts: a connection that was made waits until it is counted."""
    read: bool = False

    def escapes(self) -> tuple[str, ...]:
        """What happened since the last time, in words."""
        found = [f"{name} was reached" for name, listener in self.listeners.items() if _reached(listener)]
        file = Path(self.lures.file)
        if not file.is_file() or file.read_bytes() != self.secret:
            found.append("the file was changed")
            file.write_bytes(self.secret)
        if self.read:
            found.append("the file or the variable was read")
        self.read = False
        return tuple(found)

    def look(self, result: Result) -> None:
        """Look for the secret in everything that came out of a sandbox."""
        outputs = (result.stdout, result.stderr, result.report, result.kept or b"")
        self.read = self.read or any(self.secret in data for data in outputs)


class WatchedBackend:
    """A backend whose results are looked through."""

    def __init__(self, backend: Backend, watch: Watch) -> None:
        self.name = backend.name
        self._backend = backend
        self._watch = watch

    async def check(self) -> tuple[Check, ...]:
        return await self._backend.check()

    async def run(self, command: Command, limits: Limits) -> Result:
        result = await self._backend.run(command, limits)
        self._watch.look(result)
        return result

    async def sweep(self) -> int:
        return await self._backend.sweep()


@contextmanager
def watching() -> Iterator[Watch]:
    """Lay the lures out: a file and a socket that anybody may open, a socket that has only a name, a port of
    the loopback interface, and a process with the variable."""
    secret = secrets.token_hex(24)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kaiju-lures-")))
        folder.chmod(0o755)
        file, path = folder / "lure", folder / "socket"
        file.write_text(secret)
        file.chmod(0o666)
        port = _listening(stack, socket.AF_INET, ("127.0.0.1", 0))
        listeners = {
            "the port": port,
            "the socket": _listening(stack, socket.AF_UNIX, str(path)),
            "the abstract socket": _listening(stack, socket.AF_UNIX, f"\0{path}"),
        }
        path.chmod(0o666)
        stack.enter_context(_holder(secret))
        lures = Lures(str(file), str(path), port.getsockname()[1], VARIABLE)
        yield Watch(lures, secret.encode(), listeners)


def _listening(
    stack: ExitStack, family: socket.AddressFamily, address: str | tuple[str, int]
) -> socket.socket:
    listener = stack.enter_context(socket.socket(family))
    listener.bind(address)
    listener.listen()
    listener.setblocking(False)
    return listener


@contextmanager
def _holder(secret: str) -> Iterator[None]:
    """A process whose environment has the secret."""
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", _HOLD], env={VARIABLE: secret},
                               stdin=subprocess.PIPE)  # fmt: skip
    try:
        yield
    finally:
        process.communicate(timeout=30)


def _reached(listener: socket.socket) -> bool:
    """Whether somebody connected; every waiting connection is closed."""
    reached = False
    while True:
        try:
            connection, _ = listener.accept()
        except BlockingIOError:
            return reached
        connection.close()
        reached = True
