"""Warming: what the first sandbox of a task waits for is done beside the agent's work, and harms nothing."""

import signal
import time

import anyio
import pytest
from tests.server.conftest import Toy

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
