"""Each limit holds against code that tries to pass it, and the result names the one that did."""

import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import Scratch
from kaiju_sandbox.limits import MIB, LimitName, Limits
from kaiju_sandbox.result import LimitHit, Result


def hit(result: Result, name: LimitName) -> LimitHit:
    assert result.limit is not None, result
    assert result.limit.name is name, result
    assert not result.ok
    return result.limit


def test_wall_clock(box: Box) -> None:
    result = box.shell("sleep 60", limits=Limits(wall=0.5))
    limit = hit(result, LimitName.WALL)
    assert limit.setting == 0.5
    assert 0.5 <= limit.measured < 5
    assert (result.exit_code, result.signal) == (None, 9)


def test_wall_clock_when_every_signal_is_ignored_and_children_hide(box: Box) -> None:
    script = (
        "trap '' TERM INT HUP QUIT; (setsid sh -c \"trap '' TERM; sleep 60\" &) ; while :; do sleep 1; done"
    )
    hit(box.shell(script, limits=Limits(wall=0.5)), LimitName.WALL)


def test_output_before_the_wall_clock_ends_is_there(box: Box) -> None:
    result = box.shell("echo early; sleep 60", limits=Limits(wall=1))
    hit(result, LimitName.WALL)
    assert result.stdout == b"early\n"


def test_processor_time_of_one_process(box: Box) -> None:
    result = box.shell("while :; do :; done", limits=Limits(cpu=0.5, wall=30))
    limit = hit(result, LimitName.CPU)
    assert 0.5 <= limit.measured < 3


def test_processor_time_is_summed_over_the_tree(box: Box) -> None:
    script = "for i in 1 2 3 4; do (while :; do :; done) & done; wait"
    result = box.shell(script, limits=Limits(cpu=1, wall=30))
    hit(result, LimitName.CPU)
    assert result.wall < 10


def test_processor_time_of_short_children_that_nobody_waits_for(box: Box) -> None:
    program = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    reader, writer = os.pipe()
    if os.fork() == 0:
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        os._exit(0)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
"""
    hit(box.python(program, limits=Limits(cpu=1.5, wall=40)), LimitName.CPU)


def test_memory_of_one_process(box: Box) -> None:
    program = "held = []\nwhile True: held.append(bytearray(4_000_000))"
    result = box.python(program, limits=Limits(memory=128 * MIB, wall=30))
    limit = hit(result, LimitName.MEMORY)
    assert limit.setting == 128 * MIB
    assert result.memory >= 100 * MIB


def test_memory_is_summed_over_the_tree(box: Box) -> None:
    program = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(os.urandom(1000)) * 40_000
        time.sleep(60)
time.sleep(60)
"""
    hit(box.python(program, limits=Limits(memory=160 * MIB, wall=30)), LimitName.MEMORY)


def test_pages_that_a_tree_shares_count_once(box: Box) -> None:
    program = """
import os, time
held = bytearray(60_000_000)
children = [os.fork() for _ in range(1)]
for _ in range(5):
    if os.fork() == 0: break
time.sleep(1.5)
"""
    assert box.python(program, limits=Limits(memory=250 * MIB)).exit_code == 0


def test_files_in_memory_without_a_name_do_not_escape(box: Box) -> None:
    """Either the kernel has no such call for the sandbox, or its memory counts."""
    program = """
import os
held = []
while True:
    held.append(os.memfd_create("x"))
    for _ in range(8): os.write(held[-1], bytes(4_000_000))
"""
    result = box.python(program, limits=Limits(memory=128 * MIB, wall=20))
    assert result.exit_code != 0
    assert result.memory < 400 * MIB
    if result.limit is not None:
        hit(result, LimitName.MEMORY)
    else:
        assert b"Function not implemented" in result.stderr


def test_scratch_counts_as_memory(box: Box) -> None:
    script = "head -c 200000000 /dev/zero >/build/a; sleep 30"
    result = box.shell(
        script,
        scratch=(Scratch("/build", 400 * MIB),),
        limits=Limits(memory=96 * MIB, file_size=1024 * MIB, wall=20),
    )
    hit(result, LimitName.MEMORY)


