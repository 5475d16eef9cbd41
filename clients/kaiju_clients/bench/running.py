"""run_tests_visible and submit against the same commands without sandboxes."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
from mcp import Client

from kaiju_clients.bench.measurement import Allowance, Measurement, Pair, in_turns, pair
from kaiju_clients.bench.native import run_all
from kaiju_clients.bench.yardsticks import Yardsticks
from kaiju_clients.connection import Server
from kaiju_clients.errors import ServerFault
from kaiju_clients.results import STAGES, StageName
from kaiju_clients.routine import replace_sources
from kaiju_clients.tools import Tools
from kaiju_grading.grader import changed_files

VISIBLE_ALLOWED = {False: Allowance(1.10, 0.025), True: Allowance(1.20, 0.050)}
SUBMIT_ALLOWED = {False: Allowance(1.20), True: Allowance(1.30)}
"""By whether tests are compiled: programs that run for milliseconds leave less to compare a sandbox with."""
YARDSTICK = "same runs natively"
PAUSE_S = 2.0
"""No agent writes a library faster, and a server gets ready in less."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a run or a submission is measured on."""

    server: Server
    task_id: str
    sticks: Yardsticks
    rounds: int
    logs: Path
    """A folder for what the server says."""
    beside: str = ""
    """The backend, when its figures stand beside those that are judged."""

    def connect(self) -> AbstractAsyncContextManager[Client]:
        """A server process of its own, for all rounds: what it does once is no part of a run."""
        return self.server.connect(self.logs / "kaiju.log")

    async def clear(self) -> None:
        """Native runs find what a fresh sandbox has."""
        await anyio.to_thread.run_sync(self.sticks.clear)

    @asynccontextmanager
    async def episode(self, client: Client, blank: int = 0) -> AsyncIterator[Tools]:
        """An episode whose workspace has the reference, its first source file with `blank` lines more."""
        suite = self.sticks.suite
        files = {path: file.data.decode() for path, file in suite.reference.items()}
        files[changed_files(suite, suite.reference)[0]] += "\n" * blank
        tools = Tools(client)
        await replace_sources(tools, await tools.start_task(self.task_id), files)
        yield tools
        await tools.abandon()


async def measure_visible(course: Course) -> Measurement:
    """Visible tests on the reference, in turns with the same build and test commands run natively."""
    sticks = course.sticks
    async with course.connect() as client, course.episode(client) as tools:
        for stage in STAGES[:-1]:
            await _submit(tools, stage)

        async def native() -> None:
            await anyio.to_thread.run_sync(run_all, sticks.visible_runs, 1)

        async def ours() -> None:
            report = await tools.run_tests_visible()
            if report.status != "finished" or report.failed:
                raise ServerFault(
                    f"run_tests_visible: {report.status}, {report.failed} failed; expected none"
                )

        await in_turns(ours, native, 1, course.clear)
        pairs = await in_turns(ours, native, course.rounds, course.clear)
    return _measurement("run_tests_visible", course, pairs, VISIBLE_ALLOWED)


async def measure_submit(course: Course, slots: int) -> Measurement:
    """Submit the reference, each time another way, beside build and all runs of every module natively."""
    async with course.connect() as client:
        pairs = [await _round(course, slots, client, number) for number in range(-1, course.rounds)]
    # The first one warmed both up.
    return _measurement("submit", course, pairs[1:], SUBMIT_ALLOWED)


async def measure_first_submit(course: Course, slots: int) -> Measurement:
    """The same, each time as the first thing that a server process of its own has to grade."""
    pairs = []
    for number in range(course.rounds):
        async with course.connect() as client:
            pairs.append(await _round(course, slots, client, number, pause=PAUSE_S))
    return _measurement("first submit of a server", course, pairs, SUBMIT_ALLOWED)


async def _round(course: Course, slots: int, client: Client, number: int, pause: float = 0.0) -> Pair:
    """One episode with one submission; `pause` is the time that its agent takes, in seconds."""
    sticks = course.sticks

    async def native() -> None:
        await anyio.to_thread.run_sync(run_all, sticks.held.all, 1)
        await anyio.to_thread.run_sync(run_all, sticks.pair_runs, slots)

    await course.clear()
    async with course.episode(client, blank=number + 2) as tools:
        await anyio.sleep(pause)
        return await pair(lambda: _submit(tools, "draft"), native, ours_first=bool(number % 2))


async def _submit(tools: Tools, stage: StageName) -> None:
    verdict = await tools.submit(stage)
    if verdict.reward != 1.0:
        raise ServerFault(f"submit: the reference earns {verdict.reward}; expected 1.0 ({verdict.cause})")


def _measurement(
    what: str, course: Course, pairs: list[Pair], allowed: Mapping[bool, Allowance]
) -> Measurement:
    if course.beside:
        return Measurement.of(f"{what}, {course.beside}", YARDSTICK, pairs, None)
    return Measurement.of(what, YARDSTICK, pairs, allowed[course.sticks.compiled])
