"""The doctor's lines say what is wrong here and how to put it right."""

import os
import signal
import subprocess
from pathlib import Path

import anyio
import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.backends import namespace
from kaiju_sandbox.command import Command, File, Layer, Tree
from kaiju_sandbox.errors import BackendUnavailable, SandboxError
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.settings import Settings


def test_all_is_well_where_the_suite_runs(box: Box) -> None:
    lines = anyio.run(box.backend.check)
    assert all(line.ok for line in lines if line.required)
    assert len({line.name for line in lines}) == len(lines)
    if box.backend.name == "namespace":
        assert {"bubblewrap", "user namespaces", "system call filter", "interpreter"} <= {
            line.name for line in lines
        }


def broken(settings: Settings) -> str:
    lines = [line for line in anyio.run(namespace.create(settings).check) if line.required and not line.ok]
    assert lines
    assert all(line.remedy for line in lines)
    return " ".join(line.detail for line in lines)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs sandboxes as other users")
def test_a_state_folder_that_slots_cannot_pass_is_named(state_dir: Path) -> None:
    private = state_dir / "private"
    private.mkdir(mode=0o700, exist_ok=True)
    settings = Settings(state_dir=private / "state")
    assert f"cannot pass {private}" in broken(settings)
    assert not settings.state_dir.exists()


def test_a_state_folder_that_cannot_be_made_is_named() -> None:
    assert "/proc/state" in broken(Settings(state_dir=Path("/proc/state")))


def test_a_state_folder_that_sandboxes_would_see_is_refused() -> None:
    assert "every sandbox sees" in broken(Settings(state_dir=Path("/usr/kaiju-state")))


def test_a_run_on_an_unusable_machine_is_a_fault_and_no_result() -> None:
    backend = namespace.create(Settings(state_dir=Path("/proc/state")))
    with pytest.raises(BackendUnavailable, match="state_dir"):
        anyio.run(backend.run, Command(("/bin/true",)), Limits())


def test_a_sandbox_killed_from_outside_is_a_fault_and_no_result(box: Box) -> None:
    if box.backend.name != "namespace":
        pytest.skip("a container has no process of ours to kill")

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_bubblewrap)
            with pytest.raises(SandboxError, match="killed from outside"):
                await box.start("/bin/sleep", "60")

    async def kill_bubblewrap() -> None:
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
        with anyio.fail_after(30):
            while not (mine := children.read_text().split()):  # noqa: ASYNC110, ASYNC240 - procfs
                await anyio.sleep(0.02)
            await anyio.sleep(0.5)
        os.kill(int(mine[0]), signal.SIGKILL)

    anyio.run(main)


def test_layers_in_memory_are_told_from_layers_on_a_disk(box: Box) -> None:
    if box.backend.name != "namespace":
        pytest.skip("the engine keeps the layers of a container")
    kind = ["/usr/bin/stat", "-f", "-c", "%T", str(box.settings.layers_dir)]
    found = subprocess.run(kind, capture_output=True, text=True, check=True).stdout.strip()
    line = next(line for line in anyio.run(box.backend.check) if line.name == "layers")
    assert line.ok == (found in {"tmpfs", "ramfs"})


def test_layers_outside_memory_are_a_note_with_the_command_that_puts_them_there() -> None:
    lines = anyio.run(namespace.create(Settings(state_dir=Path("/proc/state"))).check)
    line = next(line for line in lines if line.name == "layers")
    assert not line.ok
    assert not line.required
    assert line.remedy.startswith("sudo mount -t tmpfs")
    assert line.remedy.endswith("/proc/state/layers")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_full_disk_of_the_host_is_a_fault_and_no_result(state_dir: Path) -> None:
    small = state_dir / "small"
    small.mkdir()
    mount = ["/usr/bin/mount", "-t", "tmpfs", "-o", "size=2m,mode=755", "kaiju-test", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no mounts here")
    try:
        settings = Settings(state_dir=small)
        tree = Tree("/work", {"f": File(bytes(4_000_000))})
        command = Command(("/bin/true",), inputs=(tree,))
        with pytest.raises(SandboxError, match="No space left"):
            anyio.run(namespace.create(settings).run, command, Limits())
        assert list(settings.staging_dir.iterdir()) == []
    finally:
        subprocess.run(["/usr/bin/umount", str(small)], check=True)


def test_a_missing_layer_is_a_fault_and_no_result(box: Box, state_dir: Path) -> None:
    with pytest.raises(SandboxError, match="missing"):
        box.run("/bin/true", inputs=(Layer("/kaiju/env/x", state_dir / "missing"),))
