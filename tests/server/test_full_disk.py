"""A disk without room: told, survived, and made good when there is room again."""

import resource

import anyio
import pytest

from .conftest import Toy

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
