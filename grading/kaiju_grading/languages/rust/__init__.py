"""Rust, tested with libtest.

::

    allowed.py     what a submission may hold
    build.py       the library alone compiles
    inline.py      tests cut out of library files, and put back
    layout.py      the tree that is compiled, and the names of its tests
    compile.py     test programs, with blame for what does not compile
    test.py        chosen tests of a program, values on its standard input
    lint.py        clippy and rustfmt, with our rules
    own_build.py   cargo build of an agent's whole tree
    tells.py        what is noted of a submission's sources
    prepare.py     from a crate to the parts of a task
    tools/         scripts that run inside the sandbox, and modules that look values up and answer
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading.language import Language, Level
from kaiju_grading.languages.rust.allowed import admits
from kaiju_grading.languages.rust.build import build_command, read_build
from kaiju_grading.languages.rust.compile import compile_tests
from kaiju_grading.languages.rust.lint import lint_command, read_lint
from kaiju_grading.languages.rust.own_build import own_build
from kaiju_grading.languages.rust.sandboxed import BUILD_LIMITS
from kaiju_grading.languages.rust.tells import TELLS
from kaiju_grading.languages.rust.test import read_tests, test_command
from kaiju_sandbox.limits import Limits


@dataclass(frozen=True, slots=True)
class Rust:
    """The grading half of Rust."""

    id: str = "rust"
    title: str = "Rust"
    purl_types: tuple[str, ...] = ("cargo",)
    build_files: tuple[str, ...] = ("Cargo.toml",)
    levels: tuple[Level, ...] = ("file", "class", "part", "function")
    tells: Mapping[str, str] = field(default_factory=lambda: TELLS)
    build_limits: Limits = field(default_factory=lambda: BUILD_LIMITS)

    admits = staticmethod(admits)
    build = staticmethod(build_command)
    read_build = staticmethod(read_build)
    compile = staticmethod(compile_tests)
    test = staticmethod(test_command)
    read_tests = staticmethod(read_tests)
    lint = staticmethod(lint_command)
    read_lint = staticmethod(read_lint)
    own_build = staticmethod(own_build)


LANGUAGE: Language = Rust()
