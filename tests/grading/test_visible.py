"""Visible runs and lint, as an agent asks for them."""

from dataclasses import dataclass, replace

import anyio
import pytest

from kaiju_grading.language import Language
from kaiju_grading.linting import run_lint
from kaiju_grading.outcome import Outcome
from kaiju_grading.report import LintReport, LintStatus, VisibleReport
from kaiju_grading.suite import Suite
from kaiju_grading.visible import run_visible
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

pytestmark = pytest.mark.anyio
SMALL, OTHER = "seen/sums.py::test_small", "seen/sums.py::test_other"


@dataclass
class Together:
    """A backend that knows how many of its sandboxes were there at once; one of them may be a fault."""

    backend: Backend
    broken: int = 0
    name: str = "together"
    begun: int = 0
    now: int = 0
    most: int = 0

    async def run(self, command: Command, limits: Limits) -> Result:
        self.begun += 1
        if self.begun == self.broken:
            raise SandboxFault("no memory")
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await self.backend.run(command, limits)
        finally:
            self.now -= 1

    async def check(self) -> tuple[Check, ...]:
        return ()

    async def sweep(self) -> int:
        return 0


async def seen(
    suite: Suite, backend: Backend, changes: dict[str, str], tests: tuple[str, ...] = ()
) -> VisibleReport:
    files = dict(suite.reference) | {path: File(text.encode()) for path, text in changes.items()}
    with anyio.fail_after(30):
        return await run_visible(suite, files, tests, backend)


async def linted(suite: Suite, backend: Backend, files: dict[str, str]) -> LintReport:
    with anyio.fail_after(30):
        return await run_lint(suite, {path: File(text.encode()) for path, text in files.items()}, backend)


async def test_visible_tests_say_what_failed_and_what_was_printed(suite: Suite, backend: Backend) -> None:
    wrong = "def add(a, b):\n    print('called', a, b)\n    return 2\n"
    found = await seen(suite, backend, {"lib/sums.py": wrong})
    assert [(test.id, test.outcome, test.message) for test in found.tests] == [
        (SMALL, Outcome.PASSED, ""),
        (OTHER, Outcome.FAILED, "one and two"),
    ]
    assert "called 1 2" in found.output
    assert (found.cause, found.problems) == ("", ())
    assert found.seconds > 0


async def test_only_the_tests_that_were_asked_for_run(suite: Suite, backend: Backend) -> None:
    found = await seen(suite, backend, {}, (OTHER,))
    assert [(test.id, test.outcome) for test in found.tests] == [(OTHER, Outcome.PASSED)]


async def test_unknown_and_held_out_ids_are_refused_alike(suite: Suite, backend: Backend) -> None:
    held_out = suite.modules[0].tests[0].id
    with pytest.raises(ValueError, match="expected ids of visible tests") as caught:
        await seen(suite, backend, {}, (SMALL, "nonsense\n", held_out))
    refused = f"tests: got {held_out!r}, 'nonsense\\n'; expected ids of visible tests, such as "
    assert str(caught.value).startswith(refused)
    assert sorted(str(caught.value).removeprefix(refused).split(", ")) == sorted((SMALL, OTHER))


async def test_nothing_tells_that_a_file_stands_where_a_held_out_one_will(
    suite: Suite, backend: Backend
) -> None:
    hidden = replace(suite, heldout=dict(suite.heldout) | {"lib/hidden.py": File(b"")})
    looks = "import os\nprint('there:', os.path.exists('lib/hidden.py'))\n"
    found = await seen(hidden, backend, {"lib/sums.py": looks, "lib/hidden.py": "# todo\n"})
    assert "there: True" in found.output
    assert (await linted(hidden, backend, {"lib/hidden.py": "# todo\n"})).files == 1


async def test_a_visible_run_sees_no_held_out_file(suite: Suite, backend: Backend) -> None:
    spy = (
        "import os\nprint(sorted(os.listdir()), os.path.exists('check'))\ndef add(a, b):\n    return a + b\n"
    )
    found = await seen(suite, backend, {"lib/sums.py": spy})
    assert "['README.md', 'lib', 'seen', 'table.py'] False" in found.output


async def test_a_library_that_does_not_build_runs_no_visible_test(suite: Suite, backend: Backend) -> None:
    found = await seen(suite, backend, {"lib/sums.py": "def:\n"})
    assert found.tests == ()
    assert [problem.rule for problem in found.problems] == ["syntax"]
    assert found.cause == "the library does not build"


async def test_the_library_is_built_beside_the_tests(suite: Suite, backend: Backend) -> None:
    both = Together(backend)
    found = await seen(suite, both, {})
    assert [test.outcome for test in found.tests] == [Outcome.PASSED, Outcome.PASSED]
    assert both.most == 2


async def test_a_library_that_does_not_build_ends_its_tests(suite: Suite, backend: Backend) -> None:
    """Within the thirty seconds of `seen`."""
    patient = replace(suite, limits=Limits(wall=300, cpu=300))
    endless = {"lib/sums.py": "while True:\n    pass\n", "lib/words.py": "def:\n"}
    found = await seen(patient, backend, endless)
    assert found.cause == "the library does not build"
    assert found.tests == ()


@pytest.mark.parametrize("broken", [1, 2])
async def test_a_fault_of_the_machine_is_told_as_itself(suite: Suite, backend: Backend, broken: int) -> None:
    with pytest.raises(SandboxFault, match=r"^no memory$"):
        await seen(suite, Together(backend, broken), {})


async def test_a_visible_run_that_hits_a_limit_says_which(suite: Suite, backend: Backend) -> None:
    short = replace(suite, limits=Limits(wall=2))
    found = await seen(short, backend, {"lib/sums.py": "def add(a, b):\n    while True:\n        pass\n"})
    assert found.tests[0].outcome is not Outcome.PASSED
    assert "limit wall" in found.cause


async def test_an_empty_library_gives_results_and_no_fault(suite: Suite, backend: Backend) -> None:
    with anyio.fail_after(30):
        found = await run_visible(suite, {}, (), backend)
    assert all(test.outcome is not Outcome.PASSED for test in found.tests)
    assert found.cause


async def test_findings_of_the_stub_are_forgiven_as_often_as_the_stub_has_them(
    suite: Suite, backend: Backend
) -> None:
    once = await linted(suite, backend, {"lib/sums.py": "\n# TODO\n"})
    assert (once.status, once.problems, once.files) == (LintStatus.CLEAN, (), 1)
    twice = await linted(suite, backend, {"lib/sums.py": "# TODO\n# TODO\n", "lib/words.py": "# TODO\n"})
    assert twice.status is LintStatus.FINDINGS
    assert [(problem.path, problem.line) for problem in twice.problems] == [
        ("lib/sums.py", 2),
        ("lib/words.py", 1),
    ]


async def test_only_library_files_are_linted(suite: Suite, backend: Backend, toy_language: Language) -> None:
    others = {"README.md": "TODO", "check/sums.py": "# TODO\n", "lib/data.txt": "TODO", "x/a.py": "# TODO\n"}
    assert toy_language.admits("lib/a.py", suite.roots) is None
    none = await linted(suite, backend, others)
    assert (none.status, none.files) == (LintStatus.COULD_NOT_LINT, 0)
    assert none.cause
    one = await linted(suite, backend, others | {"lib/a.py": "A = 1\n"})
    assert (one.status, one.files) == (LintStatus.CLEAN, 1)
