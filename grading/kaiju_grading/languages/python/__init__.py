"""Python, tested with pytest.

::

    allowed.py     what a submission may hold
    build.py       every file compiles
    test.py        pytest with pinned ids and our own result channel
    lint.py        ruff, with our rules
    surgery.py     cut tests out of a file, alter an expected value in place
    own_build.py   a wheel of an agent's whole tree, by the backend that it declares
    tells.py       what is noted of a submission's sources
    prepare.py     from an sdist to the parts of a task
    tools/         programs that run inside the sandbox
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading.language import Compilation, Language, Level
from kaiju_grading.languages.python.allowed import admits
from kaiju_grading.languages.python.build import build_command, read_build
from kaiju_grading.languages.python.lint import lint_command, read_lint
from kaiju_grading.languages.python.own_build import own_build
from kaiju_grading.languages.python.tells import TELLS
from kaiju_grading.languages.python.test import read_tests, test_command
from kaiju_sandbox.limits import Limits


def _from_source(compilation: Compilation) -> None:
    """Tests run from source."""


@dataclass(frozen=True, slots=True)
class Python:
    """The grading half of Python."""

    id: str = "python"
    title: str = "Python"
    purl_types: tuple[str, ...] = ("pypi",)
    build_files: tuple[str, ...] = ("pyproject.toml", "setup.py", "setup.cfg")
    levels: tuple[Level, ...] = ("file", "class", "part", "function")
    tells: Mapping[str, str] = field(default_factory=lambda: TELLS)
    build_limits: Limits = field(default_factory=Limits)

    admits = staticmethod(admits)
    build = staticmethod(build_command)
    read_build = staticmethod(read_build)
    compile = staticmethod(_from_source)
    test = staticmethod(test_command)
    read_tests = staticmethod(read_tests)
    lint = staticmethod(lint_command)
    read_lint = staticmethod(read_lint)
    own_build = staticmethod(own_build)


LANGUAGE: Language = Python()
