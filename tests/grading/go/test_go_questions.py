"""Questions in Go tests: what is asked, what is left alone, and what becomes of the text."""

import re

import anyio
import pytest

from kaiju_grading import languages, plain
from kaiju_grading.compose import apply_sites
from kaiju_grading.languages.go.cells import find_cells
from kaiju_grading.preparation import Surgery
from kaiju_grading.steps import follow
from kaiju_grading.suite import Cell, Site, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment

LIBRARY = {
    "go.mod": "module example.com/calc\n",
    "calc.go": """package calc

type Kind string

type Point struct{ X, Y int }

func Name(n int) string { return "n" }

func Sum(n int) (int, error) { return n, nil }

func Large(n int) uint64 { return 1 }

func Small(n int) uint8 { return 1 }

func Kinds() []Kind { return []Kind{"a"} }

func At(n int) Point { return Point{n, n} }

func Data(n int) []byte { return nil }

func Real(n int) float64 { return 0 }
""",
    "assert/assert.go": """package assert

type T interface{ Errorf(string, ...interface{}) }

func Equal(t T, expected, actual interface{}, words ...interface{}) bool {
	return expected == actual
}
""",
}
HEAD = """package calc

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/calc/assert"
)

var _ = []any{bytes.Equal, fmt.Sprint, reflect.DeepEqual, strings.ToUpper, assert.Equal}

"""
ASKED: dict[str, tuple[str, str, list[object]]] = {
    "Literal": ('if Name(1) != "one" { t.Error() }', 'if !kaijuSame(Name(1), "?") { t.Error() }', ["one"]),
    "Reversed": ("if 71 != len(Name(1)) { t.Error() }", "if !kaijuSame(?, len(Name(1))) { t.Error() }", [71]),
    "Else": (
        'if Name(1) == "one" { t.Log() } else { t.Error() }',
        'if kaijuSame(Name(1), "?") { t.Log() } else { t.Error() }',
        ["one"],
    ),
    "Either": (
        "if n, err := Sum(1); err != nil || n != 2041 { t.Error(n) }",
        "if n, err := Sum(1); err != nil || !kaijuSame(n, ?) { t.Error(n) }",
        [2041],
    ),
    "Minus": (
        "if n, _ := Sum(1); n != -2041 { t.Error(n) }",
        "if n, _ := Sum(1); !kaijuSame(n, -?) { t.Error(n) }",
        [2041],
    ),
    "Large": (
        "if Large(1) != 18446744073709551615 || len(Name(1)) != 60 { t.Error() }",
        "if !kaijuSame(Large(1), ?) || !kaijuSame(len(Name(1)), ?) { t.Error() }",
        [18446744073709551615, 60],
    ),
    "Real": ("if Real(1) != 2.75 { t.Error() }", "if !kaijuSame(Real(1), ?) { t.Error() }", [2.75]),
    "Variable": (
        'want := "one"\n\tif got := Name(3); got != want { t.Fatalf("got %s, want %s", got, want) }',
        'want := "?"\n\tif got := Name(3); !kaijuSame(got, want) { t.Fatalf("got %s, want %s", got, want) }',
        ["one"],
    ),
    "Refilled": (
        'want := "one"\n\tif Name(1) != want { t.Error() }\n\t'
        'want = "two"\n\tif Name(2) != want { t.Error() }',
        'want := "?"\n\tif !kaijuSame(Name(1), want) { t.Error() }\n\t'
        'want = "?"\n\tif !kaijuSame(Name(2), want) { t.Error() }',
        ["one", "two"],
    ),
    "Kinds": (
        'if !reflect.DeepEqual(Kinds(), []Kind{"one", "two"}) { t.Error() }',
        'if !reflect.DeepEqual(kaijuPair(Kinds(), []Kind{Kind("?"), Kind("?")})) { t.Error() }',
        ["one", "two"],
    ),
    "Struct": (
        "if got := At(1); got != (Point{1701, 1702}) { t.Error(got) }",
        "if got := At(1); !kaijuSame(got, (Point{?, ?})) { t.Error(got) }",
        [1701, 1702],
    ),
    "Bytes": (
        'if !bytes.Equal(Data(1), []byte("data")) { t.Error() }',
        'if !bytes.Equal(kaijuBytes(Data(1), []byte("?"))) { t.Error() }',
        ["data"],
    ),
    "Called": (
        'assert.Equal(t, "one", Name(1), "not one word")',
        'kaijuCall(assert.Equal)(t, "?", Name(1), "not one word")',
        ["one"],
    ),
    "Each": (
        'want := []string{"one", "two"}\n\tfor i := range want { if want[i] != Name(i) { t.Error() } }',
        'want := []string{"?", "?"}\n\tfor i := range want { if !kaijuSame(want[i], Name(i)) { t.Error() } }',
        ["one", "two"],
    ),
    "Ranged": (
        'for i, want := range []string{"one", "two"} { if want != Name(i) { t.Error() } }',
        'for i, want := range []string{"?", "?"} { if !kaijuSame(want, Name(i)) { t.Error() } }',
        ["one", "two"],
    ),
}
TABLE = """for _, tt := range []struct {
		in   int
		name string
		want string
	}{{11, "first", "eleven"}, {in: 12, want: "twelve"}} {
		tt := tt
		t.Run(tt.name, func(t *testing.T) {
			if got := Name(tt.in); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}"""
