"""The reader of the pytest channel: total over any bytes, and no pass that was not reported."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiju_grading.outcome import Answer, Outcome, TestReport
from kaiju_grading.readers.pytest import Ending, read
from kaiju_grading.suite import Test
from kaiju_sandbox.limits import LimitName

Record = dict[str, Any]
OK, FAILED, NOTHING = Ending(0), Ending(1), Ending(5)


def pinned(*ids: str) -> tuple[Test, ...]:
    """Tests of one unit a name; `t[1]` and `t[2]` are ordinals 0 and 1 of `t`."""
    seen: dict[str, int] = {}
    tests = []
    for id in ids:
        unit = id.partition("[")[0]
        seen[unit] = seen.get(unit, -1) + 1
        tests.append(Test(id, unit, seen[unit]))
    return tuple(tests)


def collected(tests: tuple[Test, ...]) -> list[Record]:
    return [
        {"event": "collected", "test": number, "unit": test.unit, "ordinal": test.ordinal, "id": test.id}
        for number, test in enumerate(tests)
    ]


def phase(number: int, when: str, outcome: str = "passed", **extra: object) -> Record:
    record = {"event": "phase", "test": number, "when": when, "outcome": outcome, "xfail": False}
    return {**record, "subtest": False, "seconds": 0.25, "message": "", **extra}


def begin(number: int) -> Record:
    return {"event": "begin", "test": number}


def ran(number: int, **outcomes: str) -> list[Record]:
    """A test's records; by default it passed."""
    whens = (
        ("setup", "teardown")
        if outcomes.get("setup", "passed") != "passed"
        else ("setup", "call", "teardown")
    )
    return [begin(number), *(phase(number, when, outcomes.get(when, "passed")) for when in whens)]


def end(status: int, tests: int, begun: int) -> Record:
    return {"event": "end", "status": status, "collected": tests, "begun": begun}


def channel(*records: Record | list[Record]) -> bytes:
    flat = [item for record in records for item in (record if isinstance(record, list) else [record])]
    return b"".join(json.dumps(record).encode() + b"\n" for record in flat)


def one(records: list[Record], status: int = 1, **options: bool) -> Outcome:
    """The outcome of a single pinned test that did these records."""
    tests = pinned("t")
    begun = sum(record["event"] == "begin" for record in records)
    report = read(channel(collected(tests), records, end(status, 1, begun)), Ending(status), tests, **options)
    return report.outcomes["t"]


def test_a_test_that_did_all_three_phases_passed() -> None:
    report = read(channel(collected(pinned("t")), ran(0), end(0, 1, 1)), OK, pinned("t"))

    assert report.sound, report.problem
    assert report.outcomes == {"t": Outcome.PASSED}
    assert report.seconds == {"t": 0.75}


@pytest.mark.parametrize(
    ("records", "status", "outcome"),
    [
        (ran(0, call="failed"), 1, Outcome.FAILED),
        (ran(0, setup="failed"), 1, Outcome.ERROR),
        (ran(0, teardown="failed"), 1, Outcome.ERROR),
        (ran(0, call="failed", teardown="failed"), 1, Outcome.FAILED),
        (ran(0, call="skipped"), 0, Outcome.SKIPPED),
        (ran(0, setup="skipped"), 0, Outcome.SKIPPED),
        (
            [begin(0), phase(0, "setup"), phase(0, "call", xfail=True), phase(0, "teardown")],
            0,
            Outcome.EXPECTED_FAILURE,
        ),
        (
            [begin(0), phase(0, "setup"), phase(0, "call", "skipped", xfail=True), phase(0, "teardown")],
            0,
            Outcome.EXPECTED_FAILURE,
        ),
        (ran(0) + ran(0), 0, Outcome.DOUBLED),
        ([*ran(0), phase(0, "teardown")], 0, Outcome.DOUBLED),
        ([begin(0), phase(0, "setup"), phase(0, "teardown")], 0, Outcome.DOUBLED),
        ([phase(0, "setup"), phase(0, "call"), phase(0, "teardown")], 5, Outcome.DOUBLED),
        ([begin(0), phase(0, "call"), phase(0, "setup"), phase(0, "teardown")], 0, Outcome.DOUBLED),
        ([], 5, Outcome.ABSENT),
    ],
)  # fmt: skip
def test_every_other_ending_is_told_apart(records: list[Record], status: int, outcome: Outcome) -> None:
    assert one(records, status) is outcome


@pytest.mark.parametrize(("inner", "outcome"), [("failed", Outcome.FAILED), ("skipped", Outcome.SKIPPED)])
def test_a_subtest_counts_against_the_test_whose_own_report_passed(inner: str, outcome: Outcome) -> None:
    subtest = phase(0, "call", inner, subtest=True)
    records = [begin(0), phase(0, "setup"), subtest, phase(0, "call"), phase(0, "teardown")]

    assert one(records, 1 if inner == "failed" else 0) is outcome


