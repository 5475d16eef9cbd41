"""Go, tested with its own testing package.

::

    allowed.py      what a submission may hold
    sandboxed.py    the program of ours that does the work inside the sandbox, and its answers
    build.py        the library alone compiles
    compile.py      one test program a package, with the files of every module
    test.py         chosen tests of compiled programs
    lint.py         gofmt, go vet, staticcheck
    own_build.py    go build of an agent's whole tree
    tells.py        what is noted of a submission's sources
    prepare.py      from a module of the proxy to the parts of a task
    tools/          our program, in Go
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading.language import Language, Level
from kaiju_grading.languages.go.allowed import admits
from kaiju_grading.languages.go.build import build_command, read_build
from kaiju_grading.languages.go.compile import compile_tests
from kaiju_grading.languages.go.lint import lint_command, read_lint
from kaiju_grading.languages.go.own_build import own_build
from kaiju_grading.languages.go.tells import TELLS
from kaiju_grading.languages.go.test import read_tests, test_command
from kaiju_sandbox.limits import MIB, Limits

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
    tells: Mapping[str, str] = field(default_factory=lambda: TELLS)
    build_limits: Limits = field(default=BUILD_LIMITS)

    admits = staticmethod(admits)
    build = staticmethod(build_command)
    read_build = staticmethod(read_build)
    compile = staticmethod(compile_tests)
    test = staticmethod(test_command)
    read_tests = staticmethod(read_tests)
    lint = staticmethod(lint_command)
    read_lint = staticmethod(read_lint)
    own_build = staticmethod(own_build)


LANGUAGE: Language = Go()
