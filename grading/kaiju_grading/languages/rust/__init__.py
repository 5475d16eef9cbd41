"""Rust, tested with libtest.

::

    allowed.py     what a submission may hold
    build.py       the library alone compiles
    inline.py      tests cut out of library files, and put back
    layout.py      the tree that is compiled, and the names of its tests
    compile.py     test programs, with blame for what does not compile
    test.py        chosen tests of a program, values on its standard input
    lint.py        clippy and rustfmt, with our rules
    prepare.py     from a crate to the parts of a task
    tools/         scripts that run inside the sandbox, and the module that looks values up
"""

from dataclasses import dataclass, field

from kaiju_grading.language import Compilation, Language, Level, Library, Programs, TestRun
from kaiju_grading.languages.rust.allowed import admits
from kaiju_grading.languages.rust.build import build_command, read_build
from kaiju_grading.languages.rust.compile import compile_tests
from kaiju_grading.languages.rust.lint import lint_command, read_lint
from kaiju_grading.languages.rust.sandboxed import BUILD_LIMITS
from kaiju_grading.languages.rust.test import read_tests, test_command
from kaiju_grading.outcome import TestReport
from kaiju_grading.report import BuildReport, LintReport
from kaiju_grading.steps import Steps
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result


@dataclass(frozen=True, slots=True)
class Rust:
    """The grading half of Rust."""

    id: str = "rust"
    title: str = "Rust"
    purl_types: tuple[str, ...] = ("cargo",)
    build_files: tuple[str, ...] = ("Cargo.toml",)
    levels: tuple[Level, ...] = ("file", "class", "part", "function")
    build_limits: Limits = field(default_factory=lambda: BUILD_LIMITS)

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


LANGUAGE: Language = Rust()
