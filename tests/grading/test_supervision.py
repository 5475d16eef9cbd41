"""A submission that makes the grader itself stumble gets its verdict all the same."""

from dataclasses import dataclass, replace

import anyio
import pytest

from kaiju_grading.grade import Finding, Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob
from kaiju_grading.language import Language
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission, submission_of
from kaiju_grading.suite import Suite
from kaiju_grading.supervision import grade_supervised
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

pytestmark = pytest.mark.anyio
MARK = b"# mark\n"
JUNK = """import os
os.write(int(os.environ["KAIJU_REPORT_FD"]), b"no record\\n")
"""
"""The reader of the toy language crashes over a line that is no JSON."""


def submitted(suite: Suite, language: Language, path: str, before: str) -> Submission:
    """The reference with something before one of its files."""
    changed = File(before.encode() + suite.reference[path].data)
    return submission_of(dict(suite.reference) | {path: changed}, suite.roots, language, suite.reserved)


async def graded(suite: Suite, submission: Submission, backend: Backend, seconds: float = 60) -> Grade:
    with anyio.fail_after(120):
        return await grade_supervised(GradeJob(suite, submission, Stage.DRAFT, b"k"), backend, seconds)


async def test_a_crash_that_only_the_submission_provokes_fails_its_module_and_is_logged(
    suite: Suite, toy_language: Language, backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    found = await graded(suite, submitted(suite, toy_language, "lib/words.py", JUNK), backend)
    assert (found.status, found.modules_passed) == (GradeStatus.GRADED, 2)
    assert found.reward == pytest.approx(2 / 3)
    [exhausted] = [module for module in found.modules if module.verdict is ModuleVerdict.EXHAUSTED]
    assert (exhausted.name, "JSONDecodeError" in exhausted.cause) == ("words", True)
    assert found.findings == (Finding(kind="exhausted", module="words", detail=exhausted.cause),)
    crash = next(record for record in caplog.records if record.levelname == "ERROR")
    assert crash.exc_info is not None
    assert "words" not in crash.getMessage()


async def test_a_crash_that_the_reference_provokes_too_is_no_grade(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, "lib/words.py", JUNK)
    found = await graded(replace(suite, reference=submission.files), submission, backend)
    assert (found.status, found.reward, found.findings) == (GradeStatus.INFRA_ERROR, None, ())


@dataclass
class Endless:
    """The real backend, whose runs over marked files never end (over all files, when `all`)."""

    backend: Backend
    all: bool = False
    name: str = "namespace"

    async def check(self) -> tuple[Check, ...]:
        return await self.backend.check()

    async def sweep(self) -> int:
        return await self.backend.sweep()

    async def run(self, command: Command, limits: Limits) -> Result:
        files = [file for tree in command.inputs if isinstance(tree, Tree) for file in tree.files.values()]
        if self.all or any(file.data.startswith(MARK) for file in files):
            await anyio.sleep_forever()
        return await self.backend.run(command, limits)


@pytest.mark.slow
async def test_a_submission_that_takes_too_long_as_a_whole_twice_has_failed(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, "lib/flags.py", MARK.decode())
    found = await graded(suite, submission, Endless(backend), 20)
    assert (found.status, found.reward) == (GradeStatus.GRADED, 0.0)
    assert {module.verdict for module in found.modules} == {ModuleVerdict.EXHAUSTED}
    assert [finding.module for finding in found.findings] == [module.name for module in suite.modules]
    assert found.submission_digest == submission.digest


async def test_a_machine_that_takes_too_long_for_everything_gives_no_grade(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, "lib/flags.py", MARK.decode())
    found = await graded(suite, submission, Endless(backend, all=True), 1)
    assert (found.status, found.reward, found.modules) == (GradeStatus.INFRA_ERROR, None, ())


def test_half_a_character_in_a_cause_can_be_stored() -> None:
    text = Finding(kind="x", detail="a\ud800b").model_dump_json()
    assert Finding.model_validate_json(text).detail == "a\\ud800b"
