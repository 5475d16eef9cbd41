"""Halves: some of the reference restored, so that a task can show a reward between 0 and 1."""

import secrets
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.preparation import Preparation, Split, Stub
from kaiju_grading.stage import Stage
from kaiju_grading.steps import follow
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.errors import SandboxFault
from kaiju_tasks.half import HalfRecord
from kaiju_tasks.prepare.workshop import Workshop
from kaiju_tasks.solution import restored

MAX_TRIES = 6
RESTORED = "the half has it"


@dataclass(frozen=True, slots=True)
class FoundHalf:
    """What of the reference a half restores, and the modules that it earns."""

    record: HalfRecord = field(default_factory=lambda: HalfRecord(restore=(), modules=()))
    cut: Files = field(default_factory=dict, repr=False)
    """Restored files from which single bodies were taken out again."""


@dataclass(frozen=True, slots=True)
class Halving:
    """What halves are made of."""

    workshop: Workshop
    preparation: Preparation
    split: Split
    stub: Stub
    suite: Suite

    async def find(self, globs: tuple[str, ...]) -> FoundHalf:
        """What the recipe's globs earn; without them the first of a few bodies whose absence costs a part."""
        for restore in [globs] if globs else _options(self.stub):
            cut = await self._cut(restore)
            tree = {**restored(self.stub.files, self.suite.reference, restore), **cut}
            passed = _passed(await grade_tree(self.suite, tree, self.workshop.backend))
            if globs or 0 < len(passed) < len(self.suite.modules):
                return FoundHalf(HalfRecord(restore=restore, modules=passed), cut)
        return FoundHalf(HalfRecord(restore=globs, modules=()))

    async def _cut(self, restore: tuple[str, ...]) -> Files:
        """Files of which `!path:name` takes bodies out."""
        out = [glob[1:] for glob in restore if glob.startswith("!") and ":" in glob]
        names = {
            f"{path}:{name}": path for path, account in self.stub.account.items() for name in account.stubbed
        }
        gone = {name for name in names if any(fnmatchcase(name, glob) for glob in out)}
        if not gone:
            return {}
        kept = {f"{path}:{name}" for path, account in self.stub.account.items() for name in account.kept}
        keep = dict.fromkeys(sorted((names.keys() | kept) - gone), RESTORED)
        steps = self.preparation.stub(self.split, keep, self.workshop.environment)
        made = await follow(steps, self.workshop.build)
        return {path: made.files[path] for path in sorted({names[name] for name in gone})}


async def grade_tree(suite: Suite, files: Files, backend: Backend) -> Grade:
    """Grade a tree with a fresh key, as the test stage would. Raises SandboxFault when that fails."""
    submission = submission_of(files, suite.roots, languages.get(suite.language), suite.reserved)
    found = await grade(GradeJob(suite, submission, Stage.TEST, secrets.token_bytes(32)), backend)
    if found.status is GradeStatus.INFRA_ERROR:
        raise SandboxFault(f"grading was not carried out: {found.cause}")
    return found


def _options(stub: Stub) -> list[tuple[str, ...]]:
    """Everything but one file: small files first, which tend to be leaves. Then everything but one body."""
    sizes = sorted((account.body_lines, path) for path, account in stub.account.items() if account.stubbed)
    leaves = [path for _, path in sizes[:MAX_TRIES]] if len(sizes) > 1 else []
    names = [f"{path}:{name}" for _, path in sizes for name in stub.account[path].stubbed]
    step = max(1, len(names) // MAX_TRIES)
    return [("*", f"!{out}") for out in (*leaves, *names[step // 2 :: step][:MAX_TRIES])]


def _passed(found: Grade) -> tuple[str, ...]:
    return tuple(sorted(module.name for module in found.modules if module.verdict is ModuleVerdict.PASSED))
