"""Jobs: a lint and a visible test run as work in the background, and what they leave behind."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from kaiju_grading.outcome import Outcome
from kaiju_grading.report import LintReport, Problem, VisibleReport
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
MESSAGES = 500_000
"""Characters kept of all messages of a run: it is stored, and read again by every get_run."""


async def start_lint(service: Service, episode: Episode) -> str:
    """Lint the library files as they are now. The caller holds the episode's lock."""
    async with service.runs.room(episode) as held:
        taken = await service.judge.library(episode.row.task, episode.workspace.tree)

        async def lint() -> Mapping[str, Any]:
            async with episode.sandbox:
                return _linted(await service.judge.lint(episode.row.task, taken))

        run_id, _ = await service.runs.start(episode, Kind.LINT, f"lint {taken.digest}", lint, held)
    return run_id


async def start_visible(service: Service, episode: Episode, tests: tuple[str, ...]) -> str:
    """Run visible tests over the library files as they are now; after a grading that is under way."""
    chosen = sha256("\0".join(sorted(tests)).encode(errors="replace")).hexdigest()
    async with service.runs.room(episode) as held:
        taken = await service.judge.library(episode.row.task, episode.workspace.tree)

        async def test() -> Mapping[str, Any]:
            async with episode.sandbox:
                try:
                    report = await service.judge.visible(episode.row.task, taken, tests)
                except ValueError as error:
                    raise AgentError(str(error)) from error
            return _tested(report)

        same = f"visible {taken.digest} {chosen}"
        run_id, new = await service.runs.start(episode, Kind.VISIBLE, same, test, held)
    episode.charge(time.time(), visible_runs=int(new))
    return run_id


def _linted(report: LintReport) -> Mapping[str, Any]:
    problems = _problems(report.problems)
    result = {"status": report.status.value, "files": report.files, "problems": problems}
    return result | ({"cause": shortened(report.cause, MESSAGE)} if report.cause else {})


def _tested(report: VisibleReport) -> Mapping[str, Any]:
    messages = _messages(test.message for test in report.tests)
    tests = [
        {"id": test.id, "outcome": test.outcome.value, "message": message}
        for test, message in zip(report.tests, messages, strict=True)
    ]
    passed = sum(test.outcome is Outcome.PASSED for test in report.tests)
    result = {
        "status": _status(report),
        "passed": passed,
        "failed": len(tests) - passed,
        "tests": tests,
        "problems": _problems(report.problems),
        "output": shortened(report.output, OUTPUT),
    }
    return result | ({"cause": shortened(report.cause, MESSAGE)} if report.cause else {})


def _status(report: VisibleReport) -> str:
    if report.tests:
        return "finished"
    return "build_failed" if report.problems else "no_result"


def _problems(found: Sequence[Problem]) -> list[dict[str, Any]]:
    kept = found[:PROBLEMS]
    messages = _messages(problem.message for problem in kept)
    return [asdict(problem) | {"message": text} for problem, text in zip(kept, messages, strict=True)]


def _messages(texts: Iterable[str]) -> Iterator[str]:
    """Each one shortened, and the last ones more when the first are long."""
    left = MESSAGES
    for text in texts:
        kept = shortened(text, min(MESSAGE, left))
        left = max(0, left - len(kept))
        yield kept
