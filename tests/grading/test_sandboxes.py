"""Reading what a program sent: its size is the program's choice, the server's time is not."""

import time

import anyio

from kaiju_grading.sandboxes import read_aside


def test_the_event_loop_goes_on_while_a_result_is_read() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await anyio.sleep(0.01)
            ticks += 1

    def read() -> str:
        time.sleep(0.5)
        return "read"

    async def main() -> None:
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(tick)
                assert await read_aside(read) == "read"
                tasks.cancel_scope.cancel()

    anyio.run(main)
    assert ticks > 5
