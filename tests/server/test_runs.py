"""Runs that outlast a call: joined, polled, abandoned, reported."""

import anyio
import pytest
from mcp import MCPError
from tests.server.conftest import ERAS, Session, Toy

pytestmark = pytest.mark.anyio


async def in_stage_test(session: Session) -> None:
    await session.start()
    await session.ok("submit", stage="draft")
    await session.ok("submit", stage="lint")


@pytest.mark.parametrize("mode", ERAS)
async def test_submit_answers_at_once_and_the_next_stage_is_open_while_grading_goes_on(
    toy: Toy, mode: str
) -> None:
    toy.hold("grade")
    async with toy.stdio(mode) as session:
        await session.start()
        with anyio.fail_after(10):
            result = await session.ok("submit", stage="draft", wait_s=0)
        assert (result["status"], result["next_stage"]) == ("running", "lint")
        assert result["isolation"] == "unattested"
        await session.ok("write_file", path="toy/a.py", content="DONE")
        assert (await session.ok("submit", stage="draft", wait_s=0))["run_id"] == result["run_id"]
        assert (await session.ok("get_run", run_id=result["run_id"], wait_s=0.2))["status"] == "running"
        toy.release("grade")
        # What was written after the submission is not part of it.
        assert (await session.until_graded(result["run_id"]))["reward"] == 0.0


async def test_a_visible_run_starts_after_the_grading_of_its_episode(toy: Toy) -> None:
    async with toy.stdio() as session:
        await session.start()
        await session.ok("submit", stage="draft")
        toy.hold("grade")
        await session.ok("write_file", path="toy/a.py", content="DONE")
        grading = await session.ok("submit", stage="lint", wait_s=0)
        await toy.until_begun("grade", 2)
        run = await session.ok("run_tests_visible", wait_s=0.5)
        assert run["status"] == "running"
        assert toy.begun("visible") == 0
        toy.release("grade")
        assert (await session.until_graded(run["run_id"]))["passed"] == 300
        assert (await session.until_graded(grading["run_id"]))["reward"] == 0.25


async def test_a_call_again_joins_the_run_and_other_files_make_another(toy: Toy) -> None:
    toy.hold("visible")
    async with toy.stdio() as session:
        await in_stage_test(session)
        ids = {(await session.ok("run_tests_visible", wait_s=0))["run_id"] for _ in range(3)}
        assert len(ids) == 1
        for number in range(3):
            await session.ok("write_file", path="toy/a.py", content=f"{number}")
            ids.add((await session.ok("run_tests_visible", wait_s=0))["run_id"])
        assert len(ids) == 4
        await session.ok("write_file", path="toy/a.py", content="one more")
        assert "have not finished" in await session.error("run_tests_visible", wait_s=0)
        toy.release("visible")
        for run_id in ids:
            assert (await session.until_graded(run_id))["status"] == "finished"
        assert toy.begun("visible") == 4


async def test_long_results_are_paged(toy: Toy) -> None:
    async with toy.stdio() as session:
        await in_stage_test(session)
        page = await session.ok("run_tests_visible")
        tests = page["tests"]
        assert page["failed"] == 300
        while "next_offset" in page:
            page = await session.ok("get_run", run_id=page["run_id"], offset=page["next_offset"])
            tests += page["tests"]
        assert [test["id"] for test in tests] == [f"tests/test_toy.py::test_{n}" for n in range(300)]


async def test_an_unknown_visible_test_is_named(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await in_stage_test(session)
        result = await session.ok("run_tests_visible", tests='["nope"]')
        assert (result["status"], "'nope'" in result["cause"]) == ("no_result", True)


@pytest.mark.parametrize("mode", ERAS)
async def test_fifty_abandoned_calls_leave_one_run_and_a_server_that_works(toy: Toy, mode: str) -> None:
    toy.hold("visible")
    toy.serve()
    async with toy.http(mode) as session:
        await in_stage_test(session)
        for number in range(50):
            # Given up at every point of the way, from before the call is read to while it waits.
            patience = 0.01 * (number + 1)
            with pytest.raises(MCPError):
                await session.client.call_tool(
                    "run_tests_visible", session.episode, read_timeout_seconds=patience
                )
        await toy.until_begun("visible")
        status = await session.ok("episode_status")
        assert sum(run["kind"] == "visible" for run in status["runs"]) == 1
        toy.release("visible")
        run_id = status["runs"][-1]["run_id"]
        assert (await session.until_graded(run_id))["status"] == "finished"
        await session.ok("write_file", path="toy/a.py", content="DONE")
        assert (await session.ok("run_tests_visible"))["passed"] == 300
        assert toy.begun("visible") == 2


@pytest.mark.parametrize("mode", ERAS)
async def test_an_abandoned_submit_is_graded_once_all_the_same(toy: Toy, mode: str) -> None:
    toy.hold("grade")
    toy.serve()
    async with toy.http(mode) as session:
        await session.start()
        with pytest.raises(MCPError):
            await session.client.call_tool(
                "submit", {**session.episode, "stage": "draft"}, read_timeout_seconds=1.5
            )
        await toy.until_begun("grade")
        toy.release("grade")
        assert (await session.ok("submit", stage="draft"))["status"] == "graded"
        assert toy.begun("grade") == 1


@pytest.mark.parametrize("mode", ERAS)
async def test_progress_grows_and_stops_before_the_answer(toy: Toy, mode: str) -> None:
    toy.hold("lint")
    async with toy.stdio(mode) as session:
        await session.start()
        await session.ok("submit", stage="draft")
        told: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            told.append(progress)

        with anyio.fail_after(60):
            result = await session.client.call_tool(
                "run_lint", {**session.episode, "wait_s": 7}, progress_callback=on_progress
            )
        count = len(told)
        assert count >= 2
        assert told == sorted(set(told))
        assert result.structured_content is not None
        assert result.structured_content["status"] == "running"
        await session.ok("episode_status")
        assert len(told) == count
        toy.release("lint")


async def test_a_grading_that_crashes_is_an_infrastructure_error_after_a_retry(toy: Toy) -> None:
    toy.control.mkdir()
    (toy.control / "fault").touch()
    async with toy.stdio() as session:
        await session.start()
        result = await session.ok("submit", stage="draft")
        assert (result["status"], "reward" in result, result["rewards"]) == ("infra_error", False, {})
        assert toy.begun("grade") == 2
        (toy.control / "fault").unlink()
        # The fault of one stage is not taken over by the next one.
        assert (await session.ok("submit", stage="lint"))["rewards"] == {"lint": 0.0}


async def test_abandoning_stops_the_runs_of_the_episode(toy: Toy) -> None:
    toy.hold("visible")
    async with toy.stdio() as session:
        await in_stage_test(session)
        run_id = (await session.ok("run_tests_visible", wait_s=0))["run_id"]
        await session.ok("abandon")
        stopped = await session.ok("get_run", run_id=run_id)
        assert (stopped["status"], "stopped" in stopped["cause"]) == ("no_result", True)
