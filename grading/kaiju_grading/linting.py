"""A lint of the agent's library files, with what the stub already had taken off."""

from collections import Counter
from dataclasses import replace
from functools import partial

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.harness import library_of
from kaiju_grading.report import LintReport, LintStatus, Problem
from kaiju_grading.sandboxes import read_aside
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend


async def run_lint(suite: Suite, files: Files, backend: Backend) -> LintReport:
    """Lint those of `files` that a submission would hold. Raises SandboxError for faults of the machine."""
    language = languages.get(suite.language)
    library = submission_of(files, suite.roots, language, suite.known).files
    paths = tuple(sorted(library))
    if not paths:
        return LintReport(LintStatus.COULD_NOT_LINT, cause="there is no library file to look at")
    result = await backend.run(language.lint(library_of(suite, library)), language.build_limits)
    report = await read_aside(partial(language.read_lint, result, paths))
    if report.status is LintStatus.COULD_NOT_LINT:
        return report
    charged = _charged(report.problems, suite.lint_baseline)
    counts = any(problem.severity != "note" for problem in charged)
    return replace(report, status=LintStatus.FINDINGS if counts else LintStatus.CLEAN, problems=charged)


def _charged(problems: tuple[Problem, ...], baseline: tuple[str, ...]) -> tuple[Problem, ...]:
    """The problems that the stub does not have, or has less often."""
    forgiven = Counter(baseline)
    charged: list[Problem] = []
    for problem in problems:
        if forgiven[problem.key] > 0:
            forgiven[problem.key] -= 1
        else:
            charged.append(problem)
    return tuple(charged)