def test_passing_subtests_do_no_harm() -> None:
    subtest = phase(0, "call", subtest=True)

    assert one(
        [begin(0), phase(0, "setup"), subtest, subtest, phase(0, "call"), phase(0, "teardown")], 0
    ) is (Outcome.PASSED)


def crashed(ending: Ending, *, strict: bool) -> TestReport:
    """`a` passed, `b` began and never ended, `c` never began."""
    tests = pinned("a", "b", "c")
    return read(channel(collected(tests), ran(0), begin(1), phase(1, "setup")), ending, tests, strict=strict)


def test_a_hang_names_the_test_that_hung_and_keeps_the_others_visible() -> None:
    report = crashed(Ending(None, 9, LimitName.WALL), strict=False)

    assert not report.sound
    assert report.outcomes == {"a": Outcome.PASSED, "b": Outcome.TIMED_OUT, "c": Outcome.ABSENT}
    assert "wall" in report.problem


@pytest.mark.parametrize(
    "ending", [Ending(0), Ending(None, 11), Ending(139), Ending(None, 9, LimitName.MEMORY)]
)
def test_a_crash_is_no_pass_whatever_the_exit_status(ending: Ending) -> None:
    report = crashed(ending, strict=True)

    assert not report.sound
    assert report.outcomes == {"a": Outcome.ABSENT, "b": Outcome.CRASHED, "c": Outcome.ABSENT}


COLLECT_ERROR: Record = {"event": "collect_error", "id": "x.py", "message": ""}
GOOD = [*collected(pinned("a", "b")), *ran(0), *ran(1)]


@pytest.mark.parametrize(
    ("data", "ending", "problem"),
    [
        (channel(GOOD, end(0, 2, 2)), Ending(1), "exit status and closing record differ"),
        (channel(GOOD, end(1, 2, 2)), Ending(1), "exit status 1 does not follow"),
        (channel(GOOD, end(4, 2, 2)), Ending(4), "exit status 4 does not follow"),
        (channel(GOOD, end(0, 3, 2)), OK, "differ in their counts"),
        (channel(GOOD, end(0, 2, 1)), OK, "differ in their counts"),
        (channel(GOOD), OK, "no closing record"),
        (channel(GOOD, end(0, 2, 2), end(0, 2, 2)), OK, "after the closing record"),
        (channel(GOOD, end(0, 2, 2), begin(0)), OK, "after the closing record"),
        (channel(GOOD, {"event": "magic"}, end(0, 2, 2)), OK, "wrong form"),
        (channel(GOOD, begin(7), end(0, 2, 2)), OK, "wrong form"),
        (channel(GOOD, begin(True), end(0, 2, 2)), OK, "wrong form"),
        (channel(GOOD) + b"x\n" + channel(end(0, 2, 2)), OK, "not JSON"),
        (channel(GOOD, end(0, 2, 2))[:-1], OK, "cut off"),
        (channel(GOOD, end(0, 2, 2)), Ending(0, None, LimitName.REPORT), "report limit"),
        (channel(GOOD, COLLECT_ERROR, end(0, 2, 2)), OK, "does not follow"),
    ],
)  # fmt: skip
def test_disagreement_makes_a_run_unsound_and_takes_its_passes(
    data: bytes, ending: Ending, problem: str
) -> None:
    report = read(data, ending, pinned("a", "b"))

    assert not report.sound
    assert problem in report.problem
    assert Outcome.PASSED not in report.outcomes.values()


def test_a_long_output_that_was_cut_does_not_spoil_a_run() -> None:
    report = read(channel(GOOD, end(0, 2, 2)), Ending(0, None, LimitName.OUTPUT), pinned("a", "b"))

    assert report.sound


def test_a_test_that_ran_without_being_selected_makes_the_run_unsound() -> None:
    report = read(channel(GOOD, end(0, 2, 2)), OK, pinned("a"))

    assert report.problem == "a test ran that was not selected"


def test_ids_that_changed_with_an_altered_value_are_found_by_ordinal() -> None:
    tests = pinned("t[1-2]", "t[3-4]")
    seen = (Test("t[1-2]", "t", 0), Test("t[3-9]", "t", 1))
    report = read(channel(collected(seen), ran(0), ran(1, call="failed"), end(1, 2, 2)), FAILED, tests)

    assert report.outcomes == {"t[1-2]": Outcome.PASSED, "t[3-4]": Outcome.FAILED}
    assert report.observed == {"t[1-2]": Outcome.PASSED, "t[3-9]": Outcome.FAILED}


