"""Warming: what the first sandbox of a task waits for is done beside the agent's work, and harms nothing."""

import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import cast

import anyio
import pytest
from tests.server.conftest import Toy
from tests.suites import bare_suite

from kaiju_sandbox.backends.namespace import NamespaceBackend
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_server.judge import TaskKey
from kaiju_server.settings import ServerSettings
from kaiju_server.suites import SuiteJudge

pytestmark = pytest.mark.anyio


async def test_start_task_answers_while_its_task_is_still_being_warmed(toy: Toy) -> None:
    toy.hold("warm")
    async with toy.stdio() as session:
        with anyio.fail_after(30):
            await session.start()
            await toy.until_begun("warm")
            await session.ok("write_file", path="toy/a.py", content="DONE")
            assert (await session.ok("submit", stage="draft"))["reward"] == 0.25


async def test_a_server_stops_in_bounded_time_while_it_warms(toy: Toy) -> None:
    toy.hold("warm")
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await toy.until_begun("warm")
    began = time.monotonic()
    assert await anyio.to_thread.run_sync(toy.stop) in {0, -signal.SIGTERM}
    assert time.monotonic() - began < 20


async def test_a_fault_of_warming_reaches_no_agent_and_no_grade(toy: Toy) -> None:
    toy.control.mkdir()
    (toy.control / "fault-warm").touch()
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await toy.until_begun("warm")
        with anyio.fail_after(30):
            while "warming" not in toy.stderr:  # noqa: ASYNC110 - another process writes the log
                await anyio.sleep(0.02)
        assert (await session.ok("submit", stage="draft"))["status"] == "graded"
    assert "test_secret_name" not in toy.stderr


async def test_what_compiles_tests_and_what_runs_them_are_both_warmed(tmp_path: Path) -> None:
    settings = ServerSettings(state_dir=tmp_path)
    settings.store_dir.mkdir(parents=True)
    systems = []

    class Recording(NamespaceBackend):
        async def run(self, command: Command, limits: Limits) -> Result:
            systems.append(command.system)
            return cast("Result", None)

    judge = SuiteJudge(settings, Recording(settings))
    suite, key = bare_suite((), ()), TaskKey("rust-toy-1.0", "sha256:x")
    judge._suites[key] = replace(suite, environment=replace(suite.environment, system="rust"))

    await judge.warm(key)

    assert systems == ["rust", "python"]