def test_a_fork_bomb(box: Box) -> None:
    program = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
    result = box.python(program, limits=Limits(processes=40, wall=20))
    limit = hit(result, LimitName.PROCESSES)
    assert (limit.setting, limit.measured) == (40, 41)
    assert box.run("/bin/true").ok


def test_a_fork_bomb_that_collapses_does_no_harm(box: Box) -> None:
    box.shell("b() { b | b & }; b; sleep 2", limits=Limits(processes=40, wall=20))
    assert box.run("/bin/true").ok


def test_a_thread_bomb(box: Box) -> None:
    program = """
import threading, time
for _ in range(200):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)
"""
    result = box.python(program, limits=Limits(processes=30, wall=20))
    assert not result.ok
    if result.limit is not None:  # else the last thread was refused and the program gave up at once
        hit(result, LimitName.PROCESSES)
    else:
        assert b"can't start new thread" in result.stderr


def test_as_many_processes_as_allowed_are_allowed(box: Box) -> None:
    program = """
import os, time
for _ in range(19):
    if os.fork() == 0:
        time.sleep(1); os._exit(0)
time.sleep(0.5)
"""
    assert box.python(program, limits=Limits(processes=20)).ok


def test_one_file_that_grows_too_big(box: Box) -> None:
    result = box.shell("exec head -c 3000000 /dev/zero >/tmp/f", limits=Limits(file_size=MIB))
    limit = hit(result, LimitName.FILE_SIZE)
    assert limit.setting == MIB
    assert result.signal == 25


def test_disk_filled_by_size(box: Box) -> None:
    script = 'i=0; while head -c 1000000 /dev/zero >/tmp/f$i; do i=$((i+1)); done; echo "$i"; exit 3'
    result = box.shell(script, limits=Limits(disk=8 * MIB))
    hit(result, LimitName.DISK)
    assert 6 <= int(result.stdout) <= 9
    assert b"No space left on device" in result.stderr
    assert result.exit_code == 3


def test_disk_filled_by_count(box: Box) -> None:
    program = """
import os
n = 0
while True:
    os.mkdir(f"/tmp/{n}"); n += 1
"""
    result = box.python(program, limits=Limits(files=2000, wall=30))
    limit = hit(result, LimitName.FILES)
    assert limit.setting == 2000
    assert limit.measured < 300_000


def test_shared_memory_counts_as_files_too(box: Box) -> None:
    program = "n = 0\nwhile True: open(f'/dev/shm/{n}', 'w').close(); n += 1"
    result = box.python(program, limits=Limits(files=2000, wall=30))
    assert not result.ok


def test_output_over_the_limit_keeps_head_tail_and_exit_code(box: Box) -> None:
    script = "echo first; head -c 100000 /dev/zero | tr '\\0' x; echo; echo last; exit 4"
    result = box.shell(script, limits=Limits(output=10_000))
    limit = hit(result, LimitName.OUTPUT)
    assert result.exit_code == 4
    assert len(result.stdout) == 10_000
    assert result.stdout.startswith(b"first\nxxx")
    assert result.stdout.endswith(b"xxx\nlast\n")
    assert result.stdout_size == 100_000 + len("first\n\nlast\n") == limit.measured


def test_output_at_the_limit_is_whole(box: Box) -> None:
    result = box.shell("head -c 9999 /dev/zero | tr '\\0' x; echo", limits=Limits(output=10_000))
    assert result.ok
    assert result.stdout == b"x" * 9999 + b"\n"


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_flood_of_output_ends_the_command(box: Box, stream: str) -> None:
    result = box.shell(f"yes >&{stream}", limits=Limits(output=100_000, wall=30))
    limit = hit(result, LimitName.OUTPUT)
    assert limit.measured > 1_600_000
    assert result.signal == 9
    assert result.wall < 20


def test_a_report_over_the_limit_ends_the_command(box: Box) -> None:
    program = """
import os
while True: os.write(int(os.environ["KAIJU_REPORT_FD"]), b"r" * 4096)
"""
    result = box.python(program, report=True, limits=Limits(report=100_000, wall=30))
    limit = hit(result, LimitName.REPORT)
    assert limit.measured > 100_000
    assert result.report == b"r" * 100_000


def test_no_core_is_written(box: Box) -> None:
    result = box.shell("cd /tmp; sh -c 'kill -SEGV $$'; ls -A /tmp")
    assert result.stdout == b""
