"""Reports that public graders misread, one test each, named by what went wrong there, through our readers."""

import base64
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.grading.channels import CHANNELS, ENVIRONMENT, NAMES, Channel, Record, libtest, lines, result

from kaiju_grading import languages
from kaiju_grading.language import TestRun
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.suite import Test
from kaiju_sandbox.limits import LimitName

PYTHON, GO, RUST = CHANNELS
PASSED, FAILED, CRASHED, ABSENT = Outcome.PASSED, Outcome.FAILED, Outcome.CRASHED, Outcome.ABSENT
EVERY = pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.language)


def did(report: TestReport) -> list[Outcome]:
    return list(report.outcomes.values())


def go_program(text: str, exit_code: int, number: int = 0) -> list[Record]:
    names = NAMES[2 * number :][:2]
    return [
        {"event": "started", "program": number, "process": 0, "tests": list(names)},
        {"event": "said", "program": number, "text": base64.b64encode(text.encode()).decode()},
        {"event": "ended", "program": number, "idle": False, "exit": exit_code},
    ]


def go(text: str, exit_code: int) -> TestReport:
    """What the first program said; all is well with the second."""
    good = "".join(f"\x16=== RUN   {name}\n\x16--- PASS: {name} (0.00s)\n" for name in NAMES[2:])
    first, second = go_program(text, exit_code), go_program(good + "\x16PASS\n", 0, 1)
    return GO.read(lines(*first, *second, {"event": "closed"}))


def python(ids: Sequence[str], *records: Record, status: int = 0, exit_code: int | None = None) -> TestReport:
    """A run of these tests: the records of their phases between those of the collection and of the end."""
    tests = tuple(Test(id, id.partition("[")[0], number) for number, id in enumerate(ids))
    collected: list[Record] = [
        {"event": "collected", "test": number, "unit": test.unit, "ordinal": number, "id": test.id}
        for number, test in enumerate(tests)
    ]
    begun = sum(record["event"] == "begin" for record in records)
    end: Record = {"event": "end", "status": status, "collected": len(ids), "begun": begun}
    run = replace(PYTHON.run, tests=tests)
    answer = result(lines(*collected, *records, end), status if exit_code is None else exit_code)
    return languages.get("python").read_tests(run, answer)


def phases(number: int, call: str = "passed", **more: object) -> list[Record]:
    fixed = {"xfail": False, "subtest": False, "seconds": 0.1, "message": ""}
    setup, middle, teardown = (
        {"event": "phase", "test": number, "when": when, "outcome": outcome, **fixed}
        for when, outcome in (("setup", "passed"), ("call", call), ("teardown", "passed"))
    )
    return [{"event": "begin", "test": number}, setup, {**middle, **more}, teardown]


def test_a01_a_test_whose_goroutine_panics_has_no_result_and_is_no_pass() -> None:
    report = go("\x16=== RUN   TestA\npanic: boom\n\ngoroutine 7 [running]:\n", 2)

    assert did(report) == [CRASHED, ABSENT, PASSED, PASSED]
    assert "panic: boom" in report.messages[GO.tests[0].id]


def test_a03_a_pass_line_after_a_panic_is_no_pass() -> None:
    said = "\x16=== RUN   TestA\npanic: 1\nFAIL\tp\t0.1s\n\x16--- PASS: TestA (0.00s)\n"

    assert did(go(said, 2))[:2] == [ABSENT, ABSENT]
    assert PASSED not in did(go(said + "\x16PASS\n", 2))


def test_a05_ids_with_blanks_brackets_and_words_of_status_stay_as_they_are() -> None:
    ids = [
        f"t.py::test_eval[{value}]" for value in ("1 + 1", "a - b PASSED", "x]y", "p::q", "", "dup0", "dup1")
    ]
    records = [
        record for number in range(7) for record in phases(number, "failed" if number == 2 else "passed")
    ]

    report = python(ids, *records, status=1)

    assert list(report.outcomes) == ids
    assert did(report) == [PASSED, PASSED, FAILED, PASSED, PASSED, PASSED, PASSED]


