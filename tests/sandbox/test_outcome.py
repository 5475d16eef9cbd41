"""How a command ended, and what came out of it, is told exactly."""

import hashlib
import os
import signal
from collections.abc import Iterator

import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import REPORT_VARIABLE
from kaiju_sandbox.limits import Enforcement, LimitName

BYTES = bytes(range(256))


@pytest.mark.parametrize("code", [0, 1, 2, 77, 126, 127, 128, 255])
def test_an_exit_code_comes_back(box: Box, code: int) -> None:
    result = box.shell(f"exit {code}")
    assert (result.exit_code, result.signal, result.limit) == (code, None, None)
    assert result.ok is (code == 0)


@pytest.mark.parametrize("number", [1, 2, 6, 9, 11, 15])
def test_a_signal_comes_back_as_a_signal(box: Box, number: int) -> None:
    result = box.shell(f"kill -{number} $$; sleep 30")
    assert (result.exit_code, result.signal) == (None, number)
    assert not result.ok


def kernel_tells_exit_status() -> bool:
    release = os.uname().release.split(".")
    return (int(release[0]), int(release[1])) >= (6, 15)


@pytest.mark.skipif(
    not kernel_tells_exit_status(), reason="needs Linux 6.15: before, 128 + n reads as a signal"
)
@pytest.mark.parametrize("code", [129, 137, 139, 143])
def test_an_exit_code_like_a_shells_for_a_signal_is_still_an_exit_code(box: Box, code: int) -> None:
    result = box.shell(f"exit {code}")
    assert (result.exit_code, result.signal) == (code, None)


def test_a_missing_program_is_the_commands_own_failure(box: Box) -> None:
    result = box.run("/no/such/program")
    assert result.exit_code == 127
    assert b"/no/such/program" in result.stderr


def test_stdout_and_stderr_come_back_apart_byte_for_byte(box: Box) -> None:
    result = box.python(
        "import sys; d = bytes(range(256)); sys.stdout.buffer.write(d); sys.stderr.buffer.write(d[::-1])"
    )
    assert result.stdout == BYTES
    assert result.stderr == BYTES[::-1]
    assert (result.stdout_size, result.stderr_size) == (256, 256)


def test_a_large_stdin_arrives_whole(box: Box) -> None:
    data = os.urandom(3_000_000)
    result = box.python(
        "import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())", stdin=data
    )
    assert result.stdout.decode().strip() == hashlib.sha256(data).hexdigest()


def test_a_large_stdin_that_nobody_reads_does_no_harm(box: Box) -> None:
    assert box.run("/bin/true", stdin=b"x" * 3_000_000).ok


def test_without_stdin_a_read_ends_at_once(box: Box) -> None:
    result = box.run("/bin/cat")
    assert (result.exit_code, result.stdout) == (0, b"")


def test_the_environment_is_exactly_what_was_given(box: Box) -> None:
    variables = {"A": "1 2", "EMPTY": "", "QUOTED": "a'b\"c\\$d\n", "UNI": "\u00e9"}
    result = box.run("/usr/bin/env", "-0", env=variables)
    pairs = [entry.partition(b"=") for entry in result.stdout.split(b"\0") if entry]
    assert {name.decode(): value.decode() for name, _, value in pairs} == variables


def test_arguments_arrive_unchanged(box: Box) -> None:
    arguments = ("", " a  b ", "-x", "*", "$HOME", "a\nb", "'\"\\", "\u00e9")
    result = box.shell('for a in "$@"; do printf "%s\\0" "$a"; done', *arguments)
    assert result.stdout.decode().split("\0")[:-1] == list(arguments)


def test_the_command_starts_in_its_folder(box: Box) -> None:
    assert box.shell("pwd", cwd="/usr").stdout == b"/usr\n"
    assert box.shell("pwd").stdout == b"/tmp\n"


def test_a_missing_folder_to_start_in_is_the_commands_own_failure(box: Box) -> None:
    """It may be missing because of what is under test."""
    result = box.run("/bin/true", cwd="/tmp/none")
    assert result.exit_code not in {0, None}
    assert b"/tmp/none" in result.stderr


def test_the_report_channel_is_binary_safe_and_apart_from_the_output(box: Box) -> None:
    program = f"""
import os
import signal
from collections.abc import Iterator
channel = int(os.environ[{REPORT_VARIABLE!r}])
os.write(channel, bytes(range(256)) * 1000)
print("hello")
"""
    result = box.python(program, report=True)
    assert result.report == BYTES * 1000
    assert (result.stdout, result.stderr, result.exit_code) == (b"hello\n", b"", 0)


def test_without_a_report_there_is_no_channel(box: Box) -> None:
    result = box.python("import os, sys; print(os.environ, os.listdir('/proc/self/fd'))")
    assert REPORT_VARIABLE.encode() not in result.stdout
    assert result.report == b""
    assert b"['0', '1', '2', '3']" in result.stdout  # 3 is the listing itself


def test_descriptors_of_this_process_are_not_inherited(box: Box) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        result = box.python("import os; print(sorted(os.listdir('/proc/self/fd')))")
    finally:
        os.close(reader)
        os.close(writer)
    assert result.stdout == b"['0', '1', '2', '3']\n"


def test_every_limit_says_how_it_is_held(box: Box) -> None:
    result = box.run("/bin/true")
    assert set(result.enforcement) == set(LimitName)
    assert Enforcement.NONE not in result.enforcement.values()


def test_time_and_memory_are_measured(box: Box) -> None:
    program = """
import time
data = bytearray(60_000_000)
end = time.process_time() + 0.7
while time.process_time() < end: pass
"""
    result = box.python(program)
    assert result.ok
    assert 0.5 < result.cpu < 5
    assert 0.6 < result.wall < 30
    assert 50_000_000 < result.memory < 400_000_000


@pytest.fixture
def server_that_ignores_signals() -> Iterator[None]:
    """As nohup, or a shell that puts it in the background, starts it."""
    ignored = (signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ignored}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("server_that_ignores_signals")
def test_the_usual_signals_are_not_ignored_and_the_umask_is_the_usual(box: Box) -> None:
    lines = box.run("/bin/cat", "/proc/self/status").stdout.decode().splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    named_signals = 2**31 - 1  # two above these belong to the C library
    assert int(status["SigBlk"], 16) & named_signals == 0
    assert int(status["SigIgn"], 16) & named_signals == 0
    assert status["Umask"] == "0022"
