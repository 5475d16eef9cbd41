"""Compiled Go tests in real sandboxes: every ending told apart, one bad file costs no other."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.language import Compilation, Library, Programs, TestRun
from kaiju_grading.languages.go.lock import lock_environment, parts
from kaiju_grading.languages.go.split import split_source
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.preparation import Choices, Release, Source
from kaiju_grading.report import BuildReport
from kaiju_grading.steps import follow
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import MIB, Limits
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

GO = languages.get("go")
TREE = {
    "go.mod": "module example.com/calc\n\ngo 1.24\n",
    "calc.go": "// Package calc adds.\npackage calc\n\n"
    "// Add returns the sum.\nfunc Add(a, b int) int { return a + b }\n",
    "testdata/seven.txt": "7",
}
ENDINGS = """package calc

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestPass(t *testing.T) {
	text, err := os.ReadFile("testdata/seven.txt")
	if err != nil || string(text) != "7" || Add(3, 4) != 7 {
		t.Fatal(err, string(text))
	}
	fmt.Print("a line without its end")
}

func TestFail(t *testing.T) { t.Error("said why") }

func TestSkip(t *testing.T) { t.Skip() }

func TestPanic(t *testing.T) { panic("no") }

func TestLeave(t *testing.T) { syscall.Exit(0) }

func TestLeaveBadly(t *testing.T) { syscall.Exit(3) }

func TestSignal(t *testing.T) { syscall.Kill(os.Getpid(), syscall.SIGKILL) }

func TestGoroutine(t *testing.T) {
	go func() { panic("elsewhere") }()
	select {}
}

func TestLast(t *testing.T) {}
"""
HANG = """package calc

import (
	"testing"
	"time"
)

func TestHang(t *testing.T) { time.Sleep(time.Hour) }

func TestQuick(t *testing.T) {}
"""
HUNGRY = """package calc

import "testing"

