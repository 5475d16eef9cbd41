"""Lint: gofmt, go vet and staticcheck over the library's files, each with our own settings."""

from collections.abc import Mapping

from kaiju_grading.language import Library
from kaiju_grading.languages.go.allowed import is_source
from kaiju_grading.languages.go.sandboxed import answer, go_command, patterns, problems, unanswered
from kaiju_grading.readers import values
from kaiju_grading.report import LintReport, LintStatus
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result

_MAX_CAUSE = 2000


def lint_command(library: Library) -> Command:
    sources = [path for path in library.sources if is_source(path)]
    order = {"packages": patterns(library.options), "sources": sources}
    return go_command("lint", order, library.work, library.environment)


def read_lint(result: Result, paths: tuple[str, ...]) -> LintReport:
    """Three outcomes; clean only when every linter came to its end and looked at every Go file of `paths`.

    A library that does not compile could not be linted.
    """
    sources = tuple(path for path in paths if is_source(path))
    found = answer(result)
    if found is None:
        return LintReport(LintStatus.COULD_NOT_LINT, cause=unanswered(result))
    listed, looked = problems(found.get("problems"), sources, "lint"), values.count(found.get("files"))
    cause = _cause(found, looked, len(sources))
    if cause:
        return LintReport(LintStatus.COULD_NOT_LINT, listed, looked, _own_words(cause, listed))
    status = LintStatus.FINDINGS if listed else LintStatus.CLEAN
    return LintReport(status, listed, looked)


def _cause(found: Mapping[str, object], looked: int, expected: int) -> str:
    """Why this is no lint; empty when it is one."""
    failed = found.get("failed")
    if not expected:
        return "there is no Go file to lint"
    if not isinstance(failed, str) or not isinstance(found.get("problems"), list):
        return "the linters did not finish"
    if not failed and looked != expected:
        return f"the linters looked at {looked} of {expected} files"
    return values.text(failed, _MAX_CAUSE)


def _own_words(cause: str, listed: tuple[object, ...]) -> str:
    return "the library does not compile" if listed else cause
