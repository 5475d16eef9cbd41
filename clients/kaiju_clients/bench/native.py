"""The yardstick for runs: a sandbox's command on this machine, without a sandbox.

Its inputs are laid out once in a folder, every `/kaiju` path of the command is turned into that folder, and
the same argv runs with the same variables, bytecode and result channel.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.language import WORK
from kaiju_sandbox.command import REPORT_VARIABLE, Command, Layer, Tree

ROOT = "/kaiju/"
TIMEOUT_S = 600


class NativeFailed(Exception):
    """The yardstick itself did not work, so nothing can be compared."""


@dataclass(frozen=True, slots=True)
class NativeRun:
    """One command, laid out and ready to run, as often as wanted."""

    argv: tuple[str, ...]
    cwd: Path
    env: dict[str, str]

    def run(self) -> None:
        """Run to the end. The exit status is not looked at: tests may fail, as they do in the sandbox."""
        with tempfile.TemporaryFile() as report:
            env = {**self.env, REPORT_VARIABLE: str(report.fileno())}
            done = subprocess.run(
                self.argv,
                cwd=self.cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                pass_fds=(report.fileno(),),
                timeout=TIMEOUT_S,
                check=False,
                # As every sandbox has: schedulers share processors out by session.
                start_new_session=True,
            )
            if not os.fstat(report.fileno()).st_size:
                raise NativeFailed(f"{self.argv}: {done.stderr.decode(errors='replace')[-500:]}")


@dataclass(frozen=True, slots=True)
class Ground:
    """A folder with a relocated copy of an environment's layers."""

    folder: Path

    def lay(self, layers: Sequence[Layer]) -> None:
        for layer in layers:
            target = self._moved(layer.target)
            shutil.copytree(layer.path, target, symlinks=True)
            for path in target.rglob("*"):
                if path.is_symlink() and str(path.readlink()).startswith(ROOT):
                    link = self._moved(str(path.readlink()))
                    path.unlink()
                    path.symlink_to(link)
            for config in target.glob("pyvenv.cfg"):
                config.write_text(self._text(config.read_text()))

    def ready(self, command: Command, name: str) -> NativeRun:
        """Lay out the trees of a command below `name`; layers are there already."""
        trees = [part for part in command.inputs if isinstance(part, Tree)]
        places = {tree.target: self.folder / name / tree.target.removeprefix(ROOT) for tree in trees}
        for tree in trees:
            for path, file in tree.files.items():
                place = places[tree.target] / path
                place.parent.mkdir(parents=True, exist_ok=True)
                # Only our own instructions say where things stand; library and tests stay as they are.
                place.write_bytes(file.data if tree.target == WORK else self._moved_in(file.data, places))
        return NativeRun(
            tuple(self._placed(part, places) for part in command.argv),
            Path(self._placed(command.cwd, places)),
            {key: self._placed(value, places) for key, value in command.env.items()},
        )

    def _moved_in(self, data: bytes, places: dict[str, Path]) -> bytes:
        return self._placed(data.decode(errors="surrogateescape"), places).encode(errors="surrogateescape")

    def _placed(self, text: str, places: dict[str, Path]) -> str:
        for target, place in places.items():
            text = text.replace(target, str(place))
        return self._text(text)

    def _text(self, text: str) -> str:
        return text.replace(ROOT, f"{self.folder}/")

    def _moved(self, path: str) -> Path:
        return self.folder / path.removeprefix(ROOT)


def run_all(runs: Sequence[NativeRun], at_once: int) -> None:
    """Run these, so many at a time."""
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(NativeRun.run, runs))
