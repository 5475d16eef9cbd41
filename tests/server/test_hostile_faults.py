"""Provoking a fault of the machine to drop a stage that is lost: it must be a verdict, or an answer."""

import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import pytest
from tests.server.conftest import Session, Toy, text_of
from tests.server.memory import forget, grown
from tests.server.test_restart import rows

pytestmark = pytest.mark.anyio
MIB = 1024 * 1024


def database(toy: Toy, statement: str, *values: object) -> list[tuple[object, ...]]:
    with sqlite3.connect(toy.store / "kaiju.sqlite") as connection:
        return connection.execute(statement, values).fetchall()


async def test_a_grading_that_waits_for_all_others_gets_its_verdict_however_long_that_takes(
    toy: Toy,
) -> None:
    """Whoever fills every place for sandboxes makes nobody's grading a fault, not even its own."""
    toy.hold("grade")
    async with toy.stdio(KAIJU_GRADING_SECONDS="0.2") as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE")
        run_id = (await session.ok("submit", stage="draft", wait_s=3))["run_id"]
        assert toy.begun("grade") == 1
        toy.release("grade")
        assert (await session.until_graded(run_id))["reward"] == 0.25


async def test_a_server_that_is_stopped_while_it_grades_has_not_used_up_a_start(toy: Toy) -> None:
    toy.hold("grade")
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await session.ok("submit", stage="draft", wait_s=0)
        await toy.until_begun("grade")
        assert database(toy, "SELECT attempts FROM grades") == [(1,)]
    await anyio.to_thread.run_sync(toy.stop)
    assert database(toy, "SELECT attempts, status FROM grades") == [(0, "pending")]


async def test_submits_side_by_side_from_several_connections_and_servers_make_one_grading(toy: Toy) -> None:
    toy.hold("grade")
    toy.serve()
    async with toy.http() as one, toy.http("legacy") as two, toy.stdio() as three:
        await one.start()
        await one.ok("write_file", path="toy/a.py", content="DONE")
        two.episode = one.episode
        answers: list[str] = []

        async def submit(session: Session) -> None:
            answers.append((await session.ok("submit", stage="draft", wait_s=0))["run_id"])

        async with anyio.create_task_group() as tasks:
            for session in (one, two) * 8:
                tasks.start_soon(submit, session)
            for tool, extra in (("write_file", {"path": "toy/b.py", "content": "DONE"}), ("list_files", {})):
                tasks.start_soon(partial(one.raw, tool, **extra))
        assert len(set(answers)) == 1
        assert "not found" in await three.error("submit", stage="draft", **one.episode)
        toy.release("grade")
        assert (await one.until_graded(answers[0]))["reward"] in {0.25, 0.5}
    assert (rows(toy, "submissions"), rows(toy, "grades"), toy.begun("grade")) == (1, 1, 1)


async def test_many_long_results_do_not_fill_the_memory_of_who_asks_for_the_status(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        episode_id = await session.start()
        long = json.dumps({"status": "findings", "files": 0, "problems": [], "cause": "x" * 4 * MIB})
        for number in range(60):
            database(
                toy,
                "INSERT INTO runs VALUES (?, ?, 'lint', 'draft', 'finished', '', ?, ?, 0)",
                f"run-{number}",
                episode_id,
                long,
                number,
            )
        assert toy.process is not None
        before = forget(toy.process.pid)
        runs = (await session.ok("episode_status"))["runs"]
        assert [run["run_id"] for run in runs] == [f"run-{number}" for number in range(40, 60)]
        assert grown(toy.process.pid, before) < 40


@pytest.mark.slow
async def test_runs_that_wait_for_their_turn_fill_no_memory(toy: Toy) -> None:
    """Each of them reads 60 MB."""
    toy.hold("lint")
    toy.serve()
    assert toy.process is not None
    async with toy.http() as session:
        episodes = [await session.start() for _ in range(8)]
        for episode_id in episodes:
            for number in range(60):
                (toy.store / "episodes" / episode_id / "files" / "toy" / f"{number}.py").write_bytes(
                    b"#" * (MIB - 1)
                )
        before = forget(toy.process.pid)
        said = []
        for episode_id in episodes:
            session.episode = {"episode_id": episode_id}
            await session.ok("submit", stage="draft")
            said.append(text_of(await session.raw("run_lint", wait_s=0)))
        assert ["too many runs" in text for text in said] == [False] * 4 + [True] * 4
        assert grown(toy.process.pid, before) < 700
        toy.release("lint")


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_whoever_fills_the_disk_is_told_and_leaves_room_for_submissions_and_gradings(
    toy: Toy,
) -> None:
    with small_disk(toy.store, 64 * MIB):
        toy.serve(KAIJU_DISK_RESERVE=str(32 * MIB))
        async with toy.http() as session:
            await session.start()
            honest = dict(session.episode)
            await session.ok("write_file", path="toy/a.py", content="DONE")
            await session.start()
            written = 0
            while not (told := await session.raw("write_file", **filled(written))).is_error:
                written += 1
            assert "cannot store anything" in text_of(told)
            assert 8 < written < 40
            assert (await session.ok("submit", stage="draft", **honest))["reward"] == 0.25
            for number in range(written):
                await session.ok("delete_file", path=f"toy/{number}.py")
            await session.ok("write_file", path="toy/b.py", content="DONE")
            assert (await session.ok("submit", stage="draft"))["reward"] == 0.25
        toy.stop(signal.SIGKILL)


def filled(number: int) -> dict[str, str]:
    return {"path": f"toy/{number}.py", "content": f"# {number}\n" + "#" * 900_000}
