"""The whole product from the agent's side: a prepared task, real sandboxes, real grading."""

import json
import os
import shutil
import signal
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from tests.server.conftest import Session, text_of
from tests.server.real import KAIJU, TASK, command_line, processes, put, until

from kaiju_tasks.solution import half, reference_files
from kaiju_tasks.store import Store
from kaiju_tasks.task import Task

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_stub_half_and_reference_earn_what_they_must_through_the_tools(
    prepared: Path, mode: str
) -> None:
    task: Task = Store(prepared / "store" / "tasks").task(TASK)
    part = half(task)
    parameters = StdioServerParameters(command=KAIJU, args=["serve", "--state-dir", str(prepared)])
    async with Client(parameters, mode=mode) as client:
        session = Session(client)
        started = await session.ok("start_task", task_id=TASK)
        session.episode = {"episode_id": started["episode_id"]}
        assert started["modules"] == task.view.modules
        stub = await session.ok("submit", stage="draft", wait_s=0)
        await put(session, part.files)
        lint = await session.until_graded((await session.ok("run_lint"))["run_id"])
        assert lint["status"] in {"clean", "findings"}
        halfway = await session.ok("submit", stage="lint", wait_s=0)
        await put(session, reference_files(task))
        run = await session.ok("run_tests_visible", wait_s=0)
        tests = await until(session, run["run_id"])
        assert (tests["status"], tests["failed"], tests["passed"]) == ("finished", 0, task.view.visible_tests)
        whole = await session.ok("submit", stage="test", wait_s=0)
        rewards = [(await until(session, one["run_id"]))["reward"] for one in (stub, halfway, whole)]
        assert rewards == [0.0, len(part.modules) / task.view.modules, 1.0]
        built = [await session.ok("get_run", run_id=one["run_id"]) for one in (stub, halfway, whole)]
        assert [one.get("builds_itself") for one in built] == [None, None, {"outcome": "yes", "cause": ""}]
        answers = [await session.raw("get_run", run_id=one["run_id"]) for one in (stub, halfway, whole)]
        assert not any("test_" in text_of(answer) for answer in answers)


async def test_what_the_first_sandbox_needs_is_made_when_a_task_is_started(prepared: Path) -> None:
    layers = prepared / "layers"
    for layer in layers.glob("etc-*"):
        shutil.rmtree(layer)
    parameters = StdioServerParameters(command=KAIJU, args=["serve", "--state-dir", str(prepared)])
    async with Client(parameters) as client:
        await Session(client).ok("start_task", task_id=TASK)
        with anyio.fail_after(60):
            while not list(layers.glob("etc-*")):  # noqa: ASYNC110 - another process makes it
                await anyio.sleep(0.05)


LOCKED = """
import fcntl, time
shared = open("/etc/hosts")
fcntl.flock(shared, fcntl.LOCK_EX)
time.sleep(8)
"""
LOOKING = """
import fcntl, time
shared, seen, end = open("/etc/hosts"), 0, time.monotonic() + 15
while time.monotonic() < end:
    try:
        fcntl.flock(shared, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(shared, fcntl.LOCK_UN)
    except BlockingIOError:
        seen += 1
    time.sleep(0.01)
raise ImportError(f"signals seen: {seen}")
"""
"""A library under grading gives a signal, one in a visible run looks for it."""


async def test_a_visible_run_hears_nothing_of_the_grading_of_another_episode(prepared: Path) -> None:
    environ = {"KAIJU_SLOTS": "4"}
    arguments = ["serve", "--state-dir", str(prepared)]
    parameters = StdioServerParameters(command=KAIJU, args=arguments, env=environ)
    async with Client(parameters) as client:
        listener, sender = Session(client), Session(client)
        for session in (listener, sender):
            started = await session.ok("start_task", task_id=TASK)
            session.episode = {"episode_id": started["episode_id"]}
        for stage in ("draft", "lint"):
            submitted = await listener.ok("submit", stage=stage, wait_s=0)
            await until(listener, submitted["run_id"])
        await listener.ok("write_file", path="src/tally/units.py", content=LOOKING)
        await sender.ok("write_file", path="src/tally/units.py", content=LOCKED)
        run = await listener.ok("run_tests_visible", wait_s=0)
        await sender.ok("submit", stage="draft", wait_s=0)
        assert "signals seen: 0" in str((await until(listener, run["run_id"]))["cause"])


async def test_a_real_grading_that_was_killed_is_done_by_the_next_server_and_leaves_no_process(
    prepared: Path,
) -> None:
    task: Task = Store(prepared / "store" / "tasks").task(TASK)
    parameters = StdioServerParameters(command=KAIJU, args=["serve", "--state-dir", str(prepared)])
    before = processes("bwrap")
    episode: dict[str, object] = {}
    with pytest.raises((MCPError, BaseExceptionGroup)):  # noqa: PT012 - the client's own scope is cancelled
        async with Client(parameters) as client:
            session = Session(client)
            episode = {"episode_id": (await session.ok("start_task", task_id=TASK))["episode_id"]}
            await put(session, reference_files(task))
            submitted = await session.ok("submit", stage="draft", wait_s=0)
            with anyio.fail_after(60):
                while not processes("bwrap") - before:  # noqa: ASYNC110 - sandboxes begin by themselves
                    await anyio.sleep(0.02)
            [server] = [pid for pid in processes("kaiju") if str(prepared) in command_line(pid)]
            os.kill(server, signal.SIGKILL)
            await session.ok("list_tasks")
    with anyio.fail_after(30):
        while processes("bwrap") - before:  # noqa: ASYNC110 - they end by themselves
            await anyio.sleep(0.05)
    async with Client(parameters) as client:
        session = Session(client, episode)
        assert (await until(session, submitted["run_id"]))["reward"] == 1.0


async def test_second_opinions_on_a_real_submission_are_logged_and_can_be_asked_for_again(
    prepared: Path,
) -> None:
    task: Task = Store(prepared / "store" / "tasks").task(TASK)
    environ = {"KAIJU_SECOND_OPINIONS": "1"}
    arguments = ["serve", "--state-dir", str(prepared)]
    parameters = StdioServerParameters(command=KAIJU, args=arguments, env=environ)
    async with Client(parameters) as client:
        session = Session(client)
        session.episode = {"episode_id": (await session.ok("start_task", task_id=TASK))["episode_id"]}
        await put(session, reference_files(task))
        for stage in ("draft", "lint", "test"):
            run_id = str((await session.ok("submit", stage=stage, wait_s=0))["run_id"])
        assert (await until(session, run_id))["reward"] == 1.0
        log = prepared / "store" / "grader.log"
        with anyio.fail_after(300):
            while '"event": "second opinions"' not in log.read_text():  # noqa: ASYNC110 - another process
                await anyio.sleep(0.2)
    command = [KAIJU, "review", run_id, "--json", "--state-dir", str(prepared)]
    asked = json.loads((await anyio.run_process(command)).stdout)
    assert [one["suspicious"] for one in asked] == [False] * 5
    [line] = [entry for entry in map(json.loads, log.read_text().splitlines()) if "opinions" in entry]
    assert (line["run"], line["opinions"]) == (run_id, asked)
