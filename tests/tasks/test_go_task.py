"""The first-party Go task: prepared by the same pipeline, and proven."""

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
def go_settings() -> Settings:
    """Layers stay from one session to the next: they are named by their content."""
    if shutil.which("go") is None:
        if os.environ.get("KAIJU_REQUIRE_ALL"):
            pytest.fail("no Go toolchain on PATH")
        pytest.skip("no Go toolchain on PATH")
    state = Path(tempfile.gettempdir()) / f"kaiju-test-go-{os.geteuid()}"
    state.mkdir(mode=0o755, exist_ok=True)
    return Settings(state_dir=state, slots=2)


@pytest.fixture(scope="module")
def parcel(go_settings: Settings) -> Task:
    """With less effort than the shipped recipe asks for."""
    shipped = recipes.load_shipped("parcel")
    lighter = replace(shipped, content=shipped.content.model_copy(update={"repeats": 1, "mixes": 2}))

    async def make() -> Path:
        with anyio.fail_after(900):
            return (await prepare(lighter, go_settings, quiet)).path

    return Store(go_settings.tasks_dir).task(anyio.run(make).name)


def test_the_first_party_task_proves_itself(parcel: Task, go_settings: Settings) -> None:
    async def prove() -> TaskProof:
        with anyio.fail_after(600):
            return await validate(parcel, go_settings, Effort(repeats=1), quiet)

    proof = anyio.run(prove)

    assert [claim for claim in proof.claims if not claim.holds] == []


def test_the_first_party_task_is_large_enough_to_mean_something(parcel: Task, go_settings: Settings) -> None:
    suite = suite_of(parcel, environment_of(parcel, go_settings))
    tests = {test.id for module in suite.modules for test in module.tests}

    assert len(suite.modules) >= 4
    assert len(tests) >= 40
    assert len({id for cell in suite.cells for id in cell.tests}) >= 0.9 * len(tests)


def test_held_out_tests_share_their_helper_and_nothing_else(parcel: Task, go_settings: Settings) -> None:
    suite = suite_of(parcel, environment_of(parcel, go_settings))

    assert set(suite.heldout).isdisjoint({*suite.visible, *suite.shared})
    assert "helpers_test.go" in {*suite.shared, *suite.heldout}
    assert not any(path.endswith("_test.go") for path in suite.workspace)
