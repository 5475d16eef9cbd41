"""Reports of test runs under hostile input, in every language: one outcome a test, no pass that the run did
not have, and time and memory within a multiple of the report's size."""

import base64
import json
import math
import time
import tracemalloc
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.grading.channels import CHANNELS, Channel

from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.readers import values
from kaiju_sandbox.limits import LimitName

CHANNEL = pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.language)
DID = st.lists(st.sampled_from(["passed", "passed", "failed", "skipped"]), min_size=4, max_size=4)
ENDINGS = st.tuples(
    st.sampled_from([0, 0, 1, 101, 5, 70, None]),
    st.sampled_from([None, None, LimitName.WALL, LimitName.OUTPUT]),
)
VALUES = (
    *(b"null", b"true", b"-1", b"0", b"NaN", b"Infinity", b"1e999", b"9" * 400, b"-" + b"9" * 4000),
    *(b"9" * 5000, b"{}", b"[]", b"[[]]", b'{"a":{}}', b"[" * 900 + b"]" * 900, b"[" * 100_000),
    *(b'""', b'"\\ud800"', b'"\\u0000"', b'"\\u2028\\n"', b'"' + b"x" * 50_000 + b'"', b'"\xff"', b"'"),
)
"""JSON texts (and some that are none) to stand for any value of a record."""


def check(channel: Channel, report: TestReport, allowed: Sequence[str]) -> None:
    """What holds for every report, whatever was written: `allowed` are the ends of the run as it went."""
    assert set(report.outcomes) == {test.id for test in channel.tests}
    assert report.sound == (not report.problem)
    assert report.sound or Outcome.PASSED not in report.outcomes.values()
    may = {test.id for test, ended in zip(channel.tests, allowed, strict=True) if ended == "passed"}
    assert channel.passes(report) <= may
    texts = [*report.messages.values(), *report.collect_errors, report.problem, *report.observed]
    "".join(texts).encode()
    assert all(math.isfinite(seconds) and seconds >= 0 for seconds in report.seconds.values())


def soiled(line: bytes, field: int, value: bytes) -> bytes:
    """The record of a line with one field of another value."""
    record = values.json_object(line)
    if not record:
        return value
    key = sorted(record)[field % len(record)]
    mark = json.dumps("\x00here")
    return json.dumps({**record, key: "\x00here"}).encode().replace(mark.encode(), value)


@st.composite
def tampered(draw: st.DrawFn, whole: bytes, other: bytes) -> bytes:
    """The report of a run with records of another one between, doubled, in another order, cut off."""
    lines = whole.splitlines(keepends=True)
    strangers = other.splitlines(keepends=True)
    for act in draw(st.lists(st.sampled_from(["double", "move", "mix", "soil", "noise"]), max_size=3)):
        place, target = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines)))
        if act == "double":
            lines.insert(target, lines[place])
        elif act == "move":
            lines.insert(target, lines.pop(place))
        elif act == "mix":
            few = draw(st.lists(st.sampled_from(strangers), max_size=6))
            lines[target:target] = few
        elif act == "soil":
            lines[place] = (
                soiled(lines[place], draw(st.integers(0, 9)), draw(st.sampled_from(VALUES))) + b"\n"
            )
        else:
            lines.insert(target, draw(st.binary(max_size=20)) + draw(st.sampled_from([b"", b"\n"])))
    data = b"".join(lines)
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


def fuzz(channel: Channel, data: st.DataObject) -> None:
    did, others = data.draw(DID), data.draw(DID)
    report = data.draw(tampered(channel.whole(did), channel.whole(others)))
    exit_code, limit = data.draw(ENDINGS)
    check(channel, channel.read(report, exit_code, limit), did)
    check(channel, channel.read(report, channel.status(did)), did)


@CHANNEL
@given(did=DID)
@settings(max_examples=60, deadline=None)
def test_a_whole_report_is_sound_and_says_what_every_test_did(channel: Channel, did: list[str]) -> None:
    report = channel.read(channel.whole(did), channel.status(did))

    assert report.sound, report.problem
    assert [outcome.value for outcome in report.outcomes.values()] == did


@CHANNEL
@given(data=st.data())
@settings(max_examples=250, deadline=None)
def test_no_tampering_gives_a_pass_that_the_run_did_not_have(channel: Channel, data: st.DataObject) -> None:
    fuzz(channel, data)


@pytest.mark.slow
@CHANNEL
@given(data=st.data())
@settings(max_examples=3_000, deadline=None)
def test_no_amount_of_tampering_gives_one(channel: Channel, data: st.DataObject) -> None:
    fuzz(channel, data)


