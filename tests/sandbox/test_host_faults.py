"""Host faults: what the machine lacks is never the command's fault, and never an unnamed crash."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import anyio
import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import Command
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.limits import Limits

ECHO = Command(("/bin/echo", "hello"))
WITHOUT_PROCESS_DESCRIPTORS = """
import anyio, ctypes, errno, os, struct, sys
from pathlib import Path
from kaiju_sandbox.backends import namespace
from kaiju_sandbox.command import Command
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.settings import Settings

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
PIDFD_OPEN, REFUSE, ALLOW = 434, 0x50000 | errno.EMFILE, 0x7FFF0000
steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, PIDFD_OPEN), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
code = b"".join(struct.pack("HBBI", *step) for step in steps)
program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer := ctypes.create_string_buffer(code)))
libc = ctypes.CDLL(None, use_errno=True)

async def main():
    settings = Settings(state_dir=Path(sys.argv[1]), first_uid=71_000)
    backend = namespace.create(settings)
    assert (await backend.run(Command(("/bin/true",)), Limits())).ok
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) == 0  # PR_SET_SECCOMP
    before = set(settings.staging_dir.iterdir())
    try:
        await backend.run(Command(("/bin/true",)), Limits())
    except SandboxFault:
        print("fault")
    print("children:", Path(f"/proc/self/task/{os.getpid()}/children").read_text())
    print("left:", set(settings.staging_dir.iterdir()) - before)

anyio.run(main)
"""
"""A server whose kernel has no process descriptors left, and nothing else wrong."""


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


@pytest.mark.skipif(os.uname().machine not in {"x86_64", "aarch64"}, reason="numbers of system calls")
def test_a_bubblewrap_that_cannot_be_held_is_gone_when_the_fault_is_told(box: Box) -> None:
    if box.backend.name != "namespace":
        pytest.skip("a container is the engine's")
    argv = [sys.executable, "-c", WITHOUT_PROCESS_DESCRIPTORS, str(box.settings.state_dir)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["fault", "children: ", "left: set()"]


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
