"""Tools that run something in a sandbox, and the one that polls."""

from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.types import CallToolResult

from kaiju_server import jobs
from kaiju_server.episode import Episode
from kaiju_server.paging import item_page
from kaiju_server.results import LintResult, ProblemEntry, TestEntry, VisibleResult, answer
from kaiju_server.rewards import submit_result, submit_text
from kaiju_server.runs import Kind, RunRow
from kaiju_server.service import LINT_TOOL, VISIBLE_TOOL, Service
from kaiju_server.tools.arguments import (
    READS,
    RUNS,
    Call,
    EpisodeId,
    Offset,
    RunId,
    TestIds,
    WaitSeconds,
    caller,
    service_of,
)

TEXT_FAILURES = 20
"""Failed tests and problems that the text names; the structured content has a page of all."""
TEXT_PASSES = 50
TEXT_MESSAGE = 600
RUNNING = "running"
ALL = 1_000_000


def register(server: MCPServer[Service]) -> None:
    server.tool(title="Lint the library", annotations=RUNS)(run_lint)
    server.tool(title="Run the visible tests", annotations=RUNS)(run_tests_visible)
    server.tool(title="Poll a run", annotations=READS)(get_run)


async def run_lint(
    ctx: Call, wait_s: WaitSeconds = 45, episode_id: EpisodeId = None
) -> Annotated[CallToolResult, LintResult]:
    """Lint the library files as they are now (stages lint and test). What the stub already had is not
    reported. A run_id with status 'running' is polled with get_run."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), LINT_TOOL, episode_id) as episode:
        run_id = await jobs.start_lint(service, episode)
    return _lint_answer(service, await wait(ctx, episode, run_id, wait_s), 0)


async def run_tests_visible(
    ctx: Call,
    tests: TestIds = [],  # noqa: B006 - read only, and the schema shows it
    wait_s: WaitSeconds = 45,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, VisibleResult]:
    """Run the visible tests on the library files as they are now (stage test). They are not the tests that
    judge. A run_id with status 'running' is polled with get_run."""
    service = service_of(ctx)
    async with service.work(await caller(ctx), VISIBLE_TOOL, episode_id) as episode:
        run_id = await jobs.start_visible(service, episode, tuple(tests))
    return _visible_answer(service, await wait(ctx, episode, run_id, wait_s), 0)


async def get_run(
    ctx: Call,
    run_id: RunId,
    wait_s: WaitSeconds = 45,
    offset: Offset = 0,
    episode_id: EpisodeId = None,
) -> CallToolResult:
    """The result of a run_lint, run_tests_visible or submit by its run_id, or its status 'running'."""
    service = service_of(ctx)
    episode = await service.episodes.find(await caller(ctx), episode_id)
    row = await wait(ctx, episode, run_id, wait_s)
    if row.kind is Kind.SUBMIT:
        return await submit_answer(service, episode, row.id)
    if row.kind is Kind.LINT:
        return _lint_answer(service, row, offset)
    return _visible_answer(service, row, offset)


async def wait(ctx: Call, episode: Episode, run_id: str, seconds: float) -> RunRow:
    """Wait for a run and report progress meanwhile, to clients that asked; none after the wait."""
    service = service_of(ctx)

    async def report(waited: float) -> None:
        await ctx.report_progress(waited, None, f"{run_id} is running")

    return await service.runs.wait(episode, run_id, min(seconds, service.settings.max_wait), report)


async def submit_answer(service: Service, episode: Episode, run_id: str) -> CallToolResult:
    """What a submission has come to so far."""
    every = await service.submissions.of(episode.id)
    entry = next(entry for entry in every if entry.run_id == run_id)
    result = submit_result(service.settings, entry, every)
    return answer(result, submit_text(result))


def _lint_answer(service: Service, row: RunRow, offset: int) -> CallToolResult:
    if not row.finished:
        return answer(LintResult(run_id=row.id, status=RUNNING), _running(row))
    problems = [ProblemEntry(**problem) for problem in row.result["problems"]]
    page, following = item_page(problems, offset, ALL, service.settings.result_bytes)
    fields: dict[str, Any] = {name: row.result.get(name) for name in ("status", "files", "cause")}
    result = LintResult(run_id=row.id, problems=page, next_offset=following, **fields)
    lines = [f"{result.status}: {result.files} files, {len(problems)} problems ({row.id})"]
    lines += [result.cause] if result.cause else []
    lines += _problem_lines(page)
    return answer(result, "\n".join(lines + _more(following)))


def _visible_answer(service: Service, row: RunRow, offset: int) -> CallToolResult:
    if not row.finished:
        return answer(VisibleResult(run_id=row.id, status=RUNNING), _running(row))
    first = offset == 0
    fields: dict[str, Any] = {name: row.result.get(name) for name in ("status", "cause")}
    fields |= {name: row.result.get(name, 0) for name in ("passed", "failed")}
    problems = [ProblemEntry(**problem) for problem in row.result["problems"]] if first else []
    output = row.result["output"] if first else ""
    # Half of a page for what the program printed and the problems, half for the tests.
    half = service.settings.result_bytes // 2
    tests, following = item_page([TestEntry(**test) for test in row.result["tests"]], offset, ALL, half)
    result = VisibleResult(
        run_id=row.id,
        tests=tests,
        problems=item_page(problems, 0, ALL, half // 2)[0],
        output=output[: half // 4],
        next_offset=following,
        **fields,
    )
    return answer(result, "\n".join(_visible_lines(result) + _more(following)))


def _visible_lines(result: VisibleResult) -> list[str]:
    lines = [f"{result.status}: {result.passed} passed, {result.failed} did not ({result.run_id})"]
    lines += [result.cause] if result.cause else []
    lines += _problem_lines(result.problems)
    failed = [test for test in result.tests if test.outcome != "passed"]
    lines += [f"{test.outcome}: {test.id}\n{test.message[:TEXT_MESSAGE]}" for test in failed[:TEXT_FAILURES]]
    if len(failed) > TEXT_FAILURES:
        lines.append(f"[and {len(failed) - TEXT_FAILURES} more on this page]")
    passed = [test.id for test in result.tests if test.outcome == "passed"]
    if passed:
        more = f" and {len(passed) - TEXT_PASSES} more" if len(passed) > TEXT_PASSES else ""
        lines.append(f"passed: {', '.join(passed[:TEXT_PASSES])}{more}")
    return lines + ([f"printed:\n{result.output}"] if result.output.strip() else [])


def _problem_lines(problems: list[ProblemEntry]) -> list[str]:
    lines = [f"{p.path}:{p.line}:{p.column}: {p.rule} {p.message[:TEXT_MESSAGE]}" for p in problems]
    hidden = len(lines) - TEXT_FAILURES
    return lines[:TEXT_FAILURES] + ([f"[and {hidden} more on this page]"] if hidden > 0 else [])


def _more(following: int | None) -> list[str]:
    return [] if following is None else [f"[get_run with offset={following} goes on]"]


def _running(row: RunRow) -> str:
    return f"running: poll get_run(run_id={row.id!r})"
