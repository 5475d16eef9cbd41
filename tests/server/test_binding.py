"""Which episode a call is for, and whose."""

import pytest
from tests.server.conftest import ERAS, TASK, Session, Toy

pytestmark = pytest.mark.anyio


async def opened(toy: Toy, token: str | None = None) -> str:
    async with toy.http(token=token) as session:
        return await session.start()


async def seen(session: Session, episode_id: str | None = None) -> str:
    """The id of the episode that a call without or with an argument reaches."""
    arguments = {"episode_id": episode_id} if episode_id else {}
    found: str = (await session.ok("episode_status", **arguments))["episode_id"]
    return found


@pytest.mark.parametrize("mode", ERAS)
async def test_argument_then_header_then_address_chooses_the_episode(shared_toy: Toy, mode: str) -> None:
    one, two, three = [await opened(shared_toy) for _ in range(3)]
    query = f"?episode={three}"
    async with shared_toy.http(mode, header=two, query=query) as session:
        assert await seen(session, one) == one
        assert await seen(session) == two
    async with shared_toy.http(mode, query=query) as session:
        assert await seen(session) == three
    async with shared_toy.http(mode) as session:
        assert "no episode is bound" in await session.error("list_files")


@pytest.mark.parametrize("mode", ERAS)
async def test_somebody_elses_episode_is_not_found_whichever_way_it_is_named(
    shared_toy: Toy, mode: str
) -> None:
    mine = await opened(shared_toy)
    stranger = shared_toy.add_token("stranger")
    texts = set()
    async with shared_toy.http(mode, token=stranger) as session:
        for tool, extra in (
            ("list_files", {}),
            ("write_file", {"path": "x", "content": ""}),
            ("submit", {"stage": "draft"}),
            ("get_run", {"run_id": "run-1"}),
            ("episode_status", {}),
            ("abandon", {}),
        ):
            texts.add(await session.error(tool, episode_id=mine, **extra))
        unknown = await session.error("list_files", episode_id="0" * 32)
    async with shared_toy.http(mode, token=stranger, header=mine) as session:
        texts.add(await session.error("list_files"))
    async with shared_toy.http(mode, token=stranger, query=f"?episode={mine}") as session:
        texts.add(await session.error("list_files"))
    assert texts == {unknown.replace("0" * 32, mine)}
    async with shared_toy.http(mode) as session:
        assert (await session.ok("episode_status", episode_id=mine))["state"] == "open"


async def test_a_token_with_an_episode_reaches_that_one_and_no_other(shared_toy: Toy) -> None:
    one, two = await opened(shared_toy), await opened(shared_toy)
    bound = shared_toy.add_token("worker", one)
    async with shared_toy.http(token=bound) as session:
        assert await seen(session) == one
        assert await seen(session, one) == one
        assert "not found" in await session.error("list_files", episode_id=two)
        assert "cannot start another" in await session.error("start_task", task_id=TASK)
    async with shared_toy.http(token=bound, header=two) as session:
        assert "not found" in await session.error("list_files")


async def test_a_run_of_another_episode_is_not_found(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        run_id = (await session.ok("submit", stage="draft"))["run_id"]
        await session.start()
        assert "not found" in await session.error("get_run", run_id=run_id)


async def test_a_stdio_process_has_one_episode_and_finds_earlier_ones_by_id(toy: Toy) -> None:
    async with toy.stdio() as session:
        assert "no episode is bound" in await session.error("list_files")
        first: str = (await session.ok("start_task", task_id=TASK))["episode_id"]
        await session.ok("write_file", path="toy/a.py", content="DONE")
        assert await seen(session) == first
    async with toy.stdio() as session:
        assert "no episode is bound" in await session.error("list_files")
        assert (await session.ok("read_file", path="toy/a.py", episode_id=first))["text"] == "DONE"
        second: str = (await session.ok("start_task", task_id=TASK))["episode_id"]
        assert await seen(session) == second


async def test_an_unknown_task_is_told_with_what_there_is(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        for task_id in ("none", "../x", "", "python-toy-1.0/../x"):
            assert TASK in await session.error("start_task", task_id=task_id)
