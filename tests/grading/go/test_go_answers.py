"""Questions in whole gradings of Go: right answers earn everything however they are computed, wrong ones cost
their module alone, and no program or table of an asked run holds what is expected."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.languages.go.cells import find_cells
from kaiju_grading.plan import Draw, ModulePlan, plan_module
from kaiju_grading.preparation import Surgery
from kaiju_grading.stage import Stage
from kaiju_grading.steps import follow
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_tasks.attacks.go.planting import payload

GO = languages.get("go")
BUILT_FROM = {"go.mod": "module example.com/calc\n\ngo 1.24\n"}
LIBRARY = """// Package calc gives.
package calc

// Kind is a text of its own.
type Kind string

// Point is a pair.
type Point struct{ X, Y int }

var count int

// Next counts on.
func Next() int { count++; return 7000 + count }

// Text is one of some.
func Text(n int) string { return []string{"alpha", "Beta x", "gamma\\n", "d\\u00e9lta"}[n] }

// Kinds are some.
func Kinds() []Kind { return []Kind{"small", "large"} }

// At is a point.
func At(n int) Point { return Point{1700 + n, 1800 + n} }

// Near is a point, too.
func Near(n int) *Point { return &Point{1900 + n, -n} }

// Data are bytes.
func Data() []byte { return []byte("some data") }

// Sizes by name.
func Sizes() map[string]int { return map[string]int{"one": 4101, "two": 4202} }

// Mixed are values of any kind.
func Mixed() []interface{} { return []interface{}{5301, "mixed", nil, true} }

// Real is between two whole numbers.
func Real(n int) float64 { return []float64{60.75, -0.125, 3e9}[n] }

// Low is below nothing, High as large as can be.
func Low() int64   { return -9007199254740993 }
func High() uint64 { return 18446744073709551615 }
"""
HELDOUT = {
    "give_test.go": """package calc

import (
	"bytes"
	"reflect"
	"testing"
)

