"""Lint: gofmt, go vet and staticcheck over the library's files, each with our own settings."""

from kaiju_grading.language import Library
from kaiju_grading.languages.go.allowed import is_source
from kaiju_grading.languages.go.sandboxed import answer, go_command, patterns, problems, unanswered
from kaiju_grading.report import LintReport, LintStatus
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result


def lint_command(library: Library) -> Command:
    sources = [path for path in library.sources if is_source(path)]
    order = {"packages": patterns(library.options), "sources": sources}
    return go_command("lint", order, library.work, library.environment)


def read_lint(result: Result, paths: tuple[str, ...]) -> LintReport:
    """A library that does not compile could not be linted."""
    sources = tuple(path for path in paths if is_source(path))
    found = answer(result)
    if found is None:
        return LintReport(LintStatus.COULD_NOT_LINT, cause=unanswered(result))
    listed = problems(found.get("problems"), sources, "lint")
    cause = str(found.get("failed") or "")
    if cause:
        return LintReport(LintStatus.COULD_NOT_LINT, listed, len(sources), _own_words(cause, listed))
    status = LintStatus.FINDINGS if listed else LintStatus.CLEAN
    return LintReport(status, listed, len(sources))


def _own_words(cause: str, listed: tuple[object, ...]) -> str:
    return "the library does not compile" if listed else cause