@CHANNEL
def test_a_report_cut_at_any_byte_before_its_end_has_no_pass(channel: Channel) -> None:
    did = ["passed", "failed", "passed", "passed"]
    whole = channel.whole(did)
    for end in range(whole.rindex(b"}") + 1):
        report = channel.read(whole[:end], channel.status(did))
        check(channel, report, did)
        assert not channel.passes(report), whole[:end][-80:]


@CHANNEL
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value[:12]))
def test_any_field_of_any_record_may_hold_any_value(channel: Channel, value: bytes) -> None:
    did = ["passed", "failed", "skipped", "passed"]
    lines = channel.whole(did).splitlines()
    for place, line in enumerate(lines):
        for field in range(len(json.loads(line)) if line.startswith(b"{") else 1):
            data = b"\n".join([*lines[:place], soiled(line, field, value), *lines[place + 1 :], b""])
            check(channel, channel.read(data, channel.status(did)), did)


@CHANNEL
@given(data=st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_random_bytes_hold_no_pass(channel: Channel, data: bytes) -> None:
    check(channel, channel.read(data), ["failed"] * 4)


@CHANNEL
def test_two_runs_one_after_the_other_are_neither(channel: Channel) -> None:
    passed, failed = channel.whole(["passed"] * 4), channel.whole(["failed"] * 4)
    for report in (passed + passed, failed + passed, passed + failed):
        for status in (0, channel.failed):
            assert not channel.passes(channel.read(report, status))


def go_said(text: bytes) -> bytes:
    """A process that said so, its output in records as large as a pipe's."""
    begun = json.dumps({"event": "started", "program": 0, "tests": ["TestA", "TestB"]})
    said = [base64.b64encode(text[start : start + 32_766]) for start in range(0, len(text), 32_766)]
    return begun.encode() + b"\n" + b"".join(b'{"event":"said","text":"' + part + b'"}\n' for part in said)


FLOODS: dict[str, Callable[[int], bytes]] = {
    "one line": lambda size: b"x" * size,
    "one text": lambda size: b'{ "type": "test", "event": "' + b"x" * size + b'"}\n',
    "nesting": lambda size: b"[" * size,
    "empty lines": lambda size: b"\n" * size,
    "empty records": lambda size: b"{}\n" * (size // 3),
    "begun records": lambda size: b'{ "type": "test"' * (size // 16),
    "begun and closed": lambda size: b'{"type":"test"' * (size // 14) + b"}",
    "blanks": lambda size: b'{ "type": "test"}' + b" " * size + b"x",
    "names": lambda size: b"".join(
        b'{ "type": "test", "event": "started", "name": "%d" }\n' % number for number in range(size // 58)
    ),
    "tests": lambda size: b"".join(
        b'{"event":"collected","test":%d,"unit":"u","ordinal":%d,"id":"u"}\n' % (number, number)
        for number in range(size // 70)
    ),
    "processes": lambda size: (
        b'{"event":"started","program":0,"tests":[]}\n{"event":"ended"}\n' * (size // 61)
    ),
    "begun results": lambda size: go_said(b"\x16--- PASS: x" * (size // 16)),
    "begun tests": lambda size: go_said(b"\x16=== RUN   x" * (size // 16)),
    "begun notes": lambda size: go_said(b"\x16=== NAME  x" * (size // 16)),
    "results": lambda size: go_said(b"\x16--- PASS: TestA (0.00s)\n" * (size // 34)),
    "strangers": lambda size: go_said(
        b"".join(b"\x16=== RUN   T%d\n" % number for number in range(size // 27))
    ),
    "closings": lambda size: go_said(b"\x16PASS\n" * (size // 8)),
    "one said": lambda size: go_said(b"\x16=== RUN   TestA\n" + b"x" * (size * 3 // 4)),
}
SMALL, LARGE = 256 * 1024, 16 * 1024 * 1024


def memory_of(channel: Channel, data: bytes) -> int:
    """Bytes at the most, beside the report, that reading takes."""
    tracemalloc.start()
    try:
        check(channel, channel.read(data, channel.failed), ["failed"] * 4)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@CHANNEL
@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_takes_no_more_than_a_multiple_of_its_size(channel: Channel, flood: str) -> None:
    """What grows with the square takes seconds for a quarter of a megabyte, and hours for a whole report."""
    data = FLOODS[flood](SMALL)
    began = time.thread_time()
    channel.read(data, channel.failed)

    assert time.thread_time() - began < 2
    assert memory_of(channel, data) < 20 * SMALL


@pytest.mark.slow
@CHANNEL
@pytest.mark.parametrize("flood", FLOODS)
def test_a_report_of_sixteen_megabytes_is_read(channel: Channel, flood: str) -> None:
    assert memory_of(channel, FLOODS[flood](LARGE)) < 20 * LARGE
