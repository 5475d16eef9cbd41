"""Own builds of Go: `go build ./...` with the tree's own go.mod."""

from collections.abc import Mapping
from dataclasses import replace

import anyio
import pytest

from kaiju_grading.building import build_itself
from kaiju_grading.own_build import BuildsItself
from kaiju_grading.submission import Submission
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment

pytestmark = pytest.mark.anyio
YES, NO, NOT_MEASURED = BuildsItself.YES, BuildsItself.NO, BuildsItself.NOT_MEASURED
MODULE = "module example.com/calc\n\ngo 1.24\n"
CALC = "// Package calc calculates.\npackage calc\n\n// One is 1.\nfunc One() int { return 1 }\n"
COMMAND = 'package main\n\nimport "example.com/calc"\n\nfunc main() { println(calc.One()) }\n'
ELSEWHERE = 'package calc\n\nimport _ "example.org/absent"\n'

NEEDY = MODULE + "\nrequire example.org/absent v1.0.0\n"
SUMS = "".join(f"example.org/absent v1.0.0{part} h1:{'A' * 43}=\n" for part in ("", "/go.mod"))


def encoded(files: Mapping[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


@pytest.fixture
def calc(suite: Suite, go_environment: Environment) -> Suite:
    return replace(
        suite,
        language="go",
        environment=go_environment,
        roots=(".",),
        workspace=encoded({"go.mod": MODULE, "calc.go": CALC.replace("return 1", 'panic("")')}),
        reference=encoded({"calc.go": CALC}),
    )


@pytest.mark.parametrize(
    ("changes", "outcome", "said"),
    [
        ({}, YES, ""),
        ({"cmd/calc/main.go": COMMAND}, YES, ""),
        ({"go.mod": "modul example.com/calc\n"}, NO, "unknown directive: modul"),
        ({"go.mod": None}, NO, "does not contain main module"),
        ({"go.mod": NEEDY, "more.go": ELSEWHERE}, NO, "go.sum"),
        ({"broken.go": "package calc\n\nfunc Two() int {}\n"}, NO, "broken.go"),
        ({"calc.go": None}, NO, "matched no packages"),
        ({"more.go": ELSEWHERE}, NO, "no required module provides package example.org/absent"),
        ({"go.mod": NEEDY, "go.sum": SUMS, "more.go": ELSEWHERE}, NOT_MEASURED, "lacks a module"),
    ],
)
async def test_a_module_builds_itself_with_its_own_go_mod(
    calc: Suite, backend: Backend, changes: dict[str, str | None], outcome: BuildsItself, said: str
) -> None:
    whole = {
        **calc.workspace,
        **calc.reference,
        **encoded({path: text for path, text in changes.items() if text}),
    }
    beside = {path: file for path, file in whole.items() if changes.get(path, "") is not None}
    files = {path: beside.pop(path) for path in list(beside) if path.endswith(".go")}
    with anyio.fail_after(120):
        found = await build_itself(calc, Submission("", files, beside=beside), backend)
    assert found.outcome is outcome, found.cause
    assert said in found.cause
