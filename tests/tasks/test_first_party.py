"""The first-party tasks: prepared by the same pipeline, and proven."""

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import anyio
import pytest

from kaiju_grading.building import build_itself
from kaiju_grading.compose import library_tree
from kaiju_grading.grade import GradeStatus, ModuleVerdict
from kaiju_grading.own_build import BuildsItself, OwnBuild
from kaiju_grading.submission import Submission
from kaiju_grading.suite import Suite
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.attacks.attack import nothing
from kaiju_tasks.campaign.ground import ground_of
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.solution import half
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of
from kaiju_tasks.task import Task
from kaiju_tasks.trust.busy import busy
from kaiju_tasks.validate import Effort, TaskProof, validate

pytestmark = pytest.mark.slow

LANGUAGES = {"tally": "python", "parcel": "go", "burrow": "rust"}
PROGRAMS = {"parcel": "go", "burrow": "rustc"}
"""What preparing it needs on the search path."""
BUILD_FILES = {"tally": "pyproject.toml", "parcel": "go.mod", "burrow": "Cargo.toml"}
LACKING = {
    "tally": '[build-system]\nrequires = ["absent-backend"]\nbuild-backend = "absent"\n',
    "burrow": '[package]\nname = "burrow"\nversion = "1.0.0"\n\n[dependencies]\nabsent = "1"\n',
}
"""Build files that ask for what the environment has not."""


@dataclass(frozen=True, slots=True)
class Prepared:
    task: Task
    suite: Suite
    settings: Settings

    def build(self, changes: dict[str, bytes]) -> OwnBuild:
        """The own build of the reference in its workspace, with other files beside it."""
        others = {
            path: file for path, file in self.suite.workspace.items() if path not in self.suite.reference
        }
        beside = others | {path: File(data) for path, data in changes.items()}

        async def run() -> OwnBuild:
            with anyio.fail_after(600):
                submission = Submission("", self.suite.reference, beside=beside)
                return await build_itself(self.suite, submission, backends.create(self.settings))

        return anyio.run(run)


def quiet(_: str) -> None:
    """Progress that nobody reads."""


@cache
def prepared(name: str) -> Prepared:
    """With less effort than the shipped recipe asks for. Layers stay from one session to the next: they are
    named by their content."""
    state = Path(tempfile.gettempdir()) / f"kaiju-test-{LANGUAGES[name]}-{os.geteuid()}"
    state.mkdir(mode=0o755, exist_ok=True)
    settings = Settings(state_dir=state, slots=2)
    shipped = recipes.load_shipped(name)
    lighter = replace(shipped, content=shipped.content.model_copy(update={"repeats": 1, "mixes": 2}))

    async def make() -> Path:
        with anyio.fail_after(900):
            return (await prepare(lighter, settings, quiet)).path

    task = Store(settings.tasks_dir).task(anyio.run(make).name)
    return Prepared(task, suite_of(task, environment_of(task, settings)), settings)


@pytest.fixture(scope="module")
def first_party() -> Callable[[str], Prepared]:
    """A task by the name of its library."""

    def find(name: str) -> Prepared:
        program = PROGRAMS.get(name)
        if program is not None and shutil.which(program) is None:
            if os.environ.get("KAIJU_REQUIRE_ALL"):
                pytest.fail(f"no {program} on PATH")
            pytest.skip(f"no {program} on PATH")
        return prepared(name)

    return find


Find = Callable[[str], Prepared]
each = pytest.mark.parametrize("name", BUILD_FILES)


@each
def test_a_first_party_task_proves_itself(first_party: Find, name: str) -> None:
    found = first_party(name)

    async def prove() -> TaskProof:
        with anyio.fail_after(600):
            return await validate(found.task, found.settings, Effort(repeats=1), quiet)

    proof = anyio.run(prove)

    assert [claim for claim in proof.claims if not claim.holds] == []
    assert {claim.name: claim.detail for claim in proof.claims}["reference builds itself"] == "yes"