@EVERY
def test_a07_a_program_that_leaves_with_status_0_passes_nothing_that_it_did_not_report(
    channel: Channel,
) -> None:
    whole = channel.whole(["passed"] * 4).splitlines(keepends=True)
    for kept in range(len(whole) // 2):
        assert PASSED not in did(channel.read(b"".join(whole[:kept]), 0))


def test_a09_a_first_program_without_faults_does_not_speak_for_the_second() -> None:
    report = RUST.read(RUST.whole(["passed", "skipped", "passed", "failed"]), 101)

    assert did(report) == [PASSED, Outcome.SKIPPED, PASSED, FAILED]
    nothing = libtest([], []) + b"\n--kaiju-program--\n"
    assert PASSED not in did(RUST.read(nothing + RUST.whole(["passed"] * 4), 0))


def test_a13_plain_text_between_records_is_no_result() -> None:
    plain = "# ex/p3 [ex/p3.test]\n./a_test.go:3: undefined: f\nFAIL\tex/p3 [build failed]\nok  \tex/p1\n"

    assert did(go(plain, 1))[:2] == [ABSENT, ABSENT]
    whole = GO.whole(["passed"] * 4)
    assert PASSED not in did(GO.read(plain.encode() + whole))


@EVERY
def test_a15_and_a21_a_run_that_was_killed_before_it_wrote_anything_is_a_result(channel: Channel) -> None:
    for limit in (None, LimitName.WALL, LimitName.MEMORY):
        report = channel.read(b"", None, limit)
        assert did(report) == [ABSENT] * 4
        assert report.problem


def test_a15_a_hang_is_named_and_what_passed_before_stays_visible() -> None:
    whole = PYTHON.whole(["passed"]).splitlines(keepends=True)[:-1]
    begun = b"".join([*whole, *[lines(record) for record in phases(1)[:2]]])
    visible = replace(PYTHON.run, messages=True)

    report = languages.get("python").read_tests(visible, result(begun, None, LimitName.WALL))

    assert did(report) == [PASSED, Outcome.TIMED_OUT, ABSENT, ABSENT]
    assert did(PYTHON.read(begun, None, LimitName.WALL)) == [ABSENT, Outcome.TIMED_OUT, ABSENT, ABSENT]


def test_a17_a_parent_that_passed_beside_a_failed_part_has_failed() -> None:
    begin, setup, call, teardown = phases(0)
    part = {**call, "outcome": "failed", "subtest": True}

    assert did(python(["t"], begin, setup, part, part, call, teardown, status=1)) == [FAILED]
    said = "\x16=== RUN   TestA\n\x16=== RUN   TestA/x\n\x16    --- FAIL: TestA/x (0.00s)\n"
    assert PASSED not in did(go(said + "\x16--- PASS: TestA (0.00s)\n\x16PASS\n", 1))


def test_a23_a_line_of_a_package_is_no_test_and_a_skip_is_a_skip() -> None:
    said = "\x16=== RUN   TestA\n\x16--- SKIP: TestA (0.00s)\nFAIL\texample.com/m/TestB\t0.010s\n\x16PASS\n"

    assert did(go(said, 0))[:2] == [Outcome.SKIPPED, ABSENT]


def test_a25_control_characters_in_one_message_cost_no_other_test() -> None:
    bad = "expected A but was B\x00 \x1b[31m \ufffe &#0; ]]>"

    report = python(["a", "b"], *phases(0), *phases(1, "failed", message=bad), status=1)

    assert did(report) == [PASSED, FAILED]
    assert report.messages["b"] == bad


@pytest.mark.parametrize(
    ("call", "xfail", "status", "outcome"),
    [
        ("passed", True, 0, Outcome.EXPECTED_FAILURE),
        ("skipped", True, 0, Outcome.EXPECTED_FAILURE),
        ("failed", False, 1, FAILED),
    ],
)
def test_a27_what_is_expected_to_fail_is_no_pass_in_either_direction(
    call: str, xfail: bool, status: int, outcome: Outcome
) -> None:
    assert did(python(["t"], *phases(0, call, xfail=xfail), status=status)) == [outcome]


def test_a29_colons_in_parameters_cut_no_id() -> None:
    ids = ["t.py::testA[1::2]", "t.py::testA[3::4]"]

    assert python(ids, *phases(0), *phases(1, "failed"), status=1).outcomes == dict(
        zip(ids, [PASSED, FAILED], strict=True)
    )


def test_a31_one_broken_file_is_one_error_however_often_it_is_reported() -> None:
    error: Record = {"event": "collect_error", "id": "test_c1.py", "message": "ZeroDivisionError"}

    report = python(["a"], error, error, *phases(0), status=1)

    assert report.collect_errors == ("test_c1.py: ZeroDivisionError",)


@pytest.mark.parametrize("name", ["[100%]", "PASSED [100%]", "TestA PASSED", "/abs/path/a.test"])
def test_a33_only_tests_that_were_asked_for_exist(name: str) -> None:
    strange: Record = {"event": "collected", "test": 9, "unit": name, "ordinal": 0, "id": name}
    assert name not in python(["a"], strange, *phases(0)).outcomes
    assert PASSED not in did(go(f"\x16=== RUN   {name}\n\x16--- PASS: {name} (0.00s)\n\x16PASS\n", 0))
    run = TestRun(RUST.run.work, ENVIRONMENT, (), RUST.tests[:1])
    report = languages.get("rust").read_tests(run, result(libtest([name], ["passed"])))
    assert did(report) == [ABSENT]
