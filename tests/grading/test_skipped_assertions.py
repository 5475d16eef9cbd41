"""Assertions that the library may never run: honest code that skips them fails, and is accused of nothing."""

import re

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.languages.python.surgery import cells
from kaiju_grading.plan import Draw, plan_series
from kaiju_grading.stage import Stage
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits

STAGE = Stage.TEST
LIBRARY = """
def add(a, b):
    return a + b


def call(function):
    return function()


class Same:
    def __eq__(self, other):
        return isinstance(other, Same)

    def __ne__(self, other):
        return not self == other

    __hash__ = None
"""
SKIPS = LIBRARY.replace("return function()", "return None")
ANSWERS_BOTH = LIBRARY.replace("return not self == other", "return True")
TESTS = {
    "tests/test_add.py": """from lib import add

def test_small():
    assert add(1, 2) == 3

def test_big():
    assert add(40, 2) == 42
""",
    "tests/test_call.py": """from lib import add, call

def test_certain():
    assert add(1, 2) == 3

def test_called():
    def inner():
        assert add(40, 2) == 42
    call(inner)
""",
    "tests/test_same.py": """from lib import Same, add

def test_certain():
    assert add(1, 2) == 3

def test_same():
    assert Same() == Same()
""",
}


def encoded(files: dict[str, str]) -> Files:
    return {path: File(text.encode()) for path, text in files.items()}


@pytest.fixture
def suite(python_environment: Environment) -> Suite:
    units = {
        path: [f"{path}::{name}" for name in re.findall(r"def (test_\w+)", text)]
        for path, text in TESTS.items()
    }
    tests = {path: tuple(Test(unit, unit) for unit in group) for path, group in units.items()}
    return Suite(
        language="python",
        task_digest="sha256:calls",
        environment=python_environment,
        roots=("lib.py",),
        workspace=encoded({"lib.py": ""}),
        reference=encoded({"lib.py": LIBRARY}),
        shared={},
        heldout=encoded(TESTS),
        visible={},
        modules=tuple(Module(path, (path,), group) for path, group in tests.items()),
        visible_tests=(),
        cells=cells(encoded(TESTS), tuple(test for group in tests.values() for test in group)),
        limits=Limits(wall=30),
    )


def doubtful_last(suite: Suite, draw: Draw) -> bool:
    """Whether the doubtful test of each module is as written in the first run."""
    runs = (plan_series(suite, module, draw).runs for module in suite.modules[1:])
    return all("test_certain" in id for first, *_ in runs for id in first.altered)


def graded(suite: Suite, backend: Backend, library: str) -> Grade:
    submission = submission_of(encoded({"lib.py": library}), suite.roots, languages.get("python"))

    # A test that passes altered ends its module at once, unless it was seen to pass as written before that.
    keys = (str(number).encode() for number in range(1000))
    key = next(
        key for key in keys if doubtful_last(suite, Draw(key, suite.task_digest, submission.digest, STAGE))
    )

    async def run() -> Grade:
        with anyio.fail_after(240):
            return await grade(GradeJob(suite, submission, STAGE, key), backend)

    return anyio.run(run)


@pytest.mark.parametrize(
    ("library", "failed"),
    [(LIBRARY, set()), (SKIPS, {"tests/test_call.py"}), (ANSWERS_BOTH, {"tests/test_same.py"})],
    ids=["reference", "skips", "answers both"],
)
def test_honest_code_that_passes_an_altered_test_fails_that_module_and_is_not_accused(
    suite: Suite, backend: Backend, library: str, failed: set[str]
) -> None:
    assert sum(len(cell.tests) for cell in suite.cells) == 6

    verdict = graded(suite, backend, library)

    assert verdict.status is GradeStatus.GRADED
    assert "integrity" not in {finding.kind for finding in verdict.findings}
    assert {module.name for module in verdict.modules if module.verdict is ModuleVerdict.FAILED} == failed
    assert verdict.modules_passed == 3 - len(failed)
    assert verdict.reward == pytest.approx(verdict.modules_passed / 3)
