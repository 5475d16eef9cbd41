"""Lint: ruff with our rules over the library's Python files; the tree's own settings are not looked at."""

from dataclasses import dataclass, field

from kaiju_grading.language import WORK, Library
from kaiju_grading.languages.python.allowed import SOURCE_SUFFIXES
from kaiju_grading.languages.python.sandboxed import Program, python_command, records
from kaiju_grading.readers import ruff, values
from kaiju_grading.report import LintReport, LintStatus, Problem
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result

RULES = ("E4", "E7", "E9", "F")
"""Imports, statements, run-time errors, pyflakes: what is wrong in any style. Never ruff's moving default."""

FORMAT_RULE = "format"
TOO_LARGE_RULE = "too-large"
_FORMAT_ONLY = frozenset({"unformatted", "unformatted-file"})
"""Of `ruff format`: files that cannot be parsed are findings of `ruff check` already."""
_CHECKED = frozenset({0})
_FORMATTED = frozenset({0, 1, 2})
"""Exit statuses: 1 when a file would change, 2 when one could not be parsed."""


def lint_command(library: Library) -> Command:
    """Lint exactly the Python files among its sources."""
    ruff_program = library.environment.programs.get("ruff", "")
    instructions = {"paths": _python(library.sources), "ruff": ruff_program, "rules": RULES}
    return python_command(Program("kaiju_lint.py"), instructions, library.work, library.environment)


def read_lint(result: Result, paths: tuple[str, ...]) -> LintReport:
    """Three outcomes; clean only when ruff itself looked at every Python file of `paths`.

    `format` findings name files that ruff would lay out differently. Where the stub is laid out in another
    style its baseline has the same finding, so only files that were well laid out, or are new, are charged.
    """
    expected = _python(paths)
    answer = _Answer(frozenset(expected))
    found = records(result.report)
    understood = found is not None and all(answer.take(record) for record in found)
    cause = _cause(result, answer, len(expected), understood=understood)
    if cause:
        return LintReport(LintStatus.COULD_NOT_LINT, files=answer.files, cause=cause)
    problems = tuple(
        sorted(set(answer.problems), key=lambda problem: (problem.path, problem.line, problem.column))
    )
    charged = any(problem.severity != "note" for problem in problems)
    status = LintStatus.FINDINGS if charged else LintStatus.CLEAN
    return LintReport(status, problems=problems, files=answer.files)


@dataclass(slots=True)
class _Answer:
    """What the program in the sandbox said so far."""

    asked: frozenset[str]
    files: int = 0
    problems: list[Problem] = field(default_factory=list)
    ended: bool = False

    def take(self, record: dict[str, object]) -> bool:
        """Whether the record is part of a complete answer."""
        status, event = record.get("status"), record.get("event")
        if not isinstance(event, str) or not isinstance(status, int | None):
            return False
        if event == "files":
            count = record.get("files")
            self.files += count if type(count) is int and count > 0 else 0
            return status in _CHECKED
        if event == "end":
            self.ended = True
            return True
        if event == "large":
            return self._take_large(record)
        problems = ruff.read(record.get("findings"), WORK)
        if problems is None or any(problem.path not in self.asked for problem in problems):
            return False
        if event == "check":
            self.problems += problems
            return status in _CHECKED
        self.problems += _layout(problems)
        # Where it says nothing of any file it did not end because of one.
        return event == "format" and status in (_FORMATTED if problems else _CHECKED)

    def _take_large(self, record: dict[str, object]) -> bool:
        """Files that were only measured: that they are too large is the finding."""
        paths, limit = record.get("paths"), values.count(record.get("limit"))
        if not isinstance(paths, list):
            return False
        known = sorted({path for path in paths if isinstance(path, str) and path in self.asked})
        self.files += len(known)
        message = f"the file is larger than {limit} bytes; it was not linted"
        self.problems += [Problem(path, 1, 1, TOO_LARGE_RULE, message) for path in known]
        return len(known) == len(paths)


def _layout(problems: tuple[Problem, ...]) -> list[Problem]:
    return [
        Problem(problem.path, problem.line, problem.column, FORMAT_RULE, problem.message)
        for problem in problems
        if problem.rule in _FORMAT_ONLY
    ]


def _cause(result: Result, answer: _Answer, expected: int, *, understood: bool) -> str:
    """Why this is no lint; empty when it is one."""
    if result.limit is not None:
        return f"the linter reached its {result.limit.name} limit"
    if not expected:
        return "there is no Python file to lint"
    if not result.ok or not understood or not answer.ended:
        return "the linter did not finish; it may be missing from the environment"
    if answer.files != expected:
        return f"the linter looked at {answer.files} of {expected} files"
    return ""


def _python(paths: tuple[str, ...]) -> list[str]:
    return sorted({path for path in paths if path.endswith(tuple(SOURCE_SUFFIXES))})
