"""Build, test and lint of Python trees, in real sandboxes."""

from collections.abc import Mapping

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.language import Library, TestRun
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.report import BuildReport, LintReport, LintStatus
from kaiju_grading.suite import Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

PYTHON = languages.get("python")
LIB = {"lib/__init__.py": "def add(a, b):\n    return a + b\n"}


class Bench:
    """Runs the language's commands."""

    def __init__(self, backend: Backend, environment: Environment) -> None:
        self.backend = backend
        self.environment = environment

    def _result(self, command: Command, limits: Limits) -> Result:
        async def run() -> Result:
            with anyio.fail_after(120):
                return await self.backend.run(command, limits)

        return anyio.run(run)

    def build(self, files: Mapping[str, str | bytes], limits: Limits | None = None) -> BuildReport:
        work = encoded(files)
        command = PYTHON.build(Library(work, tuple(work), self.environment))
        return PYTHON.read_build(self._result(command, limits or Limits(wall=30)), tuple(work))

    def lint(self, files: Mapping[str, str | bytes], *paths: str) -> LintReport:
        chosen = paths or tuple(files)
        command = PYTHON.lint(Library(encoded(files), chosen, self.environment))
        return PYTHON.read_lint(self._result(command, Limits(wall=60)), chosen)

    def test(
        self,
        files: Mapping[str, str],
        *tests: Test,
        options: Mapping[str, str] | None = None,
        messages: bool = True,
        limits: Limits | None = None,
    ) -> TestReport:
        paths = tuple(path for path in files if path.rsplit("/", 1)[-1].startswith("test_"))
        run = TestRun(encoded(files), self.environment, paths, tests, options or {}, messages)
        return PYTHON.read_tests(run, self._result(PYTHON.test(run), limits or Limits(wall=30)))


@pytest.fixture(scope="module")
def bench(backend: Backend, python_environment: Environment) -> Bench:
    return Bench(backend, python_environment)


def encoded(files: Mapping[str, str | bytes]) -> dict[str, File]:
    return {path: File(text if isinstance(text, bytes) else text.encode()) for path, text in files.items()}


def names(report: TestReport) -> dict[str, Outcome]:
    return {id.partition("::")[2]: outcome for id, outcome in report.outcomes.items()}


def test_a_library_that_compiles_is_built_without_being_imported(bench: Bench) -> None:
    assert bench.build({"lib/__init__.py": "raise SystemExit\n", "lib/data.json": "{"}) == BuildReport(
        ok=True
    )


def test_every_file_that_does_not_compile_is_named_with_its_line(bench: Bench) -> None:
    report = bench.build(
        {
            "lib/good.py": "x = 1\n",
            "lib/syntax.py": "x = 1\ndef f(:\n",
            "lib/outside.py": "return 1\n",
            "lib/nul.py": b"x = 1\0\n",
            "lib/coding.py": b"x = '\xff'\n",
            "lib/deep.py": "(" * 5000 + ")" * 5000,
        }
    )

    assert not report.ok
    assert [(problem.path, problem.line) for problem in report.problems] == [
        *(("lib/coding.py", 1), ("lib/deep.py", 1), ("lib/nul.py", 0)),
        *(("lib/outside.py", 1), ("lib/syntax.py", 2)),
    ]


def test_a_build_that_reaches_a_limit_has_failed_and_names_the_file(bench: Bench) -> None:
    hostile = {"lib/a.py": "x = 1\n", "lib/big.py": "x = [" + "1+1," * 3_000_000 + "]\n"}

    report = bench.build(hostile, Limits(wall=30, memory=256 * 1024 * 1024))

    assert not report.ok
    assert report.problems[-1].path == "lib/big.py"
    assert "limit on memory" in report.problems[-1].message


IDS = """import pytest

@pytest.mark.parametrize("e", ["1 + 1", "a - b PASSED", "x]y", "p::q", "", "dup", "dup", "\\u00e9", "[100%]"])
def test_eval(e):
    assert e != "x]y"
"""


