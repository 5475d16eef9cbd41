"""What a language offers the grader: commands to run and bytes to read. It never holds a backend."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kaiju_grading.files import Files
from kaiju_grading.outcome import TestReport
from kaiju_grading.report import BuildReport, LintReport
from kaiju_grading.suite import Test
from kaiju_sandbox.command import Command
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.result import Result

WORK = "/kaiju/work"
"""Where the composed tree (library, build files, tests) stands in a sandbox, at preparation and grading."""


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of chosen tests over a composed tree."""

    __test__ = False

    work: Files = field(repr=False)
    environment: Environment = field(repr=False)
    files: tuple[str, ...]
    """Test files to collect, as paths of `work`."""
    tests: tuple[Test, ...]
    """Exactly these run. Empty: all that the files hold (preparation)."""
    options: Mapping[str, str] = field(default_factory=dict)
    messages: bool = False
    """Carry failure texts; only for visible runs and preparation."""
    seed: int = 0
    """Another number, another order of what the language leaves unordered, such as hash tables."""


class Language(Protocol):
    """The grading half. `languages/<id>/__init__.py` has it as LANGUAGE."""

    id: str
    title: str
    purl_types: tuple[str, ...]
    """Package URL types of its releases, such as `pypi`. Languages may share one."""
    build_files: tuple[str, ...]
    """Names of which a source folder of this language has one at its top, such as `pyproject.toml`."""

    def admits(self, path: str, roots: tuple[str, ...]) -> str | None:
        """None if a submission may hold this path, else the reason in words an agent can act on."""
        ...

    def build(self, work: Files, sources: tuple[str, ...], environment: Environment) -> Command:
        """A command that builds the library alone; `work` holds no test."""
        ...

    def read_build(self, result: Result, sources: tuple[str, ...]) -> BuildReport:
        """Any limit or unreadable answer is a build that failed."""
        ...

    def test(self, run: TestRun) -> Command: ...

    def read_tests(self, run: TestRun, result: Result) -> TestReport:
        """Total: any bytes give a report."""
        ...

    def lint(self, work: Files, paths: tuple[str, ...], environment: Environment) -> Command:
        """Lint exactly `paths` with our configuration; the tree's own is not looked at."""
        ...

    def read_lint(self, result: Result, paths: tuple[str, ...]) -> LintReport: ...
