"""Lint of Go with our own settings, in real sandboxes: what a tree says of linters changes nothing."""

from tests.grading.linted import linted

from kaiju_grading.report import LintReport, LintStatus
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.environment import Environment

TREE = {
    "go.mod": "module example.com/calc\n\ngo 1.24\n",
    "staticcheck.conf": 'checks = ["none"]\n',
    ".golangci.yml": "linters:\n  disable-all: true\n",
    "calc.go": """//lint:file-ignore S1002 the tree says so

// Package calc counts.
package calc

// Even tells.
func Even(x bool) bool {
	//lint:ignore S1002 the tree says so
	if x == true { //nolint
		x = x //nolint:all
		return true
	}
	panic(x)
}
""",
    "two words.go": """package calc

// Odd tells.
func Odd(x bool) bool {
	if x == false {
		panic(x)
	}
	return false
}
""",
    "left_out.go": "//go:build ignore\n\npackage calc\n\nfunc  Out() {}\n",
    "README.md": "package (\n",
}
SOURCES = ("calc.go", "two words.go", "left_out.go")


def test_no_setting_and_no_comment_hides_a_finding_of_gos_linters(
    go_linters: Environment, backend: Backend
) -> None:
    report = linted("go", backend, go_linters, TREE, *SOURCES)

    assert report.status is LintStatus.FINDINGS, report.cause
    assert report.files == len(SOURCES)
    assert {(one.path, one.rule) for one in report.problems} == {
        ("calc.go", "S1002"),
        ("calc.go", "vet:assign"),
        ("calc.go", "SA4018"),
        ("two words.go", "S1002"),
        ("left_out.go", "gofmt"),
    }


def test_a_library_that_does_not_compile_could_not_be_linted(
    go_linters: Environment, backend: Backend
) -> None:
    broken = {"go.mod": TREE["go.mod"], "calc.go": "package calc\n\nfunc Add(\n"}

    report = linted("go", backend, go_linters, broken, "calc.go")

    assert report.status is LintStatus.COULD_NOT_LINT
    assert [one.path for one in report.problems] == ["calc.go"]


def test_a_missing_linter_is_no_clean_lint(go_environment: Environment, backend: Backend) -> None:
    """G05: it was never put into the environment."""
    clean = {"go.mod": TREE["go.mod"], "calc.go": "// Package calc adds.\npackage calc\n"}

    report = linted("go", backend, go_environment, clean, "calc.go")

    assert report.status is LintStatus.COULD_NOT_LINT
    assert "staticcheck is missing" in report.cause


def test_a_go_library_without_a_fault_is_clean(go_linters: Environment, backend: Backend) -> None:
    clean = {"go.mod": TREE["go.mod"], "calc.go": "// Package calc adds.\npackage calc\n"}

    assert linted("go", backend, go_linters, clean, "calc.go") == LintReport(LintStatus.CLEAN, files=1)