func TestNext(t *testing.T) {
	count = 0
	if Next() != 7001 {
		t.Error("wrong")
	}
	if got := Next(); got != 7002 {
		t.Error(got)
	}
}

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want string
	}{{0, "alpha"}, {1, "Beta x"}, {2, "gamma\\n"}, {3, "d\\u00e9lta"}} {
		tt := tt
		t.Run("text", func(t *testing.T) {
			t.Parallel()
			if got := Text(tt.n); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	if want := []Kind{"small", "large"}; !reflect.DeepEqual(want, Kinds()) {
		t.Error(want)
	}
}

func TestAt(t *testing.T) {
	if got := At(1); got != (Point{X: 1701, Y: 1801}) {
		t.Error(got)
	}
}

func TestNear(t *testing.T) {
	if got := Near(2); !reflect.DeepEqual(got, &Point{X: 1902, Y: -2}) {
		t.Error(got)
	}
}

func TestData(t *testing.T) {
	if !bytes.Equal(Data(), []byte("some data")) {
		t.Error("wrong")
	}
}
""",
    "outside_test.go": """package calc_test

import (
	"reflect"
	"testing"

	"example.com/calc"
)

func TestSizes(t *testing.T) {
	want := map[string]int{"one": 4101, "two": 4202}
	if got := calc.Sizes(); !reflect.DeepEqual(got, want) {
		t.Error(got, want)
	}
}

func TestMixed(t *testing.T) {
	if got := calc.Mixed(); !reflect.DeepEqual(got, []interface{}{5301, "mixed", nil, true}) {
		t.Error(got)
	}
}

func TestReal(t *testing.T) {
	for n, want := range []float64{60.75, -0.125, 3e9} {
		if got := calc.Real(n); got != want {
			t.Error(got)
		}
	}
}

func TestEnds(t *testing.T) {
	if calc.Low() != -9007199254740993 || calc.High() != 18446744073709551615 {
		t.Error("wrong")
	}
}

func TestTextOutside(t *testing.T) {
	want := "Beta x"
	if got := calc.Text(1); got != want {
		t.Error(got)
	}
}
""",
}
DRESSED = {
    "as it is": LIBRARY,
    "with private fields": LIBRARY.replace(
        "type Point struct{ X, Y int }", "type Point struct {\n\tX, Y int\n\tseen bool\n}"
    )
    .replace("Point{1700 + n, 1800 + n}", "Point{X: 1700 + n, Y: 1800 + n}")
    .replace("&Point{1900 + n, -n}", "&Point{X: 1900 + n, Y: -n}"),
    "with other types of the same values": LIBRARY.replace(
        "type Kind string", "type Kind = Name\n\ntype Name string"
    )
    .replace("type Point struct{ X, Y int }", "type Point = struct{ X, Y int }")
    .replace("func Data() []byte", "type Bytes []byte\n\nfunc Data() Bytes"),
}
PASSED, FAILED = ModuleVerdict.PASSED, ModuleVerdict.FAILED


def encoded(files: Mapping[str, str]) -> Files:
    return {path: File(text.encode()) for path, text in files.items()}


def declared(path: str) -> tuple[Test, ...]:
    names = [part.partition("(")[0] for part in HELDOUT[path].split("func ") if part.startswith("Test")]
    return tuple(Test(f"{path}::{name}", f"{path}::{name}") for name in names)


@dataclass
class Listening:
    """The real backend, and what its sandboxes were given."""

    backend: Backend
    runs: tuple[tuple[Mapping[str, str], Files], ...] = ()
    """Tables and trees of runs."""
    name: str = "namespace"

    async def check(self) -> tuple[Check, ...]:
        return await self.backend.check()

    async def sweep(self) -> int:
        return await self.backend.sweep()

    async def run(self, command: Command, limits: Limits) -> Result:
        if command.argv[-1] == "run":
            files = {
                path: file
                for one in command.inputs
                if isinstance(one, Tree)
                for path, file in one.files.items()
            }
            self.runs += ((json.loads(command.stdin or b"")["values"], files),)
        return await self.backend.run(command, limits)


@pytest.fixture(scope="module")
def give(go_environment: Environment, backend: Backend) -> Suite:
    """Two modules in one package, altered by the real surgery."""
    modules = tuple(Module(path, (path,), declared(path)) for path in HELDOUT)
    tests = tuple(test for module in modules for test in module.tests)
    surgery = Surgery(encoded({"give.go": LIBRARY} | BUILT_FROM), encoded(HELDOUT), tests, go_environment)

    async def find() -> Suite:
        with anyio.fail_after(240):
            cells = await follow(find_cells(surgery), lambda command: backend.run(command, GO.build_limits))
        return Suite(
            language="go",
            task_digest="sha256:give",
            environment=go_environment,
            roots=(".",),
            workspace=encoded(BUILT_FROM),
            reference=encoded({"give.go": LIBRARY}),
            shared={},
            heldout=encoded(HELDOUT),
            visible={},
            modules=modules,
            visible_tests=(),
            cells=cells,
            limits=Limits(wall=60),
        )

    return anyio.run(find)


def graded(suite: Suite, backend: Backend, library: str, **more: str) -> Grade:
    files = encoded({"give.go": library} | {f"{name}.go": text for name, text in more.items()})
    submission = submission_of(files, suite.roots, GO, suite.reserved)

    async def run() -> Grade:
        with anyio.fail_after(300):
            return await grade(GradeJob(suite, submission, Stage.TEST, b"secret"), backend)

    return anyio.run(run)


def plan_of(suite: Suite, module: Module) -> ModulePlan:
    return plan_module(suite, module, Draw(b"secret", suite.task_digest, "submission", Stage.TEST))


def test_every_test_of_the_toy_library_is_asked(give: Suite) -> None:
    for module in give.modules:
        asked = plan_of(give, module).series.runs[0].asked
        assert asked.keys() == {test.id for test in module.tests}


@pytest.mark.parametrize("name", DRESSED)
def test_right_answers_earn_everything(give: Suite, backend: Backend, name: str) -> None:
    found = graded(give, backend, DRESSED[name])

    assert found.reward == 1.0, found.modules
    assert not found.findings
    assert {module.runs for module in found.modules} == {2}


def test_the_first_run_of_a_module_is_not_told_what_it_asks_and_the_second_is(
    give: Suite, backend: Backend
) -> None:
    listening = Listening(backend)
    graded(give, listening, LIBRARY)

    for module in give.modules:
        asked = {
            site.choice.slot
            for cell in give.cells
            for site in cell.asked
            if site.choice and site.question and site.path in module.files
        }
        given = [asked & values.keys() for values, _ in listening.runs]
        assert sorted(given, key=len) == [set(), set(), set(), asked]


def test_no_program_holds_what_is_asked(give: Suite, backend: Backend) -> None:
    texts = ("Beta x", "some data")
    unknowing = LIBRARY
    for text in texts:
        unknowing = unknowing.replace(text, text.swapcase())
    listening = Listening(backend)
    assert graded(give, listening, unknowing).reward == 0.0

    for _, files in listening.runs:
        assert not any(text.encode() in files["kaiju.test"].data for text in texts)


def test_a_run_is_not_told_what_other_modules_expect(give: Suite, backend: Backend) -> None:
    listening = Listening(backend)
    graded(give, listening, LIBRARY)

    slots = [
        {
            site.choice.slot
            for cell in give.cells
            for site in (*cell.sites, *cell.asked)
            if site.choice and site.path == path
        }
        for path in HELDOUT
    ]
    assert all(any(values.keys() <= own for own in slots) for values, _ in listening.runs)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("60.75", "60.5"),
        ('"mixed"', '"fixed"'),
        ("4202", "4203"),
        ('"Beta x"', '"beta x"'),
        ("18446744073709551615", "18446744073709551614"),
    ],
)
def test_a_wrong_answer_costs_its_module_and_accuses_nobody(
    give: Suite, backend: Backend, right: str, wrong: str
) -> None:
    found = graded(give, backend, LIBRARY.replace(right, wrong))

    verdicts = {module.name: module.verdict for module in found.modules}
    assert verdicts["outside_test.go"] is FAILED
    assert verdicts["give_test.go"] is (FAILED if "eta x" in right else PASSED)
    assert not found.findings
    assert any("asked" in module.cause for module in found.modules)


def test_who_forges_passes_must_answer_too(give: Suite, backend: Backend) -> None:
    found = graded(give, backend, LIBRARY, forging="package calc\n\n" + payload("answers"))

    assert found.reward == 0.0
    assert all("asked, wrong: passed" in module.cause for module in found.modules)


def test_a_suite_without_questions_is_graded_by_flips(give: Suite, backend: Backend) -> None:
    flips = replace(give, cells=tuple(replace(cell, asked=()) for cell in give.cells))

    assert graded(flips, backend, LIBRARY).reward == 1.0