def test_ids_are_carried_byte_for_byte_and_units_never_cut_from_text(bench: Bench) -> None:
    report = bench.test({"tests/test_a.py": IDS})

    assert report.sound, report.problem
    assert list(names(report)) == [
        *("test_eval[1 + 1]", "test_eval[a - b PASSED]", "test_eval[x]y]", "test_eval[p::q]", "test_eval[]"),
        *("test_eval[dup0]", "test_eval[dup1]", "test_eval[\\xe9]", "test_eval[[100%]]"),
    ]
    assert [outcome.value for outcome in report.outcomes.values()].count("failed") == 1
    assert {test.unit for test in report.collected} == {"tests/test_a.py::test_eval"}
    assert [test.ordinal for test in report.collected] == list(range(9))


ENDINGS = """import os, time, unittest
import pytest

class TestU(unittest.TestCase):
    def test_sub(self):
        \"\"\"A docstring is no id.\"\"\"
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    def test_sub_skip(self):
        with self.subTest():
            self.skipTest("x")

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

def test_subtests(subtests):
    for i in range(3):
        with subtests.test(i=i):
            assert i != 1

@pytest.mark.xfail
def test_xpass():
    pass

@pytest.mark.xfail(strict=True)
def test_strict():
    pass

@pytest.mark.xfail
def test_xfail():
    assert 0

@pytest.fixture
def bad():
    raise KeyError("x")

@pytest.fixture
def late():
    yield
    raise KeyError("x")

def test_setup(bad):
    pass

def test_teardown(late):
    pass

def test_skip():
    pytest.skip("why")

def test_fork():
    if os.fork() == 0:
        raise ValueError("the child runs on into the runner")
    os.wait()

def test_passes():
    pass
"""


def test_endings_of_real_tests_are_told_apart(bench: Bench) -> None:
    report = bench.test({"tests/test_a.py": ENDINGS})

    assert report.sound, report.problem
    assert {name.rsplit("::", 1)[-1]: outcome.value for name, outcome in names(report).items()} == {
        "test_sub": "failed",
        "test_sub_skip": "skipped",
        "test_expected": "expected_failure",
        "test_subtests": "failed",
        "test_xpass": "expected_failure",
        "test_strict": "failed",
        "test_xfail": "expected_failure",
        "test_setup": "error",
        "test_teardown": "error",
        "test_skip": "skipped",
        "test_fork": "passed",
        "test_passes": "passed",
    }


ADD = "import lib\n\ndef test_add():\n    print('seen')\n    assert lib.add(1, 2) == 4  # the sum\n"


def test_a_failure_text_has_values_places_and_output_but_no_source(bench: Bench) -> None:
    report = bench.test(LIB | {"tests/test_a.py": ADD})
    text = report.messages["tests/test_a.py::test_add"]

    assert "assert 3 == 4" in text
    assert "tests/test_a.py:5 in test_add" in text
    assert "seen" in text
    assert "# the sum" not in text


def test_a_grading_run_carries_no_text(bench: Bench) -> None:
    report = bench.test(LIB | {"tests/test_a.py": ADD}, messages=False)

    assert names(report) == {"test_add": Outcome.FAILED}
    assert not report.messages


def test_a_file_that_cannot_be_collected_leaves_the_others_their_results(bench: Bench) -> None:
    report = bench.test(LIB | {"tests/test_a.py": "import nope\n", "tests/test_b.py": "def test_b(): pass\n"})

    assert report.sound, report.problem
    assert names(report) == {"test_b": Outcome.PASSED}
    assert len(report.collect_errors) == 1
    assert "No module named 'nope'" in report.collect_errors[0]


def test_a_conftest_that_cannot_import_the_library_is_told(bench: Bench) -> None:
    report = bench.test(
        {"tests/conftest.py": "import lib\n", "tests/test_a.py": "def test_a(): pass\n"},
        Test("tests/test_a.py::test_a", "tests/test_a.py::test_a"),
    )

    assert not report.sound
    assert names(report) == {"test_a": Outcome.ABSENT}
    assert report.collect_errors == ("conftest.py: ModuleNotFoundError: No module named 'lib'",)


