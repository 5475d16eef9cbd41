"""One grading among others: how many of its sandboxes wait, and whose time that is."""

import anyio
import pytest
from anyio import CapacityLimiter

from kaiju_grading.turns import Turns

pytestmark = pytest.mark.anyio


async def test_a_large_grading_does_not_stand_before_everybody_else() -> None:
    places, ended, asked = CapacityLimiter(2), list[str](), anyio.Event()
    with anyio.fail_after(20) as scope:
        turns = Turns(places, scope)

        async def run(name: str, among: Turns | CapacityLimiter) -> None:
            async with among:
                await asked.wait()
            ended.append(name)

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(run, "module", turns)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(run, "visible", places)
            await anyio.wait_all_tasks_blocked()
            asked.set()
    assert len(ended) == 21
    assert ended.index("visible") < 4


async def test_waiting_for_a_place_is_not_the_time_of_a_grading() -> None:
    places = CapacityLimiter(1)
    with anyio.fail_after(20), anyio.move_on_after(0.5) as scope:
        turns = Turns(places, scope)
        async with anyio.create_task_group() as tasks:
            await places.acquire_on_behalf_of("somebody else")

            async def run() -> None:
                async with turns:
                    await anyio.sleep(0.1)

            tasks.start_soon(run)
            await anyio.sleep(1)
            places.release_on_behalf_of("somebody else")
    assert not scope.cancelled_caught


async def test_the_time_of_its_sandboxes_and_of_its_own_work_is() -> None:
    for held in (True, False):
        with anyio.fail_after(20), anyio.move_on_after(0.2) as scope:
            turns = Turns(CapacityLimiter(1), scope)
            async with turns:
                if held:
                    await anyio.sleep_forever()
            await anyio.sleep_forever()
        assert scope.cancelled_caught


async def test_a_wait_that_is_given_up_leaves_the_place_to_others() -> None:
    places = CapacityLimiter(1)
    with anyio.fail_after(20) as scope:
        turns = Turns(places, scope)
        await places.acquire_on_behalf_of("somebody else")
        with anyio.move_on_after(0.1):
            async with turns:
                raise AssertionError("no place was free")
        places.release_on_behalf_of("somebody else")
        async with turns:
            assert places.borrowed_tokens == 1
    assert places.borrowed_tokens == 0