@pytest.mark.parametrize(("name", "times"), [("tally", 100), ("parcel", 20), ("burrow", 20)])
def test_a_submission_that_is_right_in_part_gets_one_answer_under_load_on_both_backends(
    first_party: Find, docker_host: str, name: str, times: int
) -> None:
    """Each grading has a fresh key, and nothing of the one before; four processes compute beside it."""
    found = first_party(name)
    settings = [
        found.settings,
        found.settings.model_copy(update={"backend": "docker", "docker_host": docker_host}),
    ]
    expected = half(found.task)

    async def graded() -> list[tuple[GradeStatus, tuple[str, ...]]]:
        grounds = [await ground_of(found.task, one, full=True) for one in settings]
        given = []
        with anyio.fail_after(60 * times), busy(4):
            for number in range(times):
                ground = grounds[number % 2]
                tree = {**ground.stub, **library_tree(ground.suite, expected.files)}
                grade = (await ground.grade(tree, nothing)).grade
                passed = [module.name for module in grade.modules if module.verdict is ModuleVerdict.PASSED]
                given.append((grade.status, tuple(passed)))
        return given

    assert set(anyio.run(graded)) == {(GradeStatus.GRADED, expected.modules)}


@each
def test_a_first_party_task_whose_build_file_is_broken_does_not_build_itself(
    first_party: Find, name: str
) -> None:
    found = first_party(name).build({BUILD_FILES[name]: b"[broken"})

    assert found.outcome is BuildsItself.NO
    assert BUILD_FILES[name] in found.cause


@pytest.mark.parametrize("name", LACKING)
def test_what_the_environment_of_a_first_party_task_lacks_is_not_measured(
    first_party: Find, name: str
) -> None:
    found = first_party(name).build({BUILD_FILES[name]: LACKING[name].encode()})

    assert found.outcome is BuildsItself.NOT_MEASURED
    assert "absent" in found.cause


@each
def test_a_first_party_task_is_large_enough_to_mean_something(first_party: Find, name: str) -> None:
    suite = first_party(name).suite
    tests = {test.id for module in suite.modules for test in module.tests}

    assert len(suite.modules) >= 4
    assert len(tests) >= 40
    assert len({id for cell in suite.cells for id in cell.tests}) >= 0.9 * len(tests)


def test_held_out_tests_of_go_share_their_helper_and_nothing_else(first_party: Find) -> None:
    suite = first_party("parcel").suite

    assert set(suite.heldout).isdisjoint({*suite.visible, *suite.shared})
    assert "helpers_test.go" in {*suite.shared, *suite.heldout}
    assert not any(path.endswith("_test.go") for path in suite.workspace)


def test_every_test_of_the_crate_has_an_alteration(first_party: Find) -> None:
    suite = first_party("burrow").suite
    tests = {test.id for module in suite.modules for test in module.tests}

    assert {id for cell in suite.cells for id in cell.tests} == tests


def test_an_agent_sees_no_inline_test_and_no_name_of_a_test_program(first_party: Find) -> None:
    found = first_party("burrow")
    seen = b"\n".join(file.data for file in found.suite.workspace.values())
    pages = "\n".join(found.task.view.pages.values())

    assert b"cfg(test)" not in seen
    assert b"together" not in seen
    for module in found.suite.modules:
        for test in module.tests:
            name = test.id.rpartition("::")[2]
            assert name not in pages
            assert name.encode() not in seen


def test_the_specification_of_a_crate_has_public_signatures_and_private_names(first_party: Find) -> None:
    pages = first_party("burrow").task.view.pages

    assert "pub fn rank(&self, value: usize) -> usize;" in pages["api-burrow.bits.md"]
    assert "The member that has exactly `rank` smaller ones." in pages["api-burrow.bits.md"]
    assert "`zigzag`" in pages["private.md"]
