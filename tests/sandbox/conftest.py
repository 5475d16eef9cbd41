"""One contract, every backend: the tests of this folder run against each that works here."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest

from kaiju_sandbox import interpreter
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, Layer
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

BACKENDS = ("namespace", "docker")
PATIENCE = 90
"""Seconds until a test that hangs fails."""


@dataclass(frozen=True)
class Box:
    """A backend with what tests need around it."""

    backend: Backend
    settings: Settings
    python_path: str
    python_inputs: tuple[Layer, ...]

    def run(self, *argv: str, limits: Limits | None = None, **fields: Any) -> Result:  # noqa: ANN401 - of Command
        return anyio.run(partial(self.start, *argv, limits=limits, **fields))

    def shell(self, script: str, *arguments: str, **fields: Any) -> Result:  # noqa: ANN401 - of Command
        return self.run("/bin/sh", "-c", script, "sh", *arguments, **fields)

    def python(self, program: str, *arguments: str, **fields: Any) -> Result:  # noqa: ANN401 - of Command
        inputs = (*self.python_inputs, *fields.pop("inputs", ()))
        return self.run(self.python_path, "-I", "-S", "-c", program, *arguments, inputs=inputs, **fields)

    async def start(self, *argv: str, limits: Limits | None = None, **fields: Any) -> Result:  # noqa: ANN401 - of Command
        with anyio.fail_after(PATIENCE):
            return await self.backend.run(Command(argv, **fields), limits or Limits())


@pytest.fixture(scope="session")
def state_dir() -> Iterator[Path]:
    """Not pytest's own folder: sandboxes run as other users, which cannot enter that one."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="kaiju-test-", dir=memory if os.access(memory, os.W_OK) else None))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def settings(state_dir: Path) -> Settings:
    return Settings.load({**os.environ, "KAIJU_STATE_DIR": str(state_dir)}, slots=8)


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest, settings: Settings) -> Backend:
    """Docker is skipped where no daemon answers, unless everything is required."""
    name: str = request.param
    created: Backend = import_module(f"kaiju_sandbox.backends.{name}").create(settings)
    broken = [line for line in anyio.run(created.check) if line.required and not line.ok]
    if broken:
        reason = "; ".join(f"{line.name}: {line.detail}" for line in broken)
        if name == "namespace" or os.environ.get("KAIJU_REQUIRE_ALL") == "1":
            pytest.fail(f"backend {name}: {reason}")
        pytest.skip(f"backend {name}: {reason}")
    return created


@pytest.fixture(scope="session")
def box(backend: Backend, settings: Settings) -> Box:
    if backend.name == "docker":
        return Box(backend, settings, "/usr/bin/python3", ())
    python = interpreter.locate(settings)
    return Box(backend, settings, python.path, (python.layer,) if python.layer else ())
