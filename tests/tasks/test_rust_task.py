"""The first-party Rust task: prepared by the same pipeline, and proven."""

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of
from kaiju_tasks.task import Task
from kaiju_tasks.validate import Effort, TaskProof, validate

pytestmark = pytest.mark.slow


def quiet(_: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def rust_settings() -> Settings:
    """Layers stay from one session to the next: they are named by their content."""
    if shutil.which("rustc") is None:
        if os.environ.get("KAIJU_REQUIRE_ALL"):
            pytest.fail("no Rust toolchain on PATH")
        pytest.skip("no Rust toolchain on PATH")
    state = Path(tempfile.gettempdir()) / f"kaiju-test-rust-{os.geteuid()}"
    state.mkdir(mode=0o755, exist_ok=True)
    return Settings(state_dir=state, slots=2)


@pytest.fixture(scope="module")
def burrow(rust_settings: Settings) -> Task:
    """With less effort than the shipped recipe asks for."""
    shipped = recipes.load_shipped("burrow")
    lighter = replace(shipped, content=shipped.content.model_copy(update={"repeats": 1, "mixes": 2}))

    async def make() -> Path:
        with anyio.fail_after(900):
            return (await prepare(lighter, rust_settings, quiet)).path

    return Store(rust_settings.tasks_dir).task(anyio.run(make).name)


def test_the_first_party_task_proves_itself(burrow: Task, rust_settings: Settings) -> None:
    async def prove() -> TaskProof:
        with anyio.fail_after(600):
            return await validate(burrow, rust_settings, Effort(repeats=1), quiet)

    proof = anyio.run(prove)

    assert [claim for claim in proof.claims if not claim.holds] == []


def test_the_first_party_task_is_large_enough_to_mean_something(
    burrow: Task, rust_settings: Settings
) -> None:
    suite = suite_of(burrow, environment_of(burrow, rust_settings))
    tests = {test.id for module in suite.modules for test in module.tests}

    assert len(suite.modules) >= 4
    assert len(tests) >= 40
    assert {id for cell in suite.cells for id in cell.tests} == tests


def test_an_agent_sees_no_inline_test_and_no_name_of_a_test_program(
    burrow: Task, rust_settings: Settings
) -> None:
    suite = suite_of(burrow, environment_of(burrow, rust_settings))
    seen = b"\n".join(file.data for file in suite.workspace.values())
    pages = "\n".join(burrow.view.pages.values())

    assert b"cfg(test)" not in seen
    assert b"together" not in seen
    for module in suite.modules:
        for test in module.tests:
            name = test.id.rpartition("::")[2]
            assert name not in pages
            assert name.encode() not in seen


def test_the_specification_has_public_signatures_and_private_names(burrow: Task) -> None:
    pages = burrow.view.pages

    assert "pub fn rank(&self, value: usize) -> usize;" in pages["api-burrow.bits.md"]
    assert "The member that has exactly `rank` smaller ones." in pages["api-burrow.bits.md"]
    assert "`zigzag`" in pages["private.md"]
