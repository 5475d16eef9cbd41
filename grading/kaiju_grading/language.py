"""What a language offers the grader: commands to run and bytes to read. It never holds a backend."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from kaiju_grading.files import Files
from kaiju_grading.outcome import TestReport
from kaiju_grading.own_build import OwnBuild
from kaiju_grading.report import BuildReport, LintReport, Problem
from kaiju_grading.steps import Steps
from kaiju_grading.suite import Test
from kaiju_sandbox.command import Command
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

Level = Literal["package", "file", "class", "part", "function"]
"""What makes tests one module: a folder, a file, a class (or what the language has), neighbours, nothing."""
WORK = "/kaiju/work"
"""Where the composed tree (library, build files, tests) stands in a sandbox, at preparation and grading."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library with its build files, and no test."""

    work: Files = field(repr=False)
    sources: tuple[str, ...]
    """Its own files, as paths of `work`: what a submission holds."""
    environment: Environment = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of chosen tests over a composed tree."""

    __test__ = False

    work: Files = field(repr=False)
    """The composed tree; where tests are compiled, what compiling kept for this part, and no source."""
    environment: Environment = field(repr=False)
    files: tuple[str, ...]
    """Test files to collect."""
    tests: tuple[Test, ...]
    """Exactly these run. Empty: all that the files hold (preparation)."""
    options: Mapping[str, str] = field(default_factory=dict)
    messages: bool = False
    """Carry failure texts; only for visible runs and preparation."""
    seed: int = 0
    """Another number, another order of what the language leaves unordered, such as hash tables."""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By slot: the table that compiled tests look their values up in."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """A tree whose tests are to be compiled against its library."""

    work: Files = field(repr=False)
    """Library, build files and the test files and helpers of every part."""
    sources: tuple[str, ...]
    """The library's files: only problems in these are the agent's to read."""
    parts: Mapping[str, tuple[str, ...]]
    """By name of a part (a module, a visible file): its test files and helpers. Parts may share files."""
    environment: Environment = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Programs:
    """What compiling gave."""

    files: Mapping[str, Files] = field(repr=False)
    """By part: what its runs mount as `TestRun.work`. Parts may share them."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Parts whose tests do not compile, and why, in words that may quote held-out tests."""
    problems: tuple[Problem, ...] = ()
    """Compile errors in `Compilation.sources`, in the agent's own words."""


class Language(Protocol):
    """The grading half. `languages/<id>/__init__.py` has it as LANGUAGE."""

    @property
    def id(self) -> str:
        """The name of its folder."""
        ...

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        ...

    @property
    def purl_types(self) -> tuple[str, ...]:
        """Package URL types of its releases, such as `pypi`. Languages may share one."""
        ...

    @property
    def build_files(self) -> tuple[str, ...]:
        """Names of which a source folder of this language has one at its top, such as `pyproject.toml`."""
        ...

    @property
    def levels(self) -> tuple[Level, ...]:
        """How held-out tests may be divided into modules, coarsest first."""
        ...

    @property
    def tells(self) -> Mapping[str, str]:
        """Regular expressions of a source file, and what each reaches for: findings, never a verdict."""
        ...

    @property
    def build_limits(self) -> Limits:
        """For building the library, compiling tests against it, and linting."""
        ...

    def admits(self, path: str, roots: tuple[str, ...]) -> str | None:
        """None if a submission may hold this path, else the reason in words an agent can act on."""
        ...

    def build(self, library: Library) -> Command:
        """A command that builds the library alone."""
        ...

    def read_build(self, result: Result, sources: tuple[str, ...]) -> BuildReport:
        """Any limit or unreadable answer is a build that failed."""
        ...

    def compile(self, compilation: Compilation) -> Steps[Programs] | None:
        """Compile the tests of every part; one part that does not compile costs no other.

        None where tests run from source. Every part is in `files` or `failed`.
        """
        ...

    def test(self, run: TestRun) -> Command: ...

    def read_tests(self, run: TestRun, result: Result) -> TestReport:
        """Total: any bytes give a report."""
        ...

    def lint(self, library: Library) -> Command:
        """Lint exactly its sources with our configuration; the tree's own is not looked at."""
        ...

    def read_lint(self, result: Result, paths: tuple[str, ...]) -> LintReport: ...

    def own_build(self, tree: Library) -> Steps[OwnBuild]:
        """The ecosystem's own build of a whole tree with its own build files, offline.

        `tree.work` is the agent's, to the last file: what it declares is run, and decides nothing else. What
        the environment lacks (a build backend, a dependency) is not measured.
        """
        ...
