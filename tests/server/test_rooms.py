"""Rooms: what holds held-out tests and what an agent hears from are never at work together."""

import sys
from contextlib import AsyncExitStack
from pathlib import Path
from subprocess import PIPE

import anyio
import pytest
from anyio import CapacityLimiter

from kaiju_grading.turns import Turns
from kaiju_server.rooms import Room, RoomPlaces, Rooms

pytestmark = pytest.mark.anyio

HOLD = """
import anyio, sys
from pathlib import Path
from kaiju_server.rooms import Room, Rooms

async def main():
    async with Rooms(Path(sys.argv[1])).enter(Room(sys.argv[2])):
        print("in", flush=True)
        await anyio.sleep(300)

anyio.run(main)
"""


async def in_vain(rooms: Rooms, room: Room) -> bool:
    """Whether nobody gets in within a while that is long beside a look at the door."""
    with anyio.move_on_after(0.3) as patience:
        async with rooms.enter(room):
            pass
    return patience.cancelled_caught


@pytest.mark.parametrize("room", Room)
async def test_many_are_in_one_room_and_nobody_in_the_other(tmp_path: Path, room: Room) -> None:
    rooms, elsewhere = Rooms(tmp_path), Rooms(tmp_path)
    other = next(each for each in Room if each is not room)
    with anyio.fail_after(20):
        async with AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(rooms.enter(room))
            await stack.enter_async_context(elsewhere.enter(room))
            assert await in_vain(rooms, other)
            assert await in_vain(elsewhere, other)
        async with elsewhere.enter(other):
            assert await in_vain(rooms, room)


async def test_who_comes_later_does_not_pass_who_waits(tmp_path: Path) -> None:
    """A stream of gradings does not keep a visible run waiting for ever, nor the other way round."""
    rooms = Rooms(tmp_path)
    order: list[Room] = []

    async def visit(room: Room) -> None:
        async with rooms.enter(room):
            order.append(room)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks, rooms.enter(Room.HELDOUT):
            tasks.start_soon(visit, Room.TOLD)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(visit, Room.HELDOUT)
            assert await in_vain(Rooms(tmp_path), Room.HELDOUT)
            assert not order
    assert order == [Room.TOLD, Room.HELDOUT]


async def test_a_server_that_was_killed_leaves_its_room(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path), Room.TOLD]
    with anyio.fail_after(60):
        async with await anyio.open_process(command, stdout=PIPE, stderr=None) as server:
            assert server.stdout is not None
            assert (await server.stdout.receive()).startswith(b"in")
            assert await in_vain(Rooms(tmp_path), Room.HELDOUT)
            server.kill()
    with anyio.fail_after(20):
        async with Rooms(tmp_path).enter(Room.HELDOUT):
            pass


async def test_a_grading_that_waits_for_its_room_loses_none_of_its_time(tmp_path: Path) -> None:
    """Whoever keeps the other room full makes no grading run into its limit."""
    rooms = Rooms(tmp_path)
    places = RoomPlaces(CapacityLimiter(1), rooms, Room.HELDOUT)
    with anyio.fail_after(30), anyio.fail_after(2) as limit:
        turns = Turns(places, limit)
        async with anyio.create_task_group() as tasks:

            async def fill() -> None:
                async with rooms.enter(Room.TOLD):
                    await anyio.sleep(4)

            tasks.start_soon(fill)
            await anyio.sleep(0.1)
            async with turns:
                assert await in_vain(rooms, Room.TOLD)
        async with rooms.enter(Room.TOLD):
            pass
