"""Test: chosen tests of compiled programs. No source and no toolchain is in reach."""

import json
from collections.abc import Mapping
from dataclasses import replace

from kaiju_grading.language import WORK, TestRun
from kaiju_grading.languages.go.compile import INDEX, folder_of
from kaiju_grading.languages.go.sandboxed import PLAIN, PROGRAM, SYSTEM, TOOLS
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.readers import gotest
from kaiju_grading.readers.gotest import Ending
from kaiju_grading.suite import Test
from kaiju_sandbox.command import Command, Tree
from kaiju_sandbox.result import Result

IDLE = 25
"""Seconds that a program may say nothing before it is ended and its other tests run alone."""


def test_command(run: TestRun) -> Command:
    """Each program once for all its chosen tests; where it dies early, test by test."""
    environment = run.environment
    order = {
        "programs": [
            {"file": file, "folder": folder, "tests": [name_of(test) for test in tests]}
            for folder, file, tests in _programs(run)
        ],
        "values": dict(run.values),
        "idle": int(run.options.get("idle", IDLE)),
    }
    return Command(
        argv=(environment.programs[PROGRAM], "run"),
        cwd=WORK,
        env={**environment.variables, **PLAIN},
        stdin=json.dumps(order).encode(),
        inputs=(
            *(layer for layer in environment.layers if layer.target == TOOLS),
            Tree(WORK, {path: file for path, file in run.work.items() if path != INDEX}),
        ),
        report=True,
        system=SYSTEM,
    )


def read_tests(run: TestRun, result: Result) -> TestReport:
    """Total. Outside visible runs and preparation an unsound run has no pass at all."""
    limit = result.limit.name if result.limit is not None else None
    ending = Ending(exit_code=result.exit_code, signal=result.signal, limit=limit)
    selected = [tuple(tests) for _, _, tests in _programs(run)]
    report = gotest.read(result.report, ending, selected, strict=not run.messages)
    homeless = {test.id: Outcome.ABSENT for test in run.tests if test.id not in report.outcomes}
    if not homeless:
        return report
    problem = report.problem or "there is no program for some of the tests"
    return replace(report, outcomes={**report.outcomes, **homeless}, sound=False, problem=problem)


def name_of(test: Test) -> str:
    """The function that a test is."""
    return test.unit.rpartition("::")[2]


def _programs(run: TestRun) -> list[tuple[str, str, list[Test]]]:
    """Folder, program and its chosen tests."""
    index = _index(run)
    programs, declared = index.get("programs", {}), index.get("tests", {})
    tests = run.tests or tuple(
        Test(f"{path}::{name}", f"{path}::{name}")
        for path in run.files
        for name in _listed(declared.get(path))
    )
    by_folder: dict[str, list[Test]] = {}
    for test in tests:
        by_folder.setdefault(folder_of(test.unit.partition("::")[0]), []).append(test)
    return [
        (folder, str(programs[folder]), group)
        for folder, group in sorted(by_folder.items())
        if folder in programs
    ]


def _listed(names: object) -> list[str]:
    return [str(name) for name in names] if isinstance(names, list) else []


def _index(run: TestRun) -> Mapping[str, dict[str, object]]:
    file = run.work.get(INDEX)
    if file is None:
        return {}
    found: Mapping[str, dict[str, object]] = json.loads(file.data)
    return found
