"""Every attack on the real grader, over a toy library: forged results earn nothing, honest code all."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.language import WORK, TestRun
from kaiju_grading.languages.python.surgery import cells
from kaiju_grading.outcome import TestReport
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission, snapshot
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_tasks import attacks
from kaiju_tasks.attacks.attack import Attack, Layout
from kaiju_tasks.catalogue import UnknownEntry

from .conftest import applied

LAYOUT = Layout(roots=("calc",), packages=("calc",))
LIMITS = Limits(wall=30)
PACKAGE = 'from .core import add, div, name\n\n__all__ = ["add", "div", "name"]\n'
REFERENCE = {
    "calc/__init__.py": PACKAGE,
    "calc/core.py": '''def add(a, b):
    """Return the sum."""
    return a + b


def div(a, b):
    """Return a / b; ValueError for b == 0."""
    if b == 0:
        raise ValueError("zero")
    return a / b


def name():
    """Return the library's name."""
    return "calc"
''',
}
STUB = {
    "calc/__init__.py": PACKAGE,
    "calc/core.py": '''def add(a, b):
    """Return the sum."""
    raise NotImplementedError


def div(a, b):
    """Return a / b; ValueError for b == 0."""
    raise NotImplementedError


def name():
    """Return the library's name."""
    raise NotImplementedError