def test_a_hang_is_told_from_what_ran_before_and_what_did_not(bench: Bench) -> None:
    tests = {"test_a": "pass", "test_hang": "import time; time.sleep(60)", "test_c": "pass"}
    text = "".join(f"def {name}():\n    {body}\n" for name, body in tests.items())

    report = bench.test({"tests/test_a.py": text}, limits=Limits(wall=4))

    assert not report.sound
    assert [outcome.value for outcome in report.observed.values()] == ["passed", "timed_out", "absent"]


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), 11)", "os.abort()"])
def test_a_process_that_ends_itself_passes_nothing(bench: Bench, ending: str) -> None:
    text = f"import os\ndef test_a():\n    pass\ndef test_b():\n    {ending}\n"
    pinned = tuple(Test(f"tests/test_a.py::test_{n}", f"tests/test_a.py::test_{n}") for n in "ab")

    report = bench.test({"tests/test_a.py": text}, *pinned, messages=False)

    assert not report.sound
    assert names(report) == {"test_a": Outcome.ABSENT, "test_b": Outcome.CRASHED}


def test_exactly_the_selected_ordinals_run(bench: Bench) -> None:
    text = "import pytest\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_n(n):\n    assert n != 2\n"
    unit = "tests/test_a.py::test_n"

    report = bench.test({"tests/test_a.py": text}, Test(f"{unit}[3]", unit, 2), Test(f"{unit}[1]", unit, 0))

    assert report.sound, report.problem
    assert report.outcomes == {f"{unit}[3]": Outcome.PASSED, f"{unit}[1]": Outcome.PASSED}
    assert report.observed[f"{unit}[2]"] is Outcome.ABSENT


def test_ordinals_follow_the_definition_when_fixtures_reorder_the_tests(bench: Bench) -> None:
    text = (
        "import pytest\n@pytest.fixture(scope='module', params=['a', 'b'])\ndef f(request):\n    return 1\n"
        "def test_x(f): pass\ndef test_y(f): pass\n"
    )

    report = bench.test({"tests/test_a.py": text})

    assert [test.id.partition("::")[2] for test in report.collected] == [
        *("test_x[a]", "test_y[a]", "test_x[b]", "test_y[b]")
    ]
    assert [test.ordinal for test in report.collected] == [0, 0, 1, 1]


SHADOWS = {
    "pytest.py": "raise SystemExit(0)\n",
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-x --co"\n',
    "sitecustomize.py": "import os; os._exit(0)\n",
    "x-1.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    "x-1.dist-info/METADATA": "Name: x\nVersion: 1\n",
    "evil.py": "raise SystemExit(0)\n",
}


def test_files_of_the_tree_neither_replace_nor_steer_the_runner(bench: Bench) -> None:
    report = bench.test(SHADOWS | LIB | {"tests/test_a.py": ADD})

    assert report.sound, report.problem
    assert names(report) == {"test_add": Outcome.FAILED}


def test_options_set_import_mode_search_path_and_settings(bench: Bench) -> None:
    files = {
        "code/mod.py": "V = 3\n",
        "tests/bare.py": "W = 4\n",
        "tests/test_a.py": "import bare, mod\ndef check_it():\n    assert bare.W - mod.V == 1\n",
    }
    options = {"import_mode": "prepend", "path": "code\n.", "ini": "python_functions=check_*"}

    assert names(bench.test(files, options=options)) == {"check_it": Outcome.PASSED}
    assert bench.test(files).collect_errors


def test_src_is_found_and_programs_that_tests_start_find_the_library(bench: Bench) -> None:
    text = (
        "import subprocess, sys\nimport lib\n\ndef test_a():\n"
        "    assert subprocess.call([sys.executable, '-c', 'import lib; lib.add'], cwd='/tmp') == 0\n"
    )

    report = bench.test({"src/lib/__init__.py": "def add(): pass\n", "tests/test_a.py": text})

    assert names(report) == {"test_a": Outcome.PASSED}


