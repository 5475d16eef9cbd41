"""Go, tested with its own testing package.

::

    allowed.py      what a submission may hold
    sandboxed.py    the program of ours that does the work inside the sandbox, and its answers
    build.py        the library alone compiles
    compile.py      one test program a package, with the files of every module
    test.py         chosen tests of compiled programs
    lint.py         gofmt, go vet, staticcheck
    prepare.py      from a module of the proxy to the parts of a task
    tools/          our program, in Go
"""

from dataclasses import dataclass, field

from kaiju_grading.language import Compilation, Language, Level, Library, Programs, TestRun
from kaiju_grading.languages.go.allowed import admits
from kaiju_grading.languages.go.build import build_command, read_build
from kaiju_grading.languages.go.compile import compile_tests
from kaiju_grading.languages.go.lint import lint_command, read_lint
from kaiju_grading.languages.go.test import read_tests, test_command
from kaiju_grading.outcome import TestReport
from kaiju_grading.report import BuildReport, LintReport
from kaiju_grading.steps import Steps
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import MIB, Limits
from kaiju_sandbox.result import Result

BUILD_LIMITS = Limits(
    wall=600.0,
    cpu=1200.0,
    memory=6 * 1024 * MIB,
    processes=512,
    file_size=1024 * MIB,
    disk=512 * MIB,
    files=200_000,
    report=64 * MIB,
    keep=1024 * MIB,
)


@dataclass(frozen=True, slots=True)
class Go:
    """The grading half of Go."""

    id: str = "go"
    title: str = "Go"
    purl_types: tuple[str, ...] = ("golang",)
    build_files: tuple[str, ...] = ("go.mod",)
    levels: tuple[Level, ...] = ("package", "file", "part", "function")
    build_limits: Limits = field(default=BUILD_LIMITS)

    def admits(self, path: str, roots: tuple[str, ...]) -> str | None:
        return admits(path, roots)

    def build(self, library: Library) -> Command:
        return build_command(library)

    def read_build(self, result: Result, sources: tuple[str, ...]) -> BuildReport:
        return read_build(result, sources)

    def compile(self, compilation: Compilation) -> Steps[Programs] | None:
        return compile_tests(compilation)

    def test(self, run: TestRun) -> Command:
        return test_command(run)

    def read_tests(self, run: TestRun, result: Result) -> TestReport:
        return read_tests(run, result)

    def lint(self, library: Library) -> Command:
        return lint_command(library)

    def read_lint(self, result: Result, paths: tuple[str, ...]) -> LintReport:
        return read_lint(result, paths)


LANGUAGE: Language = Go()
