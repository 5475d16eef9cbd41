"""Alterations of Go tests: what is found, what is left alone, and when honest code may pass it."""

from collections import Counter

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.languages.go.cells import find_cells
from kaiju_grading.preparation import Surgery
from kaiju_grading.steps import follow
from kaiju_grading.suite import Site, SiteKind, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment

LIBRARY = {
    "go.mod": "module example.com/calc\n",
    "calc.go": """package calc

type Kind string

func Name(n int) string { return "n" }

func Kinds() []Kind { return []Kind{"a"} }

func Check(s string) error { return nil }
""",
}
TESTS = """package calc

import (
	"strings"
	"testing"
)

func TestLiteral(t *testing.T) {
	if Name(1) != "one" {
		t.Error("wrong")
	}
}

func TestTable(t *testing.T) {
	for _, tt := range []struct {
		in   int
		want string
	}{{11, "eleven"}, {in: 12, want: "twelve"}} {
		if got := Name(tt.in); got != tt.want {
			t.Errorf("got %s", got)
		}
	}
}

func TestVariable(t *testing.T) {
	want := "variable"
	if got := Name(3); got != want {
		t.Fatal(got)
	}
}

func same(t *testing.T, got, want string) {
	if got != want {
		t.Error(got)
	}
}

func TestHelper(t *testing.T) {
	same(t, Name(4), "helped")
}

func TestLoop(t *testing.T) {
	for _, kind := range Kinds() {
		if kind != "looped" {
			t.Error(kind)
		}
	}
}

func TestInput(t *testing.T) {
	text := "input"
	if err := Check(text); err != nil {
		t.Error(err)
	}
	if text != strings.ToLower(text) {
		t.Error(text)
	}
}

func TestConstant(t *testing.T) {
	const want = "constant"
	switch Name(5) {
	case "cased":
	default:
		t.Error("other")
	}
	if Name(6) != want {
		t.Error("wrong")
	}
}

func TestNothing(t *testing.T) { Name(7) }

func TestCounted(t *testing.T) {
	for n := 0; n < 9; n++ {
		if !strings.HasPrefix(Name(n), "n") {
			t.Error("wrong")
		}
	}
	for range 3 {
		if Check("") != nil {
			t.Error("checked")
		}
	}
}

func TestUncounted(t *testing.T) {
	for n := 0; n < len(Name(8)); n++ {
		if !strings.HasPrefix(Name(n), "n") {
			t.Error("wrong")
		}
	}
}

func TestEither(t *testing.T) {
	if got := Name(9); !strings.HasPrefix(got, "n") || len(got) != 4 {
		t.Error(got)
	}
}

func TestOneMayDo(t *testing.T) {
	if got := Name(9); got != "either" && len(got) != 4 {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	if len(Name(1)) != 41 || len(Name(2)) != 57 || len(Name(3)) != 68 {
		t.Error("wrong")
	}
	if len(Name(1)) != 29 {
		t.Error("wrong")
	}
}
"""
PATH = "calc_test.go"
NAMES = (
    *("Literal", "Table", "Variable", "Helper", "Loop", "Input", "Constant", "Nothing"),
    *("Counted", "Uncounted", "Either", "OneMayDo", "Numbers"),
)


@pytest.fixture(scope="module")
def sites(go_environment: Environment, backend: Backend) -> dict[str, list[Site]]:
    """By name of the test."""
    tests = tuple(Test(f"{PATH}::Test{name}", f"{PATH}::Test{name}") for name in NAMES)
    library = {path: File(text.encode()) for path, text in LIBRARY.items()}
    surgery = Surgery(library, {PATH: File(TESTS.encode())}, tests, go_environment)

    async def find() -> dict[str, list[Site]]:
        limits = languages.get("go").build_limits
        with anyio.fail_after(240):
            cells = await follow(find_cells(surgery), lambda command: backend.run(command, limits))
        return {cell.tests[0].rpartition("::Test")[2]: list(cell.sites) for cell in cells}

    return anyio.run(find)


