"""A visible run: the tests whose results an agent may ask for. No held-out file is in reach of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import anyio
import anyio.lowlevel

from kaiju_grading import languages
from kaiju_grading.compose import visible_tree
from kaiju_grading.files import Files
from kaiju_grading.harness import library_of
from kaiju_grading.language import Compilation, TestRun
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.report import BuildReport, VisibleReport, VisibleTest
from kaiju_grading.sandboxes import read_aside
from kaiju_grading.steps import follow
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.errors import SandboxError
from kaiju_sandbox.result import Result

PART = "visible"
"""All visible tests are compiled as one part: what breaks one of their files is shown to the agent."""
NAMED = 10
"""Ids that an error names."""


async def run_visible(suite: Suite, files: Files, tests: tuple[str, ...], backend: Backend) -> VisibleReport:
    """Build those of `files` that a submission would hold, and beside that run visible tests; no id means all
    of them. A library that does not build ends the tests, whatever they did.

    Raises ValueError for ids that are not visible tests, SubmissionError beyond its limits,
    SandboxError for faults of the machine.
    """
    chosen = _chosen(suite, tests)
    language = languages.get(suite.language)
    library = submission_of(files, suite.roots, language, suite.known).files
    builds: list[BuildReport] = []
    reports: list[VisibleReport] = []
    faults: list[SandboxError] = []
    built = anyio.Event()
    async with anyio.create_task_group() as group:

        async def build() -> None:
            with _noted(faults):
                builds.append(await _build(suite, library, backend))
            if not (builds and builds[0].ok):
                group.cancel_scope.cancel()
            built.set()

        # The build asks first: where there is place for one sandbox only, it is not behind the tests.
        group.start_soon(build)
        await anyio.lowlevel.checkpoint()
        with _noted(faults):
            reports.append(await _tested(suite, library, chosen, backend, built))
    if builds and not builds[0].ok:
        return VisibleReport((), builds[0].problems, cause="the library does not build")
    if faults:
        raise faults[0]
    return reports[0]


@contextmanager
def _noted(faults: list[SandboxError]) -> Iterator[None]:
    """Keep a fault of the machine for later: as itself, not in a group of one."""
    try:
        yield
    except SandboxError as fault:
        faults.append(fault)


async def _tested(
    suite: Suite, library: Files, chosen: tuple[Test, ...], backend: Backend, built: anyio.Event
) -> VisibleReport:
    """Compile the visible tests, where that is to be done, and run those that were chosen."""
    language = languages.get(suite.language)
    work, paths = visible_tree(suite, library), tuple(sorted(suite.visible))
    steps = language.compile(
        Compilation(work, tuple(sorted(library)), {PART: paths}, suite.environment, suite.options)
    )
    if steps is not None:
        # Two compilers at once would only slow each other down.
        await built.wait()
        programs = await follow(steps, lambda command: backend.run(command, language.build_limits))
        if PART in programs.failed:
            return VisibleReport((), programs.problems, cause=programs.failed[PART])
        work = programs.files[PART]
    run = TestRun(work, suite.environment, paths, chosen, suite.options, messages=True)
    result = await backend.run(language.test(run), suite.limits)
    return _report(chosen, await read_aside(partial(language.read_tests, run, result)), result)


def _chosen(suite: Suite, tests: tuple[str, ...]) -> tuple[Test, ...]:
    unknown = sorted(set(tests) - {test.id for test in suite.visible_tests})
    if unknown:
        named = ", ".join(ascii(id[:200]) for id in unknown[:NAMED])
        more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        known = ", ".join(test.id for test in suite.visible_tests[:NAMED])
        raise ValueError(f"tests: got {named}{more}; expected ids of visible tests, such as {known}")
    return tuple(test for test in suite.visible_tests if not tests or test.id in tests)


async def _build(suite: Suite, files: Files, backend: Backend) -> BuildReport:
    sources = tuple(sorted(files))
    if not sources:
        return BuildReport(ok=True)
    language = languages.get(suite.language)
    result = await backend.run(language.build(library_of(suite, files)), language.build_limits)
    return await read_aside(partial(language.read_build, result, sources))


def _report(tests: tuple[Test, ...], report: TestReport, result: Result) -> VisibleReport:
    output = b"".join(part for part in (result.stdout, result.stderr) if part).decode(errors="replace")
    return VisibleReport(
        tests=tuple(
            VisibleTest(
                test.id, report.outcomes.get(test.id, Outcome.ABSENT), report.messages.get(test.id, "")
            )
            for test in tests
        ),
        output=output,
        cause=_cause(report, result),
        seconds=result.wall,
    )


def _cause(report: TestReport, result: Result) -> str:
    """Why results are missing; empty when none are."""
    causes = list(report.collect_errors)
    if not report.sound:
        causes.append(report.problem or "the run did not end as it should")
    if result.limit is not None:
        limit = result.limit
        causes.append(f"limit {limit.name}: {limit.measured:g} measured, {limit.setting:g} allowed")
    return "\n".join(causes)
