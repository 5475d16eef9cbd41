"""The reader of Go test programs: total over any bytes, and no pass without a process that closed."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiju_grading import plain
from kaiju_grading.outcome import Answer, Outcome, TestReport
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


def answered(text: bytes) -> Record:
    said = base64.b64encode(text).decode()
    return {"event": "answered", "program": 0, "process": 0, "text": said}


def passing(*answers: bytes, names: tuple[str, ...] = ("TestA", "TestB")) -> list[Record]:
    """A process whose tests pass, with what they answered."""
    said = "".join(run(name) + result(name) for name in names) + "\x16PASS\n"
    first, *others = process(said, tests=names)
    return [first, *map(answered, answers), *others]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b"t 6162", "ab"),
        (b"t ", ""),
        (b"t c3a9", "\u00e9"),
        (b"t c3", b"\xc3"),
        (b"i -12", -12),
        (b"i 18446744073709551615", 2**64 - 1),
        (b"f 0.5", 0.5),
        (b"f -1e+300", -1e300),
        (b"f +Inf", float("inf")),
    ],
)
def test_an_answer_is_a_value_of_its_type(line: bytes, value: object) -> None:
    report = read(channel(passing(b"0a1b " + line[:3], line[3:] + b"\n")), OK, BOTH)

    assert report.answers[A.id] == report.answers[B.id] == {"0a1b": (Answer(plain.encode(value)),)}


def test_different_answers_to_a_question_are_all_heard_and_the_same_is_heard_once() -> None:
    report = read(channel(passing(b"0a i 1\n0b t 31\n0a i 2\n0a i 1\n")), OK, BOTH)

    assert report.answers[A.id] == {"0a": (Answer("1"), Answer("2")), "0b": (Answer('"1"'),)}


@pytest.mark.parametrize("line", [b"-", b"t 616", b"t " + b"61" * 20_000, b"t 6g"])
def test_what_is_no_value_is_never_one(line: bytes) -> None:
    report = read(channel(passing(b"0a " + line + b"\n")), OK, BOTH)

    assert report.answers.get(A.id, {}).get("0a", (Answer(),)) == (Answer(),)
    assert report.sound


@pytest.mark.parametrize(
    "line", [b"0a i 1", b"0a i one\n", b"0A i 1\n", b"\xff\n", b"0a i 1 2\n", b"0a f 1_0\n"]
)
def test_a_line_of_another_form_is_no_answer(line: bytes) -> None:
    assert read(channel(passing(line)), OK, BOTH).answers == {}


def test_the_answers_of_a_test_are_those_of_the_process_that_its_outcome_is_of() -> None:
    begun, *_, ended = process(tests=("TestA", "TestB"), exit=2)
    died = [begun, answered(b"0a i 1\n"), ended]
    alone = [passing(b"0a i 2\n", names=("TestA",)), passing(b"0b i 3\n", names=("TestB",))]

    report = read(channel(died, *alone), OK, BOTH)

    assert outcomes(report) == (Outcome.PASSED, Outcome.PASSED)
    assert report.answers == {A.id: {"0a": (Answer("2"),)}, B.id: {"0b": (Answer("3"),)}}


def test_an_answer_outside_of_a_process_is_a_fault() -> None:
    report = read(channel(passing(), answered(b"0a i 1\n")), OK, BOTH)

    assert not report.sound
    assert report.answers == {}


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
