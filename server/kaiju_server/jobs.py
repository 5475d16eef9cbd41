"""Jobs: a lint and a visible test run as work in the background, and what they leave behind."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from kaiju_grading.outcome import Outcome
from kaiju_grading.report import LintReport, VisibleReport
from kaiju_server.episode import Episode
from kaiju_server.errors import AgentError
from kaiju_server.paging import shortened
from kaiju_server.runs import Kind
from kaiju_server.service import Service

MESSAGE = 4_000
"""Characters kept of one message."""
OUTPUT = 16_000
"""Characters kept of what a run printed."""
PROBLEMS = 2_000


async def start_lint(service: Service, episode: Episode) -> str:
    """Lint the library files as they are now. The caller holds the episode's lock."""
    taken = await service.judge.library(episode.row.task, episode.workspace.tree)

    async def lint() -> Mapping[str, Any]:
        async with episode.sandbox:
            return _linted(await service.judge.lint(episode.row.task, taken))

    run_id, _ = await service.runs.start(episode, Kind.LINT, f"lint {taken.digest}", lint)
    return run_id


async def start_visible(service: Service, episode: Episode, tests: tuple[str, ...]) -> str:
    """Run visible tests over the library files as they are now; after a grading that is under way."""
    taken = await service.judge.library(episode.row.task, episode.workspace.tree)
    chosen = sha256("\0".join(sorted(tests)).encode(errors="replace")).hexdigest()

    async def test() -> Mapping[str, Any]:
        async with episode.sandbox:
            try:
                report = await service.judge.visible(episode.row.task, taken, tests)
            except ValueError as error:
                raise AgentError(str(error)) from error
        return _tested(report)

    run_id, new = await service.runs.start(episode, Kind.VISIBLE, f"visible {taken.digest} {chosen}", test)
    episode.charge(time.time(), visible_runs=int(new))
    return run_id


def _linted(report: LintReport) -> Mapping[str, Any]:
    problems = [_problem(asdict(problem)) for problem in report.problems[:PROBLEMS]]
    result = {"status": report.status.value, "files": report.files, "problems": problems}
    return result | ({"cause": shortened(report.cause, MESSAGE)} if report.cause else {})


def _tested(report: VisibleReport) -> Mapping[str, Any]:
    tests = [
        {"id": test.id, "outcome": test.outcome.value, "message": shortened(test.message, MESSAGE)}
        for test in report.tests
    ]
    passed = sum(test.outcome is Outcome.PASSED for test in report.tests)
    result = {
        "status": _status(report),
        "passed": passed,
        "failed": len(tests) - passed,
        "tests": tests,
        "problems": [_problem(asdict(problem)) for problem in report.problems[:PROBLEMS]],
        "output": shortened(report.output, OUTPUT),
    }
    return result | ({"cause": shortened(report.cause, MESSAGE)} if report.cause else {})


def _status(report: VisibleReport) -> str:
    if report.tests:
        return "finished"
    return "build_failed" if report.problems else "no_result"


def _problem(problem: dict[str, Any]) -> dict[str, Any]:
    return problem | {"message": shortened(problem["message"], MESSAGE)}