def test_a_unit_with_too_few_tests_cannot_be_told() -> None:
    """Parameters that the library computes: one is missing, and which one is not known."""
    report = read(channel(collected(pinned("t[1]")), ran(0), end(0, 1, 1)), OK, pinned("t[1]", "t[2]"))

    assert report.outcomes == {"t[1]": Outcome.ABSENT, "t[2]": Outcome.ABSENT}


def test_a_unit_whose_tests_moved_cannot_be_told() -> None:
    seen = (Test("t[2]", "t", 0), Test("t[3]", "t", 1))
    report = read(channel(collected(seen), ran(0), ran(1), end(0, 2, 2)), OK, pinned("t[1]", "t[2]"))

    assert report.outcomes == {"t[1]": Outcome.ABSENT, "t[2]": Outcome.ABSENT}


def test_collect_errors_are_told_once_a_file() -> None:
    error = {"event": "collect_error", "id": "t.py", "message": "E   ImportError"}
    report = read(channel(error, error, end(1, 0, 0)), FAILED, ())

    assert report.sound, report.problem
    assert report.collect_errors == ("t.py: E   ImportError",)


def test_records_between_those_of_another_test_are_no_pass() -> None:
    tests = pinned("a", "b")
    mixed = [begin(0), phase(0, "setup"), *ran(1), phase(0, "call"), phase(0, "teardown")]

    report = read(channel(collected(tests), mixed, end(0, 2, 2)), OK, tests)

    assert report.outcomes == {"a": Outcome.DOUBLED, "b": Outcome.PASSED}


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"event":"end","status":' + b"9" * 10_000 + b"}",
        b'{"event":"collected","test":2,"unit":"\\ud800","ordinal":0,"id":"\\ud800"}',
        b'{"event":"collected","test":2,"unit":"' + b"u" * 100_000 + b'","ordinal":0,"id":"x"}',
        b'{"event":"phase","test":0,"when":"call","outcome":"passed","xfail":false,"subtest":false,"seconds":[]}',
        b'{"event":"phase","test":0,"when":[],"outcome":"passed","xfail":false,"subtest":false,"seconds":0}',
        b'{"event":"phase","test":0,"when":"call","outcome":{},"xfail":false,"subtest":false,"seconds":0}',
        b'{"event":[],"test":0}',
        b'{"event":"begin","test":[]}',
        b"\xff\xfe",
        b"null",
    ],
)
def test_a_hostile_record_is_a_fault_and_no_crash(line: bytes) -> None:
    report = read(channel(GOOD) + line + b"\n" + channel(end(0, 2, 2)), OK, pinned("a", "b"))

    assert not report.sound
    assert Outcome.PASSED not in report.outcomes.values()


def test_strange_durations_and_texts_are_made_harmless() -> None:
    tests = pinned("t")
    records = [
        begin(0),
        phase(0, "setup", seconds=1e400),
        phase(0, "call", "failed", message="\ud800" * 20_000),
    ]
    records += [phase(0, "teardown", seconds=-5)]
    report = read(channel(collected(tests), records, end(1, 1, 1)), FAILED, tests)

    assert report.seconds == {"t": 0.25}
    assert len(report.messages["t"].encode()) < 10_000


RECORDS = st.one_of(
    st.builds(begin, st.integers(-1, 4)),
    st.builds(
        phase,
        st.integers(-1, 4),
        st.sampled_from(["setup", "call", "teardown", "x"]),
        st.sampled_from(["passed", "failed", "skipped", "x"]),
        xfail=st.booleans(),
        subtest=st.booleans(),
    ),
    st.sampled_from(
        [*collected(pinned("a", "b", "t[1]", "t[2]")), end(0, 4, 4), end(1, 4, 4), {"event": "x"}]
    ),
)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=3,
)
FIELDS = sorted({*phase(0, "call"), *end(0, 0, 0), "unit", "ordinal", "id"})
SPOILED = st.builds(
    lambda record, name, value: {**record, name: value}, RECORDS, st.sampled_from(FIELDS), VALUES
)
"""A record with one field of any JSON type: every field is the agent's to choose."""


def whole(outcomes: list[str]) -> list[Record]:
    tests = pinned("a", "b", "t[1]", "t[2]")
    records = collected(tests)
    for number, outcome in enumerate(outcomes):
        records += ran(number, call=outcome)
    return [*records, end(1 if "failed" in outcomes else 0, 4, len(outcomes))]