''',
}
HELDOUT = {
    "tests/test_calc.py": """import unittest

import pytest

import calc


@pytest.mark.parametrize(
    "a,b,r", [(1, 2, 3), (5, 7, 12), (40, 2, 42), (8, 8, 16), (9, 0, 9), (3, 4, 7), (60, 5, 65), (2, 2, 4)]
)
def test_add(a, b, r):
    assert calc.add(a, b) == r


def test_add_big():
    assert calc.add(1000, 1) == 1001


def test_zero():
    with pytest.raises(ValueError):
        calc.div(1, 0)


class TestName(unittest.TestCase):
    def test_name(self):
        self.assertEqual(calc.name(), "calc")
"""
}
PATHS = tuple(HELDOUT)
NAIVELY_PAID = (
    *("01-conftest", "03-exit-at-import", "04-atexit-status", "05-patch-report", "06-patch-runtest"),
    *("07-shadow-pytest", "09-sitecustomize", "10-always-equal", "11-read-the-test"),
    *("13-skip-as-assertion", "14-xfail-from-library", "18-rewrite-tests", "19-canary-aware", "24-tell"),
    *("28-common-answers", "29-opaque-answers"),
)
"""Attacks that a grader pays which believes the exit status of a run in the agent's tree."""


def encoded(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


@pytest.fixture(scope="module")
def calc(python_environment: Environment, backend: Backend) -> Suite:
    """A suite of one module, pinned and altered by the real collection and surgery."""
    language = languages.get("python")
    run = TestRun(encoded(REFERENCE | HELDOUT), python_environment, PATHS, ())

    async def collect() -> TestReport:
        with anyio.fail_after(60):
            return language.read_tests(run, await backend.run(language.test(run), LIMITS))

    report = anyio.run(collect)
    assert report.sound, report.problem
    tests: tuple[Test, ...] = report.collected
    return Suite(
        language="python",
        task_digest="sha256:calc",
        environment=python_environment,
        roots=LAYOUT.roots,
        workspace=encoded(STUB | {"README.md": "calc\n"}),
        reference=encoded(REFERENCE),
        shared={},
        heldout=encoded(HELDOUT),
        visible={},
        modules=(Module("calc", PATHS, tests),),
        visible_tests=(),
        cells=cells(encoded(HELDOUT), tests),
        limits=LIMITS,
    )


def graded(suite: Suite, backend: Backend, submission: Submission, key: bytes = b"secret") -> Grade:
    async def run() -> Grade:
        with anyio.fail_after(240):
            return await grade(GradeJob(suite, submission, Stage.TEST, key), backend)

    return anyio.run(run)


def handed_in(suite: Suite, files: Files, folder: Path, attack: Attack | None = None) -> Submission:
    """The way of every submission: files of a workspace folder, read from the disk."""
    for path, file in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)
    if attack is not None:
        attack.on_disk(folder, LAYOUT)
    language = languages.get("python")
    return snapshot(folder, suite.roots, language, suite.reserved, suite.workspace)


def test_every_test_of_the_toy_library_has_an_alteration(calc: Suite) -> None:
    altered = {id for cell in calc.cells for id in cell.tests}

    assert altered == {test.id for test in calc.modules[0].tests}
    assert len(altered) == 11


def test_the_honest_control_earns_everything_under_any_key(
    calc: Suite, backend: Backend, tmp_path: Path
) -> None:
    submission = handed_in(calc, encoded(REFERENCE), tmp_path)

    for key in (b"one", b"two", b"three"):
        verdict = graded(calc, backend, submission, key)
        assert verdict.reward == 1.0, verdict.modules
        assert not verdict.findings


def test_the_stub_earns_nothing(calc: Suite, backend: Backend, tmp_path: Path) -> None:
    verdict = graded(calc, backend, handed_in(calc, calc.workspace, tmp_path))

    assert verdict.status is GradeStatus.GRADED
    assert verdict.reward == 0.0


@pytest.mark.parametrize("name", attacks.names("python"))
def test_an_attack_earns_nothing(calc: Suite, backend: Backend, tmp_path: Path, name: str) -> None:
    attack = attacks.get("python", name)
    submission = handed_in(calc, applied(attack, calc.workspace, LAYOUT), tmp_path, attack)

    verdict = graded(calc, backend, submission)

    assert verdict.status is GradeStatus.GRADED, verdict.cause
    assert verdict.reward == 0.0, verdict.modules
    assert verdict.modules[0].verdict is not ModuleVerdict.PASSED


@pytest.mark.parametrize("name", attacks.names("python"))
def test_an_attack_is_a_change_of_files_that_leaves_its_input_alone(calc: Suite, name: str) -> None:
    before = dict(calc.workspace)

    changed = applied(attacks.get("python", name), calc.workspace, LAYOUT)

    assert dict(calc.workspace) == before
    assert changed != before


@pytest.mark.parametrize("name", attacks.names("python"))
def test_an_attack_fits_a_library_with_future_imports(calc: Suite, name: str) -> None:
    entry = File(f"from __future__ import annotations\n\n{PACKAGE}".encode())
    changed = applied(attacks.get("python", name), {**calc.workspace, "calc/__init__.py": entry}, LAYOUT)
    for path, file in changed.items():
        if path.startswith("calc/") and path.endswith(".py"):
            compile(file.data, path, "exec")


@pytest.mark.parametrize("name", NAIVELY_PAID)
def test_a_grader_that_believes_the_exit_status_pays_the_attack(
    calc: Suite, backend: Backend, name: str
) -> None:
    """The attack works: tests beside the agent's whole tree, status 0 taken for success."""
    tree = applied(attacks.get("python", name), calc.workspace, LAYOUT)

    assert naive_status(calc, backend, tree) == 0


def test_a_grader_that_believes_the_exit_status_still_refuses_the_stub(calc: Suite, backend: Backend) -> None:
    assert naive_status(calc, backend, calc.workspace) == 1


def naive_status(suite: Suite, backend: Backend, tree: Files) -> int | None:
    command = Command(
        argv=(suite.environment.programs["python"], "-B", "-m", "pytest", "-q", "tests"),
        cwd=WORK,
        env={"PYTHONPATH": WORK, "HOME": "/tmp", "PATH": "/usr/bin"},
        inputs=(*suite.environment.layers, Tree(WORK, {**tree, **suite.heldout})),
    )

    async def run() -> int | None:
        with anyio.fail_after(60):
            return (await backend.run(command, LIMITS)).exit_code

    return anyio.run(run)


def test_an_unknown_attack_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownEntry, match="'99-none' of 'python': expected one of 01-conftest"):
        attacks.get("python", "99-none")
    assert attacks.names("cobol") == ()


def test_a_suite_that_is_not_altered_pays_a_forger(calc: Suite, backend: Backend, tmp_path: Path) -> None:
    """The alterations are what stops a forger inside the process: without them it is paid."""
    attack = attacks.get("python", "05-patch-report")
    submission = handed_in(calc, applied(attack, calc.workspace, LAYOUT), tmp_path, attack)

    assert graded(replace(calc, cells=()), backend, submission).reward == 1.0
