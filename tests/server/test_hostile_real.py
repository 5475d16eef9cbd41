"""Attacks over MCP on `kaiju serve` itself: a prepared task, real sandboxes, both transports."""

import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from tests.server.conftest import Session
from tests.server.memory import forget, grown
from tests.server.real import KAIJU, TASK, processes, put, served, until

from kaiju_tasks import attacks
from kaiju_tasks.attacks.attack import Layout, NotApplicable
from kaiju_tasks.solution import reference_files
from kaiju_tasks.store import Store
from kaiju_tasks.task import Task

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TRIED = ("23-coin", "12-forge-channel", "09-sitecustomize")
"""Attacks for the three stages: one of chance, one that forges, one beside the library."""
DOCKER = os.environ.get("KAIJU_DOCKER_HOST", "")
MIB = 1024 * 1024
MOST = 5_000
"""Files of a workspace: as many as the setting allows."""


def docker_answers() -> bool:
    command = ["docker", "--host", DOCKER, "version"]
    try:
        return bool(DOCKER) and subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@asynccontextmanager
async def connected(prepared: Path, transport: str, **settings: str) -> AsyncIterator[Session]:
    """A client with an episode."""
    async with AsyncExitStack() as stack:
        if transport == "http":
            server = stack.enter_context(served(prepared, **settings))
            session = await stack.enter_async_context(server.connect())
        else:
            parameters = StdioServerParameters(
                command=KAIJU, args=["serve", "--state-dir", str(prepared)], env=settings
            )
            session = Session(await stack.enter_async_context(Client(parameters)))
        await start(session)
        yield session


async def start(session: Session) -> None:
    session.episode = {"episode_id": (await session.ok("start_task", task_id=TASK))["episode_id"]}


@pytest.mark.parametrize(
    "backend",
    [
        "namespace",
        pytest.param("docker", marks=pytest.mark.skipif(not docker_answers(), reason="no docker")),
    ],
)
async def test_attacks_that_are_handed_in_through_the_tools_earn_nothing(
    prepared: Path, backend: str
) -> None:
    task: Task = Store(prepared / "store" / "tasks").task(TASK)
    view = task.view
    layout = Layout(view.roots, ("tally",))
    settings = {"KAIJU_BACKEND": backend} | ({"KAIJU_DOCKER_HOST": DOCKER} if backend == "docker" else {})
    async with connected(prepared, "stdio", **settings) as session:
        for stage, name in zip(("draft", "lint", "test"), TRIED, strict=True):
            changed = attacks.of("python")[name].apply(view.workspace, layout)
            assert not isinstance(changed, NotApplicable)
            new = {path: file for path, file in changed.items() if view.workspace.get(path) != file}
            assert new, name
            await put(session, new)
            submitted = await session.ok("submit", stage=stage, wait_s=0)
            verdict = await until(session, submitted["run_id"])
            assert (verdict["status"], verdict["reward"]) == ("graded", 0.0), name
            for path in new if stage != "test" else ():
                stub = view.workspace.get(path)
                await (put(session, {path: stub}) if stub else session.ok("delete_file", path=path))


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_submits_side_by_side_are_one_submission_and_nothing_written_then_counts(
    prepared: Path, transport: str
) -> None:
    async with connected(prepared, transport) as session:
        runs: list[str] = []

        async def submit() -> None:
            runs.append((await session.ok("submit", stage="draft", wait_s=0))["run_id"])

        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(submit)
        assert len(set(runs)) == 1
        task: Task = Store(prepared / "store" / "tasks").task(TASK)
        await put(session, reference_files(task))
        assert "opens with stage 'test'" in await session.error("run_tests_visible")
        assert (await until(session, runs[0]))["reward"] == 0.0
        await session.ok("abandon")
        assert "is abandoned" in await session.error("write_file", path="src/tally/x.py", content="")


async def test_a_server_that_is_stopped_with_open_streams_and_a_grading_loses_nothing(
    prepared: Path,
) -> None:
    task: Task = Store(prepared / "store" / "tasks").task(TASK)
    before = processes("bwrap")
    episode: dict[str, object] = {}
    with served(prepared) as server, pytest.raises((MCPError, BaseExceptionGroup)):  # noqa: PT012
        async with server.connect() as session, server.connect("legacy") as other:
            await other.ok("list_tasks")
            await start(session)
            episode = session.episode
            await put(session, reference_files(task))
            run_id = (await session.ok("submit", stage="draft", wait_s=0))["run_id"]
            with anyio.fail_after(120):
                while not processes("bwrap") - before:  # noqa: ASYNC110 - sandboxes begin by themselves
                    await anyio.sleep(0.02)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(stopped, server.process)
                for _ in range(20):
                    await session.ok("get_run", run_id=run_id)
    with anyio.fail_after(60):
        while processes("bwrap") - before:  # noqa: ASYNC110 - they end by themselves
            await anyio.sleep(0.05)
    with served(prepared) as server:
        async with server.connect() as session:
            session.episode = episode
            assert (await until(session, run_id))["reward"] == 1.0


async def stopped(process: "subprocess.Popen[bytes]") -> None:
    await anyio.sleep(1)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    await anyio.to_thread.run_sync(process.wait, 60)
    # Five seconds for calls that run, and what the machine takes besides.
    assert time.monotonic() - began < 40


@pytest.mark.parametrize("patience", [0.0, 0.02, 0.1])
async def test_a_server_that_is_killed_while_it_takes_a_submission_has_it_whole_or_not_at_all(
    prepared: Path, patience: float
) -> None:
    episode: dict[str, object] = {}
    with served(prepared) as server, pytest.raises((MCPError, BaseExceptionGroup)):  # noqa: PT012
        async with server.connect() as session:
            await start(session)
            episode = session.episode
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(partial(session.ok, "submit", stage="draft", wait_s=0))
                await anyio.sleep(patience)
                os.kill(server.process.pid, signal.SIGKILL)
                await session.ok("list_tasks")
    with served(prepared) as server:
        async with server.connect() as session:
            session.episode = episode
            assert (await session.ok("episode_status"))["state"] == "open"
            submitted = await session.ok("submit", stage="draft", wait_s=0)
            assert (await until(session, submitted["run_id"]))["reward"] == 0.0


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_gigabyte_and_ten_thousand_files_end_at_the_limits_of_a_workspace(
    prepared: Path, transport: str
) -> None:
    async with connected(
        prepared, transport, KAIJU_DRAFT_CALLS="20000", KAIJU_WORKSPACE_FILES=str(MOST)
    ) as session:
        [server] = [pid for pid in processes("serve") if is_server(pid, prepared)]
        before = forget(server)
        content = "#" * (MIB - 1)
        answers = [await session.raw("write_file", path=f"src/big{n}.py", content=content) for n in range(80)]
        assert sum(not answer.is_error for answer in answers) == 63
        for number in range(63):
            await session.ok("delete_file", path=f"src/big{number}.py")
        made = 0
        while not (await session.raw("write_file", path=f"src/n{made}.py", content="")).is_error:
            made += 1
        assert MOST - 100 < made < MOST
        assert grown(server, before) < 200
        submitted = await session.ok("submit", stage="draft", wait_s=0)
        assert (await until(session, submitted["run_id"]))["status"] == "graded"


def is_server(pid: int, prepared: Path) -> bool:
    line = Path(f"/proc/{pid}/cmdline").read_bytes()
    return str(prepared).encode() in line and b"serve" in line
