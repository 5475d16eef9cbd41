"""Whatever happens, nothing of a run is left; what others use stays."""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from tests.sandbox.conftest import PATIENCE, Box

from kaiju_sandbox.command import Command, File, Scratch, Tree
from kaiju_sandbox.leftovers import Owner, owned_name
from kaiju_sandbox.limits import Limits

TREE = Tree("/work", {"a/b": File(b"x")})


def processes_with(token: str, *, at_start: bool = False) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
                if command.startswith(token.encode()) if at_start else token.encode() in command:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def census(box: Box) -> tuple[int, int, list[str]]:
    """Descriptors and mounts of this process, and staged folders."""
    staging = box.settings.staging_dir
    staged = sorted(entry.name for entry in staging.iterdir()) if staging.is_dir() else []
    mounts = Path("/proc/self/mountinfo").read_text().count(str(box.settings.state_dir))
    return len(list(Path("/proc/self/fd").iterdir())), mounts, staged


def test_a_background_child_that_keeps_stdout_open_neither_delays_nor_stays(box: Box) -> None:
    token = f"token-{secrets.token_hex(8)}"
    script = "(trap '' TERM HUP; setsid sh -c 'sleep 300; echo $0' \"$1\" &) ; echo started; exit 5"
    started = time.monotonic()
    result = box.shell(script, token)
    assert time.monotonic() - started < 20
    assert (result.exit_code, result.stdout) == (5, b"started\n")
    assert processes_with(token) == []


def test_a_daemon_is_gone_after_the_wall_clock(box: Box) -> None:
    token = f"token-{secrets.token_hex(8)}"
    box.shell(
        '(setsid sh -c \'trap "" TERM; sleep 300; echo $0\' "$1" &); sleep 300',
        token,
        limits=Limits(wall=0.5),
    )
    assert processes_with(token) == []


def test_orphans_do_not_pile_up_as_zombies(box: Box) -> None:
    script = """
i=0; while [ $i -lt 200 ]; do sh -c '(true &)'; i=$((i+1)); done
sleep 0.2
cat /proc/[0-9]*/stat | grep -c ') Z '
"""
    result = box.shell(script, limits=Limits(processes=40))
    assert int(result.stdout) <= 2


def test_a_run_leaves_nothing(box: Box) -> None:
    box.shell("true", inputs=(TREE,))
    before = census(box)
    for script in ("true", "exit 3", "kill -9 $$"):
        box.shell(script, inputs=(TREE,), scratch=(Scratch("/build", 10**6),), keep="/build", report=True)
    box.shell("sleep 60", inputs=(TREE,), limits=Limits(wall=0.2))
    assert census(box) == before


@pytest.mark.parametrize("delay", [0.0, 0.005, 0.02, 0.05, 0.5])
def test_cancellation_at_any_moment_leaves_nothing(box: Box, delay: float) -> None:
    token = f"token-{secrets.token_hex(8)}"
    box.shell("true", inputs=(TREE,))
    before = census(box)
    command = Command(
        ("/bin/sh", "-c", "trap '' TERM; sleep 300", token), inputs=(TREE,), report=True, keep="/tmp"
    )

    async def cancel() -> None:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(box.backend.run, command, Limits())
                await anyio.sleep(delay)
                tasks.cancel_scope.cancel()

    started = time.monotonic()
    anyio.run(cancel)
    assert time.monotonic() - started < delay + 4
    assert processes_with(token) == []
    assert census(box) == before


def test_eight_at_once_do_not_disturb_each_other(box: Box) -> None:
    results: dict[int, bytes] = {}

    async def one(number: int) -> None:
        tree = Tree("/work", {"n": File(str(number).encode())})
        script = "cp /work/n /tmp/n; sleep 0.2; cat /tmp/n; ls /tmp | wc -l"
        result = await box.start("/bin/sh", "-c", script, inputs=(tree,))
        results[number] = result.stdout

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(one, number)

    anyio.run(all_of_them)
    assert results == {number: f"{number}1\n".encode() for number in range(8)}


def test_a_fork_bomb_does_not_starve_its_neighbour(box: Box) -> None:
    async def both() -> None:
        async with anyio.create_task_group() as tasks:
            bomb = ("/bin/sh", "-c", "b() { b | b & }; b; sleep 5")
            tasks.start_soon(box.backend.run, Command(bomb), Limits(processes=60, wall=10))
            result = await box.start(
                "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sh -c true || exit 1; done"
            )
            assert result.ok

    anyio.run(both)


def test_the_server_killed_outright_takes_its_sandbox_along(box: Box, state_dir: Path) -> None:
    """Nothing of ours runs on: the sandbox dies with its server, the sweep takes the staged files."""
    token = f"300.{secrets.randbelow(10**12)}"
    program = f"""
import anyio
from importlib import import_module
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.settings import Settings
settings = Settings.model_validate_json({box.settings.model_dump_json()!r})
backend = import_module("kaiju_sandbox.backends.{box.backend.name}").create(settings)
tree = Tree("/work", {{"f": File(b"x")}})
command = Command(("/usr/bin/sleep", {token!r}), inputs=(tree,))
anyio.run(backend.run, command, Limits(wall=200))
"""
    server = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + 60
    while not processes_with(f"/usr/bin/sleep\0{token}", at_start=True) and time.monotonic() < deadline:
        assert server.poll() is None
        time.sleep(0.05)
    server.kill()
    server.wait()
    deadline = time.monotonic() + 30
    while processes_with(token) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_with(token) == []
    assert anyio.run(box.backend.sweep) >= 1
    assert list(box.settings.staging_dir.iterdir()) == []


def test_the_sweep_keeps_what_the_living_use(box: Box) -> None:
    async def sweep_during_a_run() -> None:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:

                async def run() -> None:
                    result = await box.start("/bin/sh", "-c", "sleep 1; cat /work/a/b", inputs=(TREE,))
                    assert result.stdout == b"x"

                tasks.start_soon(run)
                await anyio.sleep(0.5)
                await box.backend.sweep()

    anyio.run(sweep_during_a_run)


def test_the_sweep_removes_a_dead_owners_folder_whatever_is_in_it(box: Box) -> None:
    staging = box.settings.staging_dir
    staging.mkdir(parents=True, exist_ok=True)
    dead = staging / owned_name("run").replace(f"-{os.getpid()}-", "-999999999-")
    other_boot = staging / owned_name("run").replace(Owner.current().boot, "0" * 12)
    living = staging / owned_name("run")
    for folder in (dead, other_boot, living):
        folder.mkdir()
    deep = os.open(dead, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=deep)
        below = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    (other_boot / "locked").mkdir(mode=0o000)
    try:
        anyio.run(box.backend.sweep)
        assert not dead.exists()
        assert not other_boot.exists()
        assert living.is_dir()
    finally:
        living.rmdir()
