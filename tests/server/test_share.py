"""Shares of memory: whoever takes much waits for itself."""

import anyio
import pytest

from kaiju_server.share import Shares

pytestmark = pytest.mark.anyio


async def test_what_does_not_fit_waits_in_turn_and_keeps_nobody_else_waiting() -> None:
    shares, order = Shares(100), list[str]()

    async def work(name: str, subject: str, size: int, until: anyio.Event) -> None:
        async with shares.hold(subject, size):
            order.append(name)
            await until.wait()

    first, rest = anyio.Event(), anyio.Event()
    rest.set()
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for name, subject, size, until in (
                ("large", "a", 70, first),
                ("too much", "a", 1_000, rest),
                ("small, but later", "a", 10, rest),
                ("hers", "b", 90, rest),
            ):
                tasks.start_soon(work, name, subject, size, until)
                await anyio.wait_all_tasks_blocked()
            assert order == ["large", "hers"]
            assert (shares.full("a", 1), shares.full("b", 100)) == (True, False)
            first.set()
    assert order == ["large", "hers", "too much", "small, but later"]


async def test_whoever_gives_up_waiting_lets_the_next_one_in() -> None:
    shares, entered = Shares(100), anyio.Event()

    async def enter(size: int) -> None:
        async with shares.hold("a", size):
            entered.set()

    with anyio.fail_after(20):
        async with shares.hold("a", 60), anyio.create_task_group() as tasks:
            with anyio.move_on_after(0.1):
                tasks_that_wait = shares.hold("a", 90)
                async with tasks_that_wait:
                    pytest.fail("there is no room")
            tasks.start_soon(enter, 40)
            await entered.wait()
        assert not shares.full("a", 100)
