"""The yardstick for runs: a sandbox's command on this machine, without a sandbox.

Compilers write the places of their input into what they make, so every path must be the sandbox's own. Each
command gets a view of this machine in which nothing is different but that its layers, its input and its
scratch folders stand where a sandbox has them. The view is made once and kept open; each run steps into it.
"""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from kaiju_clients.bench.view import View
from kaiju_sandbox.command import REPORT_VARIABLE, Command, Layer, Tree
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.namespace.scratch import ScratchFolders
from kaiju_sandbox.placement import TEMPORARY, check, holder
from kaiju_sandbox.result import Result

TIMEOUT_S = 600


class NativeFailed(Exception):
    """The yardstick itself did not work, so nothing can be compared."""


@dataclass(frozen=True, slots=True)
class NativeRun:
    """One command, laid out and ready to run, as often as wanted."""

    command: Command
    view: View

    def run(self) -> Result:
        """Run to the end. The exit status is not looked at: tests may fail, as they do in the sandbox.

        Raises NativeFailed for a command that reports nothing.
        """
        with tempfile.TemporaryFile() as report:
            began = time.monotonic()
            done = subprocess.run(
                self.view.stepping_in(self.command.cwd, self.command.argv),
                env={**self.command.env, REPORT_VARIABLE: str(report.fileno())},
                input=self.command.stdin or b"",
                capture_output=True,
                pass_fds=(report.fileno(),),
                timeout=TIMEOUT_S,
                check=False,
                # As every sandbox has: schedulers share processors out by session.
                start_new_session=True,
            )
            wall = time.monotonic() - began
            report.seek(0)
            return self._result(done, report.read(), wall)

    def clear(self) -> None:
        """Empty the scratch folders, as a fresh sandbox has them."""
        for target in self._scratch():
            for entry in self.view.path(target).iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()

    def _scratch(self) -> tuple[str, ...]:
        return (TEMPORARY, *(entry.target for entry in self.command.scratch))

    def _result(self, done: "subprocess.CompletedProcess[bytes]", report: bytes, wall: float) -> Result:
        if not report:
            raise NativeFailed(f"{self.command.argv}: {done.stderr.decode(errors='replace')[-500:]}")
        return Result(
            exit_code=done.returncode if done.returncode >= 0 else None,
            signal=-done.returncode if done.returncode < 0 else None,
            limit=None,
            stdout=done.stdout,
            stderr=done.stderr,
            stdout_size=len(done.stdout),
            stderr_size=len(done.stderr),
            report=report,
            kept=self._kept(),
            wall=wall,
            cpu=0.0,
            memory=0,
            enforcement={},
        )

    def _kept(self) -> bytes | None:
        path = self.command.keep
        if path is None:
            return None
        place = holder(path, self.command)
        folders = ScratchFolders(self.view.pid, {place: 0})
        try:
            return folders.keep(place, path, Limits(keep=1 << 30)).tar
        finally:
            folders.close()


class Ground:
    """Where commands are laid out; as a context manager it closes their views. Files stay in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._views = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._views.close()

    def ready(self, command: Command, name: str) -> NativeRun:
        """Write the trees of a command below `name`, and open its view. Raises NativeFailed."""
        check(command)
        places = dict(self._written(command, name))
        view = View.open(command, places)
        if view is None:
            raise NativeFailed("no view of this machine: bubblewrap did not make one")
        self._views.callback(view.close)
        return NativeRun(command, view)

    def _written(self, command: Command, name: str) -> Iterator[tuple[str, Path]]:
        """The host path of every input by its target."""
        for number, entry in enumerate(command.inputs):
            if isinstance(entry, Layer):
                yield entry.target, entry.path
                continue
            folder = self._folder / name / str(number)
            _write(entry, folder)
            yield entry.target, folder


def _write(tree: Tree, folder: Path) -> None:
    folder.mkdir(parents=True)
    for path, file in tree.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        place.chmod(0o755 if file.executable else 0o644)


def run_all(runs: Sequence[NativeRun], at_once: int) -> None:
    """Run these, so many at a time."""
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(NativeRun.run, runs))
