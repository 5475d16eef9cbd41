"""Python, tested with pytest.

::

    allowed.py     what a submission may hold
    build.py       every file compiles
    test.py        pytest with pinned ids and our own result channel
    lint.py        ruff, with our rules
    surgery.py     cut tests out of a file, alter an expected value in place
    prepare.py     from an sdist to the parts of a task
    tools/         programs that run inside the sandbox
"""

from dataclasses import dataclass, field

from kaiju_grading.language import Compilation, Language, Level, Library, Programs, TestRun
from kaiju_grading.languages.python.allowed import admits
from kaiju_grading.languages.python.build import build_command, read_build
from kaiju_grading.languages.python.lint import lint_command, read_lint
from kaiju_grading.languages.python.test import read_tests, test_command
from kaiju_grading.outcome import TestReport
from kaiju_grading.report import BuildReport, LintReport
from kaiju_grading.steps import Steps
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result


@dataclass(frozen=True, slots=True)
class Python:
    """The grading half of Python."""

    id: str = "python"
    title: str = "Python"
    purl_types: tuple[str, ...] = ("pypi",)
    build_files: tuple[str, ...] = ("pyproject.toml", "setup.py", "setup.cfg")
    levels: tuple[Level, ...] = ("file", "class", "part", "function")
    build_limits: Limits = field(default_factory=Limits)

    def admits(self, path: str, roots: tuple[str, ...]) -> str | None:
        return admits(path, roots)

    def build(self, library: Library) -> Command:
        return build_command(library)

    def read_build(self, result: Result, sources: tuple[str, ...]) -> BuildReport:
        return read_build(result, sources)

    def compile(self, compilation: Compilation) -> Steps[Programs] | None:
        return None

    def test(self, run: TestRun) -> Command:
        return test_command(run)

    def read_tests(self, run: TestRun, result: Result) -> TestReport:
        return read_tests(run, result)

    def lint(self, library: Library) -> Command:
        return lint_command(library)

    def read_lint(self, result: Result, paths: tuple[str, ...]) -> LintReport:
        return read_lint(result, paths)


LANGUAGE: Language = Python()
