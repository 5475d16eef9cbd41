"""A disk without room: told, survived, and made good when there is room again."""

import resource
import signal
import sqlite3

import anyio
import pytest
from tests.server.conftest import TASK, Session, Toy

RUNNING = "running"


def full(toy: Toy, *, yes: bool) -> None:
    """No file of the server may grow: what a full disk does, without one."""
    assert toy.process is not None
    limit = 0 if yes else resource.RLIM_INFINITY
    resource.prlimit(toy.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


@pytest.mark.anyio
async def test_a_full_disk_ends_neither_the_server_nor_a_run(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await session.ok("submit", stage="draft")
        toy.hold("lint")
        run_id = (await session.ok("run_lint", wait_s=0))["run_id"]
        full(toy, yes=True)
        said = await session.error("write_file", path="toy/new.py", content="x" * 5000)
        assert "cannot store anything" in said
        assert "cannot store anything" in await session.error("submit", stage="lint", wait_s=0)
        toy.release("lint")
        assert (await session.ok("get_run", run_id=run_id, wait_s=3))["status"] == RUNNING
        full(toy, yes=False)
        with anyio.fail_after(60):
            while (run := await session.ok("get_run", run_id=run_id, wait_s=5))["status"] == RUNNING:
                pass
        assert run["status"] == "findings"
        assert "new.py" not in str(await session.ok("list_files"))
        assert (await session.ok("submit", stage="lint"))["status"] == "graded"
    assert toy.process is not None
    assert toy.process.poll() is None


def episodes(toy: Toy) -> list[tuple[str, int]]:
    """State and counted calls of every episode in the database."""
    with sqlite3.connect(toy.store / "kaiju.sqlite") as database:
        return database.execute("SELECT state, calls FROM episodes").fetchall()


async def until_episodes(toy: Toy, expected: list[tuple[str, int]]) -> None:
    with anyio.fail_after(60):
        while episodes(toy) != expected:  # noqa: ASYNC110 - another process writes them
            await anyio.sleep(0.05)


@pytest.mark.anyio
async def test_counters_that_could_not_be_written_are_written_later(toy: Toy) -> None:
    toy.serve(KAIJU_DRAFT_CALLS="10")
    async with toy.http() as session:
        episode_id = await session.start()
        full(toy, yes=True)
        for _ in range(4):
            await session.ok("list_files")
        assert "cannot store anything" in await session.error("submit", stage="draft", wait_s=0)
        await session.ok("list_files")
        assert (await session.ok("episode_status"))["budgets"]["calls_left"] == 5
        full(toy, yes=False)
        await until_episodes(toy, [("open", 5)])
        assert (await session.ok("episode_status"))["budgets"]["calls_left"] == 5
    toy.stop(signal.SIGKILL)
    toy.serve(KAIJU_DRAFT_CALLS="10")
    async with toy.http() as session:
        session.episode = {"episode_id": episode_id}
        assert (await session.ok("episode_status"))["budgets"]["calls_left"] == 5


@pytest.mark.anyio
async def test_an_episode_that_finds_no_room_to_start_leaves_nothing(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        (toy.control / "fault-create").touch()
        assert "cannot store anything" in await session.error("start_task", task_id=TASK)
        assert episodes(toy) == []
        assert list((toy.store / "episodes").iterdir()) == []
        (toy.control / "fault-create").unlink()
        await session.start()


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_could_not_even_be_removed_then_is_removed_when_there_is_room(toy: Toy) -> None:
    toy.serve()
    toy.hold("create")
    (toy.control / "fault-create").touch()
    async with toy.http() as session, anyio.create_task_group() as tasks:
        said: list[str] = []

        async def start(session: Session) -> None:
            said.append(await session.error("start_task", task_id=TASK))

        tasks.start_soon(start, session)
        with anyio.fail_after(60):
            while not (toy.control / "log").exists():  # noqa: ASYNC110 - another process writes it
                await anyio.sleep(0.02)
        full(toy, yes=True)
        toy.release("create")
    assert "cannot store anything" in said[0]
    assert episodes(toy) == [("opening", 0)]
    full(toy, yes=False)
    await until_episodes(toy, [])
    assert list((toy.store / "episodes").iterdir()) == []