func TestHungry(t *testing.T) {
	var held [][]byte
	for {
		part := make([]byte, 1<<24)
		for index := range part {
			part[index] = 1
		}
		held = append(held, part)
	}
}
"""

Compile = Callable[[dict[str, str]], Programs]
Run = Callable[..., TestReport]


@pytest.fixture(scope="module")
def execute(backend: Backend) -> Callable[[Command, Limits], Result]:
    def run(command: Command, limits: Limits) -> Result:
        async def once() -> Result:
            with anyio.fail_after(240):
                return await backend.run(command, limits)

        return anyio.run(once)

    return run


@pytest.fixture(scope="module")
def compiled(go_environment: Environment, backend: Backend) -> Compile:
    """Every test file of the tree a part of its own."""

    def run(files: dict[str, str]) -> Programs:
        work = {path: File(text.encode()) for path, text in {**TREE, **files}.items()}
        parts = {path: (path,) for path in files if path.endswith("_test.go")}
        steps = GO.compile(Compilation(work, ("calc.go",), parts, go_environment))
        assert steps is not None

        async def all_of_it() -> Programs:
            with anyio.fail_after(240):
                return await follow(steps, lambda command: backend.run(command, GO.build_limits))

        return anyio.run(all_of_it)

    return run


@pytest.fixture(scope="module")
def ran(go_environment: Environment, execute: Callable[[Command, Limits], Result]) -> Run:
    def run(programs: Programs, path: str, limits: Limits, **options: str) -> TestReport:
        order = TestRun(programs.files[path], go_environment, (path,), (), options, messages=True)
        return GO.read_tests(order, execute(GO.test(order), limits))

    return run


def by_name(report: TestReport) -> dict[str, Outcome]:
    return {id.rpartition("::")[2]: outcome for id, outcome in report.outcomes.items()}


def test_every_ending_is_told_apart_and_costs_no_other_test(compiled: Compile, ran: Run) -> None:
    programs = compiled({"calc_test.go": ENDINGS})

    report = ran(programs, "calc_test.go", Limits(wall=60))

    assert report.sound, report.problem
    assert by_name(report) == {
        "TestPass": Outcome.PASSED,
        "TestFail": Outcome.FAILED,
        "TestSkip": Outcome.SKIPPED,
        "TestPanic": Outcome.CRASHED,
        "TestLeave": Outcome.CRASHED,
        "TestLeaveBadly": Outcome.CRASHED,
        "TestSignal": Outcome.CRASHED,
        "TestGoroutine": Outcome.CRASHED,
        "TestLast": Outcome.PASSED,
    }
    assert "said why" in report.messages["calc_test.go::TestFail"]


def test_no_source_reaches_the_test_phase(compiled: Compile) -> None:
    programs = compiled({"calc_test.go": ENDINGS})

    paths = set(programs.files["calc_test.go"])

    assert not {path for path in paths if path.endswith(".go")}
    assert "testdata/seven.txt" in paths


def test_a_test_that_hangs_is_ended_and_the_others_still_run(compiled: Compile, ran: Run) -> None:
    report = ran(compiled({"hang_test.go": HANG}), "hang_test.go", Limits(wall=60), idle="2")

    assert by_name(report) == {"TestHang": Outcome.TIMED_OUT, "TestQuick": Outcome.PASSED}


def test_a_hang_past_the_limit_of_the_sandbox_is_unsound(compiled: Compile, ran: Run) -> None:
    report = ran(compiled({"hang_test.go": HANG}), "hang_test.go", Limits(wall=5))

    assert not report.sound
    assert by_name(report)["TestHang"] is Outcome.TIMED_OUT


def test_memory_without_end_is_no_pass(compiled: Compile, ran: Run) -> None:
    report = ran(compiled({"hungry_test.go": HUNGRY}), "hungry_test.go", Limits(wall=60, memory=256 * MIB))

    assert by_name(report)["TestHungry"] is not Outcome.PASSED


def test_a_file_that_does_not_compile_costs_no_other(compiled: Compile, ran: Run) -> None:
    good = 'package calc\n\nimport "testing"\n\nfunc TestGood(t *testing.T) {}\n'
    bad = 'package calc\n\nimport "testing"\n\nfunc TestBad(t *testing.T) { Subtract(1) }\n'
    outside = 'package calc_test\n\nimport "testing"\n\nfunc TestOutside(t *testing.T) { missing() }\n'

    programs = compiled({"good_test.go": good, "bad_test.go": bad, "outside_test.go": outside})

    assert set(programs.failed) == {"bad_test.go", "outside_test.go"}
    assert "Subtract" in programs.failed["bad_test.go"]
    assert by_name(ran(programs, "good_test.go", Limits())) == {"TestGood": Outcome.PASSED}


def test_two_folders_of_one_name_have_programs_of_their_own(compiled: Compile, ran: Run) -> None:
    files = {}
    for folder in ("one", "two"):
        files[f"{folder}/same/same.go"] = "package same\n"
        files[f"{folder}/same/{folder}_test.go"] = (
            f'package same\n\nimport "testing"\n\nfunc Test{folder.title()}(t *testing.T) {{}}\n'
        )

    programs = compiled(files)

    for folder in ("one", "two"):
        report = ran(programs, f"{folder}/same/{folder}_test.go", Limits())
        assert by_name(report) == {f"Test{folder.title()}": Outcome.PASSED}


def built(execute: Callable[[Command, Limits], Result], environment: Environment, text: str) -> BuildReport:
    work = {path: File(content.encode()) for path, content in {**TREE, "calc.go": text}.items()}
    library = Library(work, ("calc.go",), environment, {})
    return GO.read_build(execute(GO.build(library), GO.build_limits), ("calc.go",))


def test_a_library_builds_alone(
    execute: Callable[[Command, Limits], Result], go_environment: Environment
) -> None:
    assert built(execute, go_environment, TREE["calc.go"]).ok


def test_build_errors_are_told_in_the_compilers_words(
    execute: Callable[[Command, Limits], Result], go_environment: Environment
) -> None:
    report = built(execute, go_environment, "package calc\n\nfunc Add(a, b int) int { return c }\n")

    assert not report.ok
    assert [(one.path, one.line, one.message) for one in report.problems] == [("calc.go", 3, "undefined: c")]


@pytest.mark.parametrize(
    "text",
    [
        'package calc\n\nimport _ "embed"\n\n//go:embed *_test.go\nvar all string\n',
        "package calc\n\nconst false = 1 == 1\n",
        'package calc\n\nimport _ "unsafe"\n\n//go:linkname x runtime.x\nfunc x()\n',
        "package calc\n\n//line calc_test.go:1\nvar x int\n",
        'package calc\n\nimport "0.kaiju/values"\n\nvar x = values.Get("")\n',
    ],
)
def test_what_reaches_for_the_tests_does_not_build(
    execute: Callable[[Command, Limits], Result], go_environment: Environment, text: str
) -> None:
    assert not built(execute, go_environment, text).ok


@pytest.mark.usefixtures("go_environment")
def test_a_lock_has_what_packages_import_that_no_pattern_names(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.com/calc\n\ngo 1.24\n",
        "LICENSE": "",
        "a/a.go": "package a\n",
        "a/a_test.go": 'package a\n\nimport (\n\t"testing"\n\n\t_ "example.com/calc/kit"\n)\n\n'
        "func TestA(t *testing.T) {}\n",
        "kit/kit.go": 'package kit\n\nimport (\n\t_ "encoding/csv"\n\t_ "testing"\n)\n',
    }
    encoded = {path: File(text.encode()) for path, text in files.items()}
    source = Source(Release("path:calc", "calc", "0"), encoded, "MIT")
    split = split_source(source, Choices(options={"packages": "./a/..."}))

    lock = lock_environment(split, source, Settings(state_dir=tmp_path))

    assert "encoding/csv" in parts(lock.text)["imports"].split()