def values(sites: list[Site]) -> list[str]:
    """The real value of each place."""
    found = (site.choice.real for site in sites if site.choice and site.kind is SiteKind.EQUAL)
    return list(dict.fromkeys(found))


def only(sites: list[Site]) -> Site:
    """Any alteration of the one place that there is."""
    assert len({(site.start, site.end, site.replacement) for site in sites}) == 1
    return sites[0]


def replaced(site: Site) -> str:
    return TESTS.encode()[site.start : site.end].decode()


def test_a_compared_literal_is_looked_up(sites: dict[str, list[Site]]) -> None:
    site = only(sites["Literal"])

    assert replaced(site) == '"one"'
    assert site.replacement.startswith("kaijuString(")
    assert not site.conditional
    assert not site.weak


def test_expected_fields_of_a_table_are_looked_up_and_its_inputs_are_not(
    sites: dict[str, list[Site]],
) -> None:
    assert values(sites["Table"]) == ["eleven", "twelve"]
    assert not any(site.conditional for site in sites["Table"])


def test_what_a_variable_holds_is_looked_up(sites: dict[str, list[Site]]) -> None:
    assert values(sites["Variable"]) == ["variable"]


def test_what_a_helper_is_given_to_compare_is_looked_up(sites: dict[str, list[Site]]) -> None:
    site = only(sites["Helper"])

    assert site.kind is SiteKind.HELPER
    assert replaced(site) == '"helped"'


def test_assertions_that_the_library_may_skip_are_conditional_and_keep_their_type(
    sites: dict[str, list[Site]],
) -> None:
    site = only(sites["Loop"])

    assert site.conditional
    assert site.replacement.startswith("Kind(kaijuString(")


def test_inputs_of_the_library_are_left_alone(sites: dict[str, list[Site]]) -> None:
    assert values(sites["Input"]) == []
    assert {site.kind for site in sites["Input"]} == {SiteKind.RAISES, SiteKind.BOOL}


def test_constants_are_left_alone_and_their_condition_is_negated(sites: dict[str, list[Site]]) -> None:
    site = only(sites["Constant"])

    assert replaced(site) == "Name(6) != want"
    assert site.weak


def test_a_test_without_an_assertion_has_no_cell(sites: dict[str, list[Site]]) -> None:
    assert "Nothing" not in sites


def test_altered_values_are_of_the_same_kind_and_length(sites: dict[str, list[Site]]) -> None:
    for found in sites.values():
        for site in found:
            assert site.choice is not None
            assert site.choice.real != site.choice.altered
            if site.kind is SiteKind.EQUAL:
                assert len(site.choice.real) == len(site.choice.altered)


def test_a_place_has_several_wrong_values_that_the_tests_have_themselves(
    sites: dict[str, list[Site]],
) -> None:
    for name in ("Literal", "Table", "Variable", "Helper"):
        by_place = Counter(site.start for site in sites[name])
        assert max(by_place.values()) > 1, name
    last = [site.choice.altered for site in sites["Numbers"] if site.choice and site.choice.real == "29"]
    assert set(last) == {"41", "57", "68"}


def test_a_loop_that_counts_to_a_constant_is_surely_run(sites: dict[str, list[Site]]) -> None:
    assert [site.conditional for site in sites["Counted"]] == [False, False]
    assert all(site.conditional for site in sites["Uncounted"])


def test_a_condition_is_turned_around_rather_than_altered_where_it_may_not_be_looked_at(
    sites: dict[str, list[Site]],
) -> None:
    site = only(sites["OneMayDo"])

    assert replaced(site) == 'got != "either" && len(got) != 4'
    assert not site.conditional


def test_of_two_conditions_that_must_both_hold_each_is_surely_looked_at(sites: dict[str, list[Site]]) -> None:
    site = only(sites["Either"])

    assert replaced(site) == "4"
    assert not site.conditional
