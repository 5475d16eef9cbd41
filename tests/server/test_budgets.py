"""Budgets and time to live: what happens when they run out."""

import anyio
import pytest
from tests.server.conftest import TASK, Toy

pytestmark = pytest.mark.anyio


async def test_the_call_after_the_last_one_submits_the_stage_as_it_stands(toy: Toy) -> None:
    async with toy.stdio(KAIJU_DRAFT_CALLS="2") as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE")
        await session.ok("list_files")
        for _ in range(3):
            assert (await session.ok("episode_status"))["budgets"]["calls_left"] == 0
        text = await session.error("write_file", path="toy/a.py", content="undone")
        assert "'draft' used up its calls" in text
        assert "'lint' is open" in text
        status = await session.ok("episode_status")
        assert (status["stage"], status["submitted"]) == ("lint", ["draft"])
        result = await session.ok("submit", stage="draft")
        assert result["reward"] == 0.25
        await session.ok("list_files")


async def test_a_stage_whose_time_is_up_is_submitted_without_any_call(toy: Toy) -> None:
    async with toy.stdio(KAIJU_DRAFT_SECONDS="2", KAIJU_LINT_SECONDS="2") as session:
        await session.start()  # and nothing more: a call could come too late
        with anyio.fail_after(60):
            while (status := await session.ok("episode_status"))["stage"] != "test":  # noqa: ASYNC110
                await anyio.sleep(0.2)
        assert status["submitted"] == ["draft", "lint"]
        assert (await session.ok("submit", stage="lint"))["rewards"] == {"draft": 0.0, "lint": 0.0}


async def test_the_visible_run_after_the_last_one_submits_the_test_stage(toy: Toy) -> None:
    async with toy.stdio(KAIJU_VISIBLE_RUNS="2") as session:
        await session.start()
        await session.ok("submit", stage="draft")
        await session.ok("submit", stage="lint")
        for test in ("1", "2"):
            await session.ok("run_tests_visible", tests=[f"tests/test_toy.py::test_{test}"])
        assert (await session.ok("episode_status"))["budgets"]["visible_runs_left"] == 0
        text = await session.error("run_tests_visible")
        assert "used up its visible runs" in text
        assert "the episode is closed" in text
        assert (await session.ok("episode_status"))["submitted"] == ["draft", "lint", "test"]


async def test_an_episode_that_nobody_uses_expires_and_leaves_no_files(toy: Toy) -> None:
    async with toy.stdio(KAIJU_IDLE_SECONDS="3") as session:
        episode_id = await session.start()
        with anyio.fail_after(30):
            while (await session.ok("episode_status"))["state"] != "expired":  # noqa: ASYNC110
                await anyio.sleep(0.2)
        assert "is expired" in await session.error("list_files")
        assert not (toy.store / "episodes" / episode_id).exists()


async def test_no_more_episodes_of_one_subject_are_open_than_the_setting_allows(toy: Toy) -> None:
    async with toy.stdio(KAIJU_OPEN_EPISODES="2") as session:
        await session.start()
        first = dict(session.episode)
        await session.start()
        session.episode = {}
        text = await session.error("start_task", task_id=TASK)
        assert "KAIJU_OPEN_EPISODES" in text
        assert "2 episodes are open" in text
        assert len(list((toy.store / "episodes").iterdir())) == 2
        await session.ok("abandon", **first)
        await session.start()


async def test_another_subject_is_not_counted(toy: Toy) -> None:
    toy.serve(KAIJU_OPEN_EPISODES="1")
    async with toy.http() as session, toy.http(token=toy.add_token("other")) as other:
        await session.start()
        await other.start()
        session.episode = {}
        assert "KAIJU_OPEN_EPISODES" in await session.error("start_task", task_id=TASK)
