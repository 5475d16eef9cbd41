"""A server that dies at any point loses nothing: open episodes go on, submissions are graded once."""

import signal
import sqlite3
import sys

import anyio
import pytest
from mcp import MCPError
from tests.server.conftest import Toy

from kaiju_server.database import Database

pytestmark = pytest.mark.anyio

WRITER = """
import sys, anyio, sqlalchemy as sa
from kaiju_server.database import Database, episodes

async def main():
    database = Database(sys.argv[1])
    row = dict(task_id="t", task_digest="", subject="s", state="open", stage="draft", created=0,
               stage_opened=0, used=0, isolation="unattested", owner="")

    async def insert(number):
        new = {"id": f"{sys.argv[2]}-{number}", **row}
        await database.write(lambda connection: connection.execute(sa.insert(episodes).values(new)))

    async with anyio.create_task_group() as tasks:
        for number in range(100):
            tasks.start_soon(insert, number)

anyio.run(main)
"""


def rows(toy: Toy, table: str) -> int:
    with sqlite3.connect(toy.store / "kaiju.sqlite") as database:
        count: int = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


@pytest.mark.parametrize(
    ("where", "durable"),
    [
        ("Blobs.put", False),
        ("Submissions._store", False),
        ("Submissions._commit", False),
        ("Submissions.take", True),
        ("Gradings.start", True),
        ("Gradings._begin", True),
        ("ToyJudge.grade", True),
        ("Gradings._store", True),
    ],
)
async def test_a_submission_survives_kill_9_at_every_step(toy: Toy, where: str, durable: bool) -> None:
    toy.serve(TOY_DIE_AFTER=where)
    episode_id = ""
    try:
        async with toy.http() as session:
            episode_id = await session.start()
            await session.ok("write_file", path="toy/a.py", content="DONE\n")
            await session.raw("submit", stage="draft")
    except (MCPError, BaseExceptionGroup):
        pass
    assert toy.process is not None
    assert toy.process.wait(30) == -signal.SIGKILL
    toy.serve()
    async with toy.http() as session:
        session.episode = {"episode_id": episode_id}
        status = await session.ok("episode_status")
        assert (status["state"], status["stage"]) == ("open", "lint" if durable else "draft")
        assert (await session.ok("read_file", path="toy/a.py"))["text"] == "DONE\n"
        result = await session.ok("submit", stage="draft")
        assert (result["status"], result["reward"]) == ("graded", 0.25)
    assert (rows(toy, "submissions"), rows(toy, "grades")) == (1, 1)


async def test_an_episode_whose_workspace_was_not_finished_leaves_nothing(toy: Toy) -> None:
    toy.serve(TOY_DIE_AFTER="Workspace.create")
    with pytest.raises((MCPError, BaseExceptionGroup)):
        async with toy.http() as session:
            await session.start()
    toy.serve()
    async with toy.http() as session:
        await session.ok("list_tasks")
    assert rows(toy, "episodes") == 0
    assert list((toy.store / "episodes").iterdir()) == []


async def test_counters_and_the_workspace_survive_and_down_time_is_not_charged(toy: Toy) -> None:
    toy.serve(KAIJU_DRAFT_CALLS="10", KAIJU_DRAFT_SECONDS="100")
    async with toy.http() as session:
        episode_id = await session.start()
        for number in range(5):
            await session.ok("write_file", path=f"toy/n{number}.py", content="x")
        await anyio.sleep(2.5)
    toy.stop(signal.SIGKILL)
    # The server was away for an hour: everything in its rows is that much older.
    with sqlite3.connect(toy.store / "kaiju.sqlite") as database:
        database.execute("UPDATE episodes SET stage_opened = stage_opened - 3600, used = used - 3600")
    toy.serve(KAIJU_DRAFT_CALLS="10", KAIJU_DRAFT_SECONDS="100")
    async with toy.http() as session:
        session.episode = {"episode_id": episode_id}
        budgets = (await session.ok("episode_status"))["budgets"]
        assert budgets["calls_left"] == 5
        assert 50 < budgets["seconds_left"] < 100
        assert len((await session.ok("list_files", path="toy"))["files"]) == 9


async def test_a_visible_run_that_was_lost_says_so(toy: Toy) -> None:
    toy.hold("lint")
    toy.serve()
    async with toy.http() as session:
        episode_id = await session.start()
        await session.ok("submit", stage="draft")
        run_id = (await session.ok("run_lint", wait_s=0))["run_id"]
    toy.stop(signal.SIGKILL)
    toy.release("lint")
    toy.serve()
    async with toy.http() as session:
        session.episode = {"episode_id": episode_id}
        lost = await session.ok("get_run", run_id=run_id)
        assert (lost["status"], "restarted" in lost["cause"]) == ("could_not_lint", True)
        assert (await session.ok("run_lint"))["status"] == "findings"


async def test_a_second_server_takes_over_from_a_dead_one_but_not_from_a_living_one(
    toy: Toy,
) -> None:
    toy.hold("grade")
    toy.serve()
    async with toy.http() as session:
        await session.start()
        run_id = (await session.ok("submit", stage="draft", wait_s=0))["run_id"]
        await toy.until_begun("grade")
        async with toy.stdio() as other:
            await other.ok("list_tasks")
            assert toy.begun("grade") == 1
        toy.release("grade")
        assert (await session.until_graded(run_id))["reward"] == 0.0
        assert toy.begun("grade") == 1


async def test_what_one_server_changes_the_next_call_of_another_sees(toy: Toy) -> None:
    async with toy.stdio() as one, toy.stdio() as other:
        episode_id = await one.start()
        other.episode = {"episode_id": episode_id}
        await one.ok("write_file", path="toy/a.py", content="DONE")
        await other.ok("submit", stage="draft")
        assert (await one.ok("episode_status"))["stage"] == "lint"
        await one.ok("run_lint")
        await other.ok("abandon")
        assert "is abandoned" in await one.error("write_file", path="toy/a.py", content="")


async def test_a_stopped_server_leaves_no_grading_behind_and_the_next_one_finishes_it(toy: Toy) -> None:
    toy.hold("grade")
    async with toy.stdio() as session:
        episode_id = await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE")
        run_id = (await session.ok("submit", stage="draft", wait_s=0))["run_id"]
        await toy.until_begun("grade")
    toy.release("grade")
    async with toy.stdio() as session:
        session.episode = {"episode_id": episode_id}
        assert (await session.until_graded(run_id))["reward"] == 0.25


async def test_writers_of_several_processes_lose_no_row(toy: Toy) -> None:
    """While a reader holds a long transaction."""
    toy.store.mkdir(parents=True)
    address = f"sqlite:///{toy.store / 'kaiju.sqlite'}"
    Database(address).create()
    with sqlite3.connect(toy.store / "kaiju.sqlite") as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM episodes").fetchone()
        async with anyio.create_task_group() as writers:
            for number in range(4):
                command = [sys.executable, "-c", WRITER, address, str(number)]
                writers.start_soon(anyio.run_process, command)
    assert rows(toy, "episodes") == 400
