"""Every attack on gradings of Go, over a toy library: forged results earn nothing, honest code all."""

from dataclasses import replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.languages.go.cells import find_cells
from kaiju_grading.preparation import Surgery
from kaiju_grading.stage import Stage
from kaiju_grading.steps import follow
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_tasks import attacks
from kaiju_tasks.attacks.attack import Layout, NotApplicable

LAYOUT = Layout(roots=(".",), packages=("example.com/calc",))
LIMITS = Limits(wall=60)
BUILT_FROM = {"go.mod": "module example.com/calc\n\ngo 1.24\n", "README.md": "calc\n"}
REFERENCE = {
    "calc.go": """// Package calc calculates.
package calc

import "errors"

// Add returns the sum.
func Add(a, b int) int { return a + b }

// Valid tells whether s says anything.
func Valid(s string) bool { return s != "" }

// Div returns a / b.
func Div(a, b int) (int, error) {
	if b == 0 {
		return 0, errors.New("zero")
	}
	return a / b, nil
}

// Name is the library's name.
func Name() string { return "calc" }
"""
}
STUB = {
    "calc.go": """// Package calc calculates.
package calc

// Add returns the sum.
func Add(a, b int) int { panic("not implemented") }

// Valid tells whether s says anything.
func Valid(s string) bool { panic("not implemented") }

// Div returns a / b.
func Div(a, b int) (int, error) { panic("not implemented") }

// Name is the library's name.
func Name() string { panic("not implemented") }
"""
}
HELDOUT = {
    "calc_test.go": """package calc

import "testing"

func TestAdd(t *testing.T) {
	for _, tt := range []struct{ a, b, want int }{{1, 2, 3}, {5, 7, 12}, {-1, 1, 0}} {
		if got := Add(tt.a, tt.b); got != tt.want {
			t.Errorf("Add(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestAddBig(t *testing.T) {
	if Add(1000, 1) != 1001 {
		t.Error("wrong")
	}
}

func TestValid(t *testing.T) {
	if Valid("x") == false {
		t.Error("x must be valid")
	}
	if Valid("") {
		t.Error("empty must be invalid")
	}
}

func TestDivByZero(t *testing.T) {
	if _, err := Div(1, 0); err == nil {
		t.Fatal("no error")
	}
}

func TestParts(t *testing.T) {
	t.Run("even", func(t *testing.T) {
		if got, err := Div(8, 2); err != nil || got != 4 {
			t.Error(got, err)
		}
	})
	t.Run("odd", func(t *testing.T) {
		if got, _ := Div(9, 2); got != 4 {
			t.Error(got)
		}
	})
}
""",
    "outside_test.go": """package calc_test

import (
	"fmt"
	"testing"

	"example.com/calc"
)

func TestName(t *testing.T) {
	if calc.Name() != "calc" {
		t.Error("wrong name")
	}
}

func TestSum(t *testing.T) {
	const want = 4
	if got := calc.Add(2, 2); got != want {
		t.Fatalf("got %d", got)
	}
}

func ExampleAdd() {
	fmt.Println(calc.Add(5, 6))
	// Output: 11
}
""",
}
NAMES = {
    "calc_test.go": ("TestAdd", "TestAddBig", "TestValid", "TestDivByZero", "TestParts"),
    "outside_test.go": ("TestName", "TestSum", "ExampleAdd"),
}
TESTS = tuple(Test(f"{path}::{name}", f"{path}::{name}") for path in NAMES for name in NAMES[path])
REFUSED = frozenset({"07-embed-tests", "14-linkname", "19-shadow-predeclared", "38-nested-deep"})
"""Attacks that do not pass the build."""


def encoded(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


@pytest.fixture(scope="module")
def calc(go_environment: Environment, backend: Backend) -> Suite:
    """A suite of two modules in one package, altered by the real surgery."""
    language = languages.get("go")
    library = encoded(REFERENCE | BUILT_FROM)
    surgery = Surgery(library, encoded(HELDOUT), TESTS, go_environment)

    async def find() -> Suite:
        with anyio.fail_after(240):
            cells = await follow(
                find_cells(surgery), lambda command: backend.run(command, language.build_limits)
            )
        return Suite(
            language="go",
            task_digest="sha256:calc",
            environment=go_environment,
            roots=LAYOUT.roots,
            workspace=encoded(STUB | BUILT_FROM),
            reference=encoded(REFERENCE),
            shared={},
            heldout=encoded(HELDOUT),
            visible={},
            modules=tuple(
                Module(path, (path,), tuple(test for test in TESTS if test.within(path))) for path in HELDOUT
            ),
            visible_tests=(),
            cells=cells,
            limits=LIMITS,
        )

    return anyio.run(find)


def graded(suite: Suite, backend: Backend, files: Files, key: bytes = b"secret") -> Grade:
    submission = submission_of(files, suite.roots, languages.get("go"), suite.reserved)

    async def run() -> Grade:
        with anyio.fail_after(300):
            return await grade(GradeJob(suite, submission, Stage.TEST, key), backend)

    return anyio.run(run)


def test_every_test_of_the_toy_library_has_an_alteration(calc: Suite) -> None:
    assert {id for cell in calc.cells for id in cell.tests} == {test.id for test in TESTS}
    kinds = {site.kind for cell in calc.cells for site in cell.sites}
    assert {"==", "bool", "raises"} <= kinds


def test_the_table_of_a_run_does_not_tell_what_is_altered_by_its_form(calc: Suite) -> None:
    """A bit of a condition is as often true as false where nothing is altered."""
    bits = [site.choice.real for cell in calc.cells for site in cell.sites if site.weak and site.choice]

    assert set(bits) == {"true", "false"}


def test_the_honest_control_earns_everything_under_any_key(calc: Suite, backend: Backend) -> None:
    for key in (b"one", b"two", b"three"):
        verdict = graded(calc, backend, encoded(REFERENCE), key)
        assert verdict.reward == 1.0, verdict.modules
        assert not verdict.findings


def test_the_stub_earns_nothing(calc: Suite, backend: Backend) -> None:
    verdict = graded(calc, backend, encoded(STUB))

    assert verdict.status is GradeStatus.GRADED
    assert verdict.reward == 0.0


def test_a_module_is_paid_without_the_other(calc: Suite, backend: Backend) -> None:
    text = REFERENCE["calc.go"].replace('return "calc"', 'panic("not implemented")')

    verdict = graded(calc, backend, encoded({"calc.go": text}))

    assert {module.name: module.verdict for module in verdict.modules} == {
        "calc_test.go": ModuleVerdict.PASSED,
        "outside_test.go": ModuleVerdict.FAILED,
    }


@pytest.mark.parametrize("name", attacks.names("go"))
def test_an_attack_earns_nothing(calc: Suite, backend: Backend, name: str) -> None:
    tree = attacks.get("go", name).apply(calc.workspace, LAYOUT)
    assert not isinstance(tree, NotApplicable)

    verdict = graded(calc, backend, tree)

    assert verdict.status is GradeStatus.GRADED, verdict.cause
    assert verdict.reward == 0.0, verdict.modules
    if name in REFUSED:
        assert {module.verdict for module in verdict.modules} == {ModuleVerdict.BUILD_FAILED}


def test_a_suite_that_is_not_altered_pays_a_forger(calc: Suite, backend: Backend) -> None:
    """The alterations are what stops a forger inside the process: without them it is paid."""
    tree = attacks.get("go", "04-forge-markers").apply(calc.workspace, LAYOUT)
    assert not isinstance(tree, NotApplicable)

    assert graded(replace(calc, cells=()), backend, tree).reward == 1.0
