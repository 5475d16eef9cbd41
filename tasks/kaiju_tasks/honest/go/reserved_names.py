"""A library whose names look reserved."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import in_packages

_CODE = """package {package}

func kaijuPassed(string) bool { return false }

func kaijuName(string) string { return "" }

type kaijuValues map[string]string

func kaijuString() string { return kaijuName("") }

func kaijuBool(slot int) int { return slot }

type kaijulookup struct{ kaijuInt func() }

func TestMain() bool { return kaijuPassed("") }

func BenchmarkNothing() string { return kaijuName("") }

func ExampleNothing() kaijuValues { return nil }
"""

CASE = Case(
    name="17-reserved-names",
    summary="has files and functions whose names look like the test runner's",
    apply=in_packages(
        {
            "kaiju_values.go": _CODE,
            "testing_test_helpers.go": "package {package}\n",
            "testmain.go": "package {package}\n",
        }
    ),
)
