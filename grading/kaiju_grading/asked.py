"""What is asked for second opinions: a submission that was paid, and where its runs are made."""

import re
from dataclasses import dataclass, field, replace

from kaiju_grading import languages
from kaiju_grading.bodies import Bodies
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, ModuleVerdict
from kaiju_grading.grader import GradeJob
from kaiju_grading.harness import Harness
from kaiju_grading.outcome import Outcome
from kaiju_grading.plan import Draw
from kaiju_grading.runs import Runs
from kaiju_grading.sandboxes import Places, Sandboxes
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.backend import Backend


@dataclass(frozen=True, slots=True)
class Asked:
    """One submission and its grade. Modules that were not paid are not asked about: nobody lost by them."""

    suite: Suite = field(repr=False)
    files: Files = field(repr=False)
    paid: tuple[Module, ...]
    draw: Draw = field(repr=False)
    sandboxes: Sandboxes
    bodies: Bodies

    @classmethod
    def of(cls, job: GradeJob, grade: Grade, backend: Backend, places: Places) -> "Asked":
        """`grade` is that of the job."""
        suite, language = job.suite, languages.get(job.suite.language)
        passed = {module.name for module in grade.modules if module.verdict is ModuleVerdict.PASSED}
        sandboxes = Sandboxes(backend, suite.limits, language.build_limits, places)
        return cls(
            suite,
            job.submission.files,
            tuple(module for module in suite.modules if module.name in passed),
            Draw(job.key, suite.task_digest, job.submission.digest, job.stage),
            sandboxes,
            Bodies(suite, languages.preparation(suite.language), sandboxes),
        )

    def words(self, module: Module) -> frozenset[str]:
        """Of the tests of a module: names of all that they reach, among others."""
        texts = (self.suite.heldout[path].data.decode(errors="replace") for path in module.mounted)
        return frozenset(word for text in texts for word in re.findall(r"\w+", text))

    def runs(self, files: Files, modules: tuple[Module, ...]) -> Runs:
        """Of these modules alone: where tests are compiled, only theirs are."""
        suite = replace(self.suite, modules=modules)
        return Runs(Harness(suite, languages.get(suite.language), self.sandboxes), files)


async def failing(runs: Runs, module: Module) -> frozenset[str]:
    """Ids of the module that do not pass as written. Raises SandboxError."""
    report = await runs.report(module, module.tests)
    outcomes = report.outcomes if report.sound else {}
    return frozenset(test.id for test in module.tests if outcomes.get(test.id) is not Outcome.PASSED)
