"""Halves: some of the reference restored, so that a task can show a reward between 0 and 1."""

import secrets

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.preparation import Stub
from kaiju_grading.stage import Stage
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.errors import SandboxFault
from kaiju_tasks.half import HalfRecord
from kaiju_tasks.solution import restored

MAX_TRIES = 6


async def grade_tree(suite: Suite, files: Files, backend: Backend) -> Grade:
    """Grade a tree with a fresh key, as the test stage would. Raises SandboxFault when that fails."""
    submission = submission_of(files, suite.roots, languages.get(suite.language), suite.reserved)
    found = await grade(GradeJob(suite, submission, Stage.TEST, secrets.token_bytes(32)), backend)
    if found.status is GradeStatus.INFRA_ERROR:
        raise SandboxFault(f"grading was not carried out: {found.cause}")
    return found


async def find_half(suite: Suite, stub: Stub, globs: tuple[str, ...], backend: Backend) -> HalfRecord:
    """What the recipe's globs earn; without them the first of a few files whose absence costs a part."""
    options = [globs] if globs else _options(stub)
    record = HalfRecord(restore=globs, modules=())
    for restore in options:
        passed = _passed(await grade_tree(suite, restored(stub.files, suite.reference, restore), backend))
        if globs or 0 < len(passed) < len(suite.modules):
            return HalfRecord(restore=restore, modules=passed)
    return record


def _options(stub: Stub) -> list[tuple[str, ...]]:
    """Everything but one file: small files first, which tend to be leaves."""
    sizes = sorted((account.body_lines, path) for path, account in stub.account.items() if account.stubbed)
    return [("*", f"!{path}") for _, path in sizes[:MAX_TRIES]]


def _passed(found: Grade) -> tuple[str, ...]:
    return tuple(sorted(module.name for module in found.modules if module.verdict is ModuleVerdict.PASSED))
