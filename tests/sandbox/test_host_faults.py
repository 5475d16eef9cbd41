"""Host faults: what the machine lacks is never the command's fault, and never an unnamed crash."""

import resource
import time
from collections.abc import Awaitable, Callable

import anyio
import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import Command
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.limits import Limits

ECHO = Command(("/bin/echo", "hello"))


@pytest.mark.parametrize("spare", [0, 1, 4, 8, 12, 15])
def test_a_server_without_descriptors_has_a_fault_and_recovers(box: Box, spare: int) -> None:
    async def starve() -> None:
        with anyio.fail_after(90):
            assert (await box.backend.run(ECHO, Limits())).ok
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest_descriptor() + 1 + spare, hard))
            try:
                with pytest.raises(SandboxFault):
                    await box.backend.run(ECHO, Limits())
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            assert (await box.backend.run(ECHO, Limits())).ok

    if box.backend.name != "namespace":
        pytest.skip("the engine, not this process, holds the descriptors of a container")
    anyio.run(starve)


def test_a_command_that_ended_in_time_is_not_charged_for_a_server_that_looks_late(box: Box) -> None:
    async def stall() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(block)
            for _ in range(3):
                result = await box.backend.run(Command(("/bin/sleep", "0.4")), Limits(wall=2.0))
                assert result.limit is None, result.limit
                assert result.exit_code == 0
            tasks.cancel_scope.cancel()

    async def block() -> None:
        while True:
            await anyio.sleep(0.1)
            time.sleep(2.5)  # noqa: ASYNC251 - this is the server that does not look

    if box.backend.name != "namespace":
        pytest.skip("the engine measures the time of a container")
    with_time_to_spare(stall)


def with_time_to_spare(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        with anyio.fail_after(90):
            await work()

    anyio.run(main)


def highest_descriptor() -> int:
    with open("/dev/null") as probe:  # noqa: PTH123 - the lowest free number is wanted
        return probe.fileno()
