"""The reader of Go test programs: total over any bytes, and no pass without a process that closed."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.readers.gotest import Ending, read
from kaiju_grading.suite import Test
from kaiju_sandbox.limits import LimitName

Record = dict[str, Any]
A, B = Test("a_test.go::TestA", "a_test.go::TestA"), Test("b_test.go::TestB", "b_test.go::TestB")
BOTH = ((A, B),)
OK = Ending(0)


def run(name: str) -> str:
    return f"\x16=== RUN   {name}\n"


def result(name: str, word: str = "PASS") -> str:
    return f"\x16--- {word}: {name} (0.25s)\n"


def process(*said: str, tests: tuple[str, ...] = ("TestA", "TestB"), **ended: object) -> list[Record]:
    """A process with what it said; `exit=0` unless told otherwise."""
    texts = [base64.b64encode(text.encode()).decode() for text in said]
    return [
        {"event": "started", "program": 0, "process": 0, "tests": list(tests)},
        *({"event": "said", "program": 0, "process": 0, "text": text} for text in texts),
        {"event": "ended", "program": 0, "process": 0, "idle": False, **(ended or {"exit": 0})},
    ]


def channel(*records: Record | list[Record], closed: bool = True) -> bytes:
    flat = [one for entry in records for one in (entry if isinstance(entry, list) else [entry])]
    flat += [{"event": "closed"}] if closed else []
    return "".join(json.dumps(record) + "\n" for record in flat).encode()


def outcomes(report: TestReport) -> tuple[Outcome, Outcome]:
    return report.outcomes[A.id], report.outcomes[B.id]


def test_passes_of_a_process_that_closed_count() -> None:
    said = run("TestA") + result("TestA") + run("TestB") + result("TestB") + "\x16PASS\n"

    report = read(channel(process(said)), OK, BOTH)

    assert report.sound, report.problem
    assert outcomes(report) == (Outcome.PASSED, Outcome.PASSED)
    assert report.seconds[A.id] == 0.25


def test_failures_and_skips_are_told_from_passes_and_carry_what_was_said() -> None:
    said = run("TestA") + "    a_test.go:3: wrong\n" + result("TestA", "FAIL")
    said += run("TestB") + result("TestB", "SKIP") + "\x16FAIL\n"

    report = read(channel(process(said, exit=1)), OK, BOTH, strict=False)

    assert report.sound
    assert outcomes(report) == (Outcome.FAILED, Outcome.SKIPPED)
    assert "a_test.go:3: wrong" in report.messages[A.id]


def test_parts_of_a_test_are_no_tests() -> None:
    said = run("TestA") + run("TestA/x") + "\x16    --- FAIL: TestA/x (0.00s)\n" + result("TestA", "FAIL")
    said += run("TestB") + result("TestB") + "\x16FAIL\n"

    assert outcomes(read(channel(process(said, exit=1)), OK, BOTH)) == (Outcome.FAILED, Outcome.PASSED)


def test_output_without_an_end_of_line_hides_no_result() -> None:
    said = run("TestA") + "printed" + result("TestA") + run("TestB") + result("TestB") + "\x16PASS\n"

    assert outcomes(read(channel(process(said)), OK, BOTH)) == (Outcome.PASSED, Outcome.PASSED)


def test_a_process_that_dies_gives_no_pass_and_its_last_test_crashed() -> None:
    died = process(run("TestA") + result("TestA") + run("TestB") + "panic: no", exit=2)
    again = process(run("TestA") + result("TestA") + "\x16PASS\n", tests=("TestA",))

    assert outcomes(read(channel(died), OK, BOTH)) == (Outcome.ABSENT, Outcome.CRASHED)
    report = read(channel(died, again), OK, BOTH)
    assert report.sound
    assert outcomes(report) == (Outcome.PASSED, Outcome.CRASHED)


def test_a_failure_stands_although_the_process_died_later() -> None:
    died = process(run("TestA") + result("TestA", "FAIL") + run("TestB"), exit=2)

    assert outcomes(read(channel(died), OK, BOTH)) == (Outcome.FAILED, Outcome.CRASHED)


def test_a_panic_is_a_crash_although_it_is_reported_as_a_failure() -> None:
    died = process(run("TestA") + result("TestA") + run("TestB") + result("TestB", "FAIL") + "\n", exit=2)

    assert outcomes(read(channel(died), OK, BOTH)) == (Outcome.ABSENT, Outcome.CRASHED)


@pytest.mark.parametrize("ended", [{"exit": 0}, {"exit": 1}, {"exit": 3}, {"signal": 9}])
def test_leaving_early_is_never_a_pass(ended: dict[str, Any]) -> None:
    report = read(channel(process(run("TestA"), **ended)), OK, BOTH)

    assert outcomes(report) == (Outcome.CRASHED, Outcome.ABSENT)


def test_a_process_that_began_no_test_leaves_them_absent() -> None:
    assert outcomes(read(channel(process("", exit=0)), OK, BOTH)) == (Outcome.ABSENT, Outcome.ABSENT)


def test_a_silent_process_timed_out() -> None:
    report = read(channel(process(run("TestA"), signal=9, idle=True)), OK, BOTH)

    assert outcomes(report) == (Outcome.TIMED_OUT, Outcome.ABSENT)


def test_a_run_ended_by_its_limit_is_unsound_and_its_last_test_timed_out() -> None:
    records = process(run("TestA"))[:-1]

    report = read(channel(records, closed=False), Ending(None, 9, LimitName.WALL), BOTH)

    assert not report.sound
    assert outcomes(report) == (Outcome.TIMED_OUT, Outcome.ABSENT)


@pytest.mark.parametrize(
    "said",
    [
        run("TestA") + result("TestA") + result("TestA") + "\x16PASS\n",
        run("TestA") + run("TestA") + result("TestA") + "\x16PASS\n",
        result("TestA") + "\x16PASS\n",
    ],
)
def test_a_test_reported_twice_or_never_begun_is_doubled(said: str) -> None:
    assert read(channel(process(said)), OK, BOTH).outcomes[A.id] is Outcome.DOUBLED


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (run("TestC") + result("TestC") + "\x16PASS\n", 0),
        (run("TestA") + result("TestA", "FAIL") + "\x16PASS\n", 0),
        (run("TestA") + result("TestA") + "\x16PASS\n", 1),
        (run("TestA") + result("TestA") + "\x16FAIL\n", 1),
        (run("TestA") + result("TestA") + "\x16PASS\n\x16PASS\n", 0),
    ],
)
def test_contradictions_inside_a_process_make_the_run_unsound(said: str, status: int) -> None:
    report = read(channel(process(said, exit=status)), OK, BOTH)

    assert not report.sound
    assert Outcome.PASSED not in outcomes(report)


def test_every_wrong_record_makes_the_run_unsound() -> None:
    good = process(run("TestA") + result("TestA") + run("TestB") + result("TestB") + "\x16PASS\n")
    wrong: list[bytes] = [
        channel(good, closed=False),
        channel(good) + b"{}\n",
        channel(good[1:]),
        channel(good[:-1], good),
        channel(process("", tests=("TestC",))),
        channel([{**good[0], "program": 1}]),
        channel([good[0], {"event": "said", "text": "%"}]),
        channel([good[0], {"event": "other"}]),
        b"no record\n" + channel(good),
    ]
    for report in wrong:
        found = read(report, OK, BOTH)
        assert not found.sound, report
        assert Outcome.PASSED not in outcomes(found)


def test_a_runner_that_fails_gives_no_pass() -> None:
    good = channel(process(run("TestA") + result("TestA") + "\x16PASS\n", tests=("TestA",)))

    assert not read(good, Ending(70), ((A,),)).sound


@given(st.binary(max_size=400))
def test_any_bytes_give_a_report(data: bytes) -> None:
    report = read(data, OK, BOTH)

    assert set(report.outcomes) == {A.id, B.id}
    assert Outcome.PASSED not in outcomes(report)


@given(st.binary(max_size=200))
def test_any_output_of_a_program_gives_a_report(said: bytes) -> None:
    records = process("")
    records[1]["text"] = base64.b64encode(said).decode()

    assert set(read(channel(records), OK, BOTH).outcomes) == {A.id, B.id}