STREAMS = st.one_of(
    st.lists(RECORDS | SPOILED, max_size=30),
    st.lists(st.sampled_from(["passed", "failed", "skipped"]), max_size=4).map(whole),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A stream that was cut, doubled, shuffled or soiled."""
    records = draw(STREAMS)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(records)))
        records = [
            *records[:place],
            *draw(st.lists(RECORDS | SPOILED, max_size=2)),
            *records[place + draw(st.integers(0, 1)) :],
        ]
    data = channel(records)
    if draw(st.booleans()):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.binary(max_size=8)) + data[place + draw(st.integers(0, 8)) :]
    return data


ENDINGS = st.builds(
    Ending,
    st.sampled_from([0, 1, 2, 5, None]),
    st.sampled_from([None, 9]),
    st.sampled_from([None, LimitName.WALL, LimitName.OUTPUT]),
)


def test_a_spoilt_channel_shows_no_pass_even_where_an_early_end_would() -> None:
    tests = pinned("a", "b", "t[1]", "t[2]")
    begun = channel(whole(["passed"] * 4)[:-1])

    early = read(begun + b'{"eve', Ending(None, 9), tests, strict=False)
    spoilt = read(begun + b'{"event": "begin", "test": -1}\n', Ending(0), tests, strict=False)

    assert Outcome.PASSED in early.outcomes.values()
    assert Outcome.PASSED not in spoilt.outcomes.values()
    assert not early.sound
    assert not spoilt.sound


@settings(max_examples=600, deadline=None)
@given(data=st.one_of(damaged(), st.binary(max_size=300)), ending=ENDINGS, strict=st.booleans())
def test_any_bytes_give_one_outcome_a_test_and_no_pass_that_was_not_reported(
    data: bytes, ending: Ending, strict: bool
) -> None:
    tests = pinned("a", "b", "t[1]", "t[2]")

    report = read(data, ending, tests, strict=strict)

    assert set(report.outcomes) == {test.id for test in tests}
    assert report.sound == (not report.problem)
    for id, outcome in report.outcomes.items():
        if outcome is Outcome.PASSED:
            assert report.sound or not strict
            assert reported_as_passed(data, id)
    if report.sound and all(outcome is Outcome.PASSED for outcome in report.outcomes.values()):
        assert ending.exit_code == 0


def reported_as_passed(data: bytes, id: str) -> bool:
    """Straight from the bytes: exactly one begin and three passed phases of the number with that id."""
    records = []
    for line in data.split(b"\n")[:-1]:
        try:
            records.append(json.loads(line))
        except ValueError:
            break
    objects = [record for record in records if isinstance(record, dict)]
    numbers = [
        record["test"] for record in objects if record.get("event") == "collected" and record["id"] == id
    ]
    own = [record for record in objects if record.get("test") in numbers and record["event"] != "collected"]
    whole = [record for record in own if not record.get("subtest")]
    return [(r["event"], r.get("when"), r.get("outcome"), r.get("xfail")) for r in whole] == [
        ("begin", None, None, None),
        *(("phase", when, "passed", False) for when in ("setup", "call", "teardown")),
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["passed", "failed", "skipped"]), min_size=4, max_size=4))
def test_a_whole_stream_is_sound(outcomes: list[str]) -> None:
    tests = pinned("a", "b", "t[1]", "t[2]")

    report = read(channel(whole(outcomes)), Ending(1 if "failed" in outcomes else 0), tests)

    assert report.sound, report.problem
    assert [outcome.value for outcome in report.outcomes.values()] == outcomes


# Answers.


def answered(number: int, **said: object) -> Record:
    return {"event": "answer", "test": number, "question": "a.py:7", **said}


def asked(*answers: Record) -> TestReport:
    tests = pinned("a")
    first, *rest = ran(0)
    return read(channel(collected(tests), [first, *answers, *rest], [end(0, 1, 1)]), OK, tests)


def test_what_a_test_answers_is_kept_by_question_in_its_order() -> None:
    report = asked(answered(0, plain=[1, {"tuple": []}]), answered(0, plain=None), answered(0))
    assert report.sound
    assert report.outcomes == {"a": Outcome.PASSED}
    assert report.answers == {"a": {"a.py:7": (Answer('[1,{"tuple":[]}]'), Answer("null"), Answer())}}


@pytest.mark.parametrize(
    "record",
    [
        *(answered(0, plain=1.5), answered(0, plain={"dict": [[[], 1]]}), answered(1)),
        *(answered(0, plain="x" * 20_000), answered(1, plain=1)),
        *({**answered(0, plain=1), "question": 7}, {**answered(0, plain=1), "question": "\ud800"}),
    ],
)
def test_an_answer_of_another_form_spoils_the_run(record: Record) -> None:
    report = asked(record)
    assert not report.sound
    assert report.outcomes["a"] is not Outcome.PASSED
    assert not report.answers.get("a")


def test_who_answers_without_end_has_not_answered() -> None:
    assert not asked(*[answered(0, plain=1)] * 300).sound


def test_an_answer_for_a_test_that_is_not_running_belongs_to_none() -> None:
    tests = pinned("a", "b")
    records = [*ran(0), answered(0, plain=1), *ran(1), answered(0, plain=2)]
    report = read(channel(collected(tests), records, [end(0, 2, 2)]), OK, tests)
    assert report.outcomes == {"a": Outcome.DOUBLED, "b": Outcome.PASSED}