@pytest.mark.parametrize(
    ("options", "words"),
    [({"import_mode": "magic"}, "import_mode is 'magic'"), ({"ini": "[tool]"}, "ini has the line")],
)
def test_an_option_of_another_form_is_named(bench: Bench, options: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bench.test(LIB | {"tests/test_a.py": ADD}, options=options)


def test_lint_names_findings_and_counts_the_files_it_looked_at(bench: Bench) -> None:
    report = bench.lint({"lib/a.py": "import os\n", "lib/b.py": "X = 1\n", "lib/data.json": "{"})

    assert report.status is LintStatus.FINDINGS
    assert report.files == 2
    assert [(problem.path, problem.line, problem.rule) for problem in report.problems] == [
        ("lib/a.py", 1, "F401")
    ]


def test_clean_files_are_clean(bench: Bench) -> None:
    report = bench.lint({"lib/a.py": "X = 1\n"})

    assert report == LintReport(LintStatus.CLEAN, files=1)


def test_broken_files_are_findings(bench: Bench) -> None:
    broken: dict[str, str | bytes] = {
        "lib/nul.py": b"x = \0\n",
        "lib/syntax.py": "def f(:\n",
        "lib/coding.py": b"x = '\xff'\n",
    }

    report = bench.lint(broken)

    assert report.status is LintStatus.FINDINGS
    assert report.files == 3
    assert {problem.path for problem in report.problems} == set(broken)


def test_settings_of_the_tree_and_marks_in_the_code_hide_nothing(bench: Bench) -> None:
    report = bench.lint(
        {
            "lib/a.py": "import os  # noqa\n",
            "ruff.toml": 'exclude = ["lib"]\nforce-exclude = true\n',
            "lib/.gitignore": "*\n",
        },
        "lib/a.py",
    )

    assert [problem.rule for problem in report.problems] == ["F401"]


def test_layout_is_a_finding_of_its_own(bench: Bench) -> None:
    report = bench.lint({"lib/a.py": "X  =  1\n"})

    assert [(problem.rule, problem.path) for problem in report.problems] == [("format", "lib/a.py")]


def test_many_files_are_linted_in_one_go(bench: Bench) -> None:
    report = bench.lint({f"lib/{'long' * 20}_{number}.py": "X = 1\n" for number in range(450)})

    assert report == LintReport(LintStatus.CLEAN, files=450)


@pytest.mark.parametrize("paths", [("README.md",), ("lib/missing.py",)])
def test_nothing_looked_at_is_no_clean_lint(bench: Bench, paths: tuple[str, ...]) -> None:
    report = bench.lint(LIB | {"README.md": "x\n"}, *paths)

    assert report.status is LintStatus.COULD_NOT_LINT
    assert report.cause


def test_a_linter_that_is_not_there_is_no_clean_lint(
    backend: Backend, python_environment: Environment
) -> None:
    programs = {**python_environment.programs, "ruff": "/kaiju/env/none"}
    environment = Environment("python", python_environment.layers, python_environment.keys, programs, {})

    report = Bench(backend, environment).lint(LIB)

    assert report.status is LintStatus.COULD_NOT_LINT
    assert "missing" in report.cause


def test_a_huge_file_and_a_flood_of_findings_are_findings(bench: Bench) -> None:
    huge = "X = [\n" + '    "some words of text",\n' * 200_000 + "]\n"
    flood = "".join(f"import module_with_a_long_name_{number}\n" for number in range(30_000))

    report = bench.lint({"lib/huge.py": huge, "lib/flood.py": flood, "lib/good.py": "X = 1\n"})

    assert report.status is LintStatus.FINDINGS
    assert report.files == 3
    assert {problem.rule for problem in report.problems if problem.path == "lib/huge.py"} == {"too-large"}
    assert len([problem for problem in report.problems if problem.path == "lib/flood.py"]) == 2000


def test_what_a_test_leaves_behind_does_not_keep_the_run_from_its_end(bench: Bench) -> None:
    """A test that fails early, because a value in it is altered, stops and joins nothing."""
    left = """import threading


def test_left():
    threading.Thread(target=threading.Event().wait).start()
    assert 1 == 2


def test_next():
    print("said at last", end="")
"""
    chosen = [Test(f"test_a.py::{name}", f"test_a.py::{name}") for name in ("test_left", "test_next")]
    report = bench.test({"test_a.py": left}, *chosen, messages=False, limits=Limits(wall=20))
    assert (report.sound, report.problem) == (True, "")
    assert names(report) == {"test_left": Outcome.FAILED, "test_next": Outcome.PASSED}
