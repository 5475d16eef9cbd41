"""The environment of Go tests: the machine's toolchain, our program, no dependency. A proxy is asked for the
linter alone, the first time."""

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from kaiju_grading.languages.go.environment import Builder, dependency_layer, linter_layer, program_layer
from kaiju_grading.languages.go.sandboxed import LINT, PROGRAM, TOOLS
from kaiju_grading.languages.go.toolchain import locate
from kaiju_grading.preparation import Lock
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings

MODULE = "example.com/calc"
LOCK = Lock(f"-- go.mod --\nmodule {MODULE}\n\ngo 1.24\n-- go.sum --\n-- imports --\n", "1.26")


@pytest.fixture(scope="session")
def go_environment() -> Environment:
    """Its layers stay from one session to the next: they are named by their content."""
    if shutil.which("go") is None:
        if os.environ.get("KAIJU_REQUIRE_ALL"):
            pytest.fail("no Go toolchain on PATH")
        pytest.skip("no Go toolchain on PATH")
    found = locate()
    builder = Builder.of(found, Settings(state_dir=_state()))
    layers = [(builder.layer, builder.key), program_layer(builder), dependency_layer(builder, LOCK)]
    return Environment(
        system="go",
        layers=tuple(layer for layer, _ in layers),
        keys=tuple(key for _, key in layers),
        programs={PROGRAM: f"{TOOLS}/{PROGRAM}"},
        tools={"go": found.version},
    )


@pytest.fixture(scope="session")
def go_linters(go_environment: Environment) -> Environment:
    """With staticcheck."""
    layer, key = linter_layer(Builder.of(locate(), Settings(state_dir=_state())))
    return replace(
        go_environment,
        layers=(*go_environment.layers, layer),
        keys=(*go_environment.keys, key),
        programs={**go_environment.programs, "staticcheck": f"{LINT}/staticcheck"},
    )


def _state() -> Path:
    state = Path(tempfile.gettempdir()) / f"kaiju-test-go-{os.geteuid()}"
    state.mkdir(mode=0o755, exist_ok=True)
    return state