LEFT = {
    "Unequal": 'if Name(1) == "one" { t.Error() }',
    "OneMayDo": 'if Name(1) != "one" && Name(1) != "two" { t.Error() }',
    "Skipped": 'for _, kind := range Kinds() { if kind != "looped" { t.Error() } }',
    "Printed": 'want := "one"\n\tfmt.Println(want)\n\tif Name(1) != want { t.Error() }',
    "Given": 'want := "one"\n\tif Name(len(want)) != want { t.Error() }',
    "Folded": 'want := "one"\n\tif Name(1) != strings.ToUpper(want) { t.Error() }',
    "Changed": 'want := "one"\n\tif Small(1) == 7 { want = "two" }\n\tif Name(1) != want { t.Error() }',
    "Passing": (
        'want := "one"\n\tif Small(1) == 7 { if Name(1) != want { t.Error() } }\n\t'
        'want = "two"\n\tif Name(1) != want { t.Error() }'
    ),
    "Small": "if Small(1) != 77 { t.Error() }",
    "Truth": 'if (Name(1) == "") != false { t.Error() }',
    "Whole": 'w := struct{ want string }{"one"}\n\tfmt.Println(w)\n\tif Name(1) != w.want { t.Error() }',
    "Chosen": 'names := []string{"one", "two"}\n\tif names[len(Name(1))] != Name(2) { t.Error() }',
}
PATH = "calc_test.go"


def written(name: str, body: str) -> str:
    return f"func Test{name}(t *testing.T) {{\n\t{body}\n}}\n\n"


BODIES = {name: body for name, (body, _, _) in ASKED.items()} | {"Table": TABLE} | LEFT
BODIES |= {
    "Echoed": 'if Name(len("one")) != "one" { t.Error() }',
    "Told": 'if Name(1) != "one" { t.Errorf("this is not one") }',
    "Again": 'if Name(1) != "one" { t.Error() }\n\tif Name(2) != "one" { t.Error() }',
}
TESTS = HEAD + "".join(written(name, body) for name, body in BODIES.items())


@pytest.fixture(scope="module")
def cells(go_environment: Environment, backend: Backend) -> dict[str, Cell]:
    """By name of the test."""
    tests = tuple(Test(f"{PATH}::Test{name}", f"{PATH}::Test{name}") for name in BODIES)
    library = {path: File(text.encode()) for path, text in LIBRARY.items()}
    surgery = Surgery(library, {PATH: File(TESTS.encode())}, tests, go_environment)

    async def find() -> dict[str, Cell]:
        limits = languages.get("go").build_limits
        with anyio.fail_after(240):
            found = await follow(find_cells(surgery), lambda command: backend.run(command, limits))
        return {cell.tests[0].rpartition("::Test")[2]: cell for cell in found}

    return anyio.run(find)


def asking(name: str, sites: tuple[Site, ...]) -> str:
    """The body of a test with these edits, and `?` for what is looked up."""
    text = apply_sites({PATH: File(TESTS.encode())}, sites)[PATH].data.decode()
    body = text.partition(f"func Test{name}(t *testing.T) {{\n\t")[2].partition("\n}\n\n")[0]
    for site in sites:
        if site.choice and site.question:
            lookup = f'("{site.choice.slot}")'
            for accessor, shown in (("String", '"?"'), ("Int", "?"), ("Uint", "?"), ("Float", "?")):
                body = body.replace(f"int(kaiju{accessor}{lookup})", shown)
                body = body.replace(f"kaiju{accessor}{lookup}", shown)
    # Of a condition that is a flip, too, the comparison alone.
    return re.sub(r"\((!?kaiju\w+\([^{}]*?\))\) [!=]= kaijuBool\(\"\w+\"\)", r"\1", body)


def expected(cell: Cell) -> list[object]:
    return [plain.decode(site.question.expected) for site in cell.asked if site.question]


@pytest.mark.parametrize("name", ASKED)
def test_a_literal_that_a_test_must_find_equal_is_asked(cells: dict[str, Cell], name: str) -> None:
    _, text, answers = ASKED[name]
    assert (asking(name, cells[name].asked), expected(cells[name])) == (text, answers)


def test_rows_of_a_table_are_asked_and_their_inputs_are_not(cells: dict[str, Cell]) -> None:
    text = asking("Table", cells["Table"].asked)

    assert expected(cells["Table"]) == ["eleven", "twelve"]
    assert '{{11, "first", "?"}, {in: 12, want: "?"}}' in text
    assert "kaijuSame(got, tt.want)" in text


@pytest.mark.parametrize("name", LEFT)
def test_what_does_more_than_be_found_equal_is_not_asked(cells: dict[str, Cell], name: str) -> None:
    assert name not in cells or cells[name].asked == ()


def test_an_expected_value_that_the_test_says_elsewhere_is_echoed(cells: dict[str, Cell]) -> None:
    echoed = {
        name: [site.question.echoed for site in cells[name].asked if site.question]
        for name in ("Literal", "Echoed", "Told", "Again")
    }
    assert echoed == {"Literal": [False], "Echoed": [True], "Told": [True], "Again": [False, False]}


def test_what_is_asked_is_looked_up_where_the_flips_look_it_up(cells: dict[str, Cell]) -> None:
    for cell in cells.values():
        places = {(site.start, site.end): site.replacement for site in cell.sites}
        for site in cell.asked:
            assert places.get((site.start, site.end), site.replacement) == site.replacement
            if site.choice:
                assert (site.start, site.end) in places
