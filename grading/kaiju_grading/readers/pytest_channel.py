"""The channel of our pytest plugin, record by record, from untrusted bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading import plain
from kaiju_grading.outcome import Answer
from kaiju_grading.readers import values
from kaiju_grading.suite import Test

MAX_MESSAGE = 8_000
"""Characters kept of one text."""
MAX_TEXT = 20_000
"""Characters of an id or unit; longer ones are not believed."""
MAX_ANSWERS = 256
"""Of one test; who says more has not answered."""
_PHASES = frozenset({"setup", "call", "teardown"})
_ENDINGS = frozenset({"passed", "failed", "skipped"})


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of one test, as reported."""

    when: str
    outcome: str
    xfail: bool
    subtest: bool
    seconds: float
    message: str


@dataclass(slots=True)
class Seen:
    """All that the channel says about one collected test."""

    test: Test
    begun: int = 0
    phases: list[Phase] = field(default_factory=list)
    answers: list[tuple[str, Answer]] = field(default_factory=list)
    """Key of the question, and what was said."""
    stray: bool = False
    """A phase came while another test was running."""


@dataclass(slots=True)
class Channel:
    """Everything that was reported, as far as it belongs there."""

    seen: dict[int, Seen] = field(default_factory=dict)
    keys: dict[tuple[str, int], Seen] = field(default_factory=dict)
    collect_errors: dict[str, None] = field(default_factory=dict)
    last_begun: int = -1
    end: Mapping[str, object] | None = None
    fault: str = ""
    """The first record that does not belong there."""
    spoilt: bool = False
    """Somebody else than the runner wrote; a run that ended early has a last record cut off at most."""


def parse(report: bytes) -> Channel:
    """Total: any bytes give a channel, with its first fault."""
    channel = Channel()
    for line in values.lines(report):
        if not line.endswith(b"\n"):
            channel.fault = "the last record is cut off"
        elif line != b"\n":
            channel.fault = _fault(channel, line)
            channel.spoilt = bool(channel.fault)
        if channel.fault:
            break
    return channel


def _fault(channel: Channel, line: bytes) -> str:
    """Take the record of a line; what is wrong with it, or nothing."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "a record on the channel is not JSON"
    if channel.end is not None:
        return "a record came after the closing record"
    if not isinstance(record, dict) or not _take(channel, record):
        return "a record on the channel has the wrong form"
    return ""


def _take(channel: Channel, record: dict[str, object]) -> bool:
    """Whether the record was understood."""
    match record.get("event"):
        case "collected":
            return _take_collected(channel, record)
        case "begin":
            return _take_begin(channel, record)
        case "phase":
            return _take_phase(channel, record)
        case "answer":
            return _take_answer(channel, record)
        case "collect_error" | "collect_skip" as event:
            return _take_collect_report(channel, record, error=event == "collect_error")
        case "end":
            channel.end = record
            return True
        case _:
            return False


def _take_collected(channel: Channel, record: dict[str, object]) -> bool:
    number, ordinal = _whole(record.get("test")), _whole(record.get("ordinal"))
    unit, id = _text(record.get("unit")), _text(record.get("id"))
    if number is None or ordinal is None or not unit or not id:
        return False
    seen = Seen(Test(id=id, unit=unit, ordinal=ordinal))
    if number in channel.seen or seen.test.key in channel.keys:
        return False
    channel.seen[number] = channel.keys[seen.test.key] = seen
    return True


def _take_begin(channel: Channel, record: dict[str, object]) -> bool:
    number = _whole(record.get("test"))
    seen = channel.seen.get(-1 if number is None else number)
    if number is None or seen is None:
        return False
    seen.begun += 1
    channel.last_begun = number
    return True


def _take_phase(channel: Channel, record: dict[str, object]) -> bool:
    number, seconds, message = _whole(record.get("test")), record.get("seconds"), record.get("message", "")
    seen = channel.seen.get(-1 if number is None else number)
    if seen is None or not _one_of(record.get("when"), _PHASES):
        return False
    if not _one_of(record.get("outcome"), _ENDINGS):
        return False
    if not isinstance(record.get("xfail"), bool) or not isinstance(record.get("subtest"), bool):
        return False
    if not isinstance(seconds, int | float) or not isinstance(message, str):
        return False
    seen.stray |= number != channel.last_begun
    seen.phases.append(
        Phase(
            when=str(record["when"]),
            outcome=str(record["outcome"]),
            xfail=record["xfail"] is True,
            subtest=record["subtest"] is True,
            seconds=values.seconds(seconds),
            message=values.text(message, MAX_MESSAGE),
        )
    )
    return True


def _take_answer(channel: Channel, record: dict[str, object]) -> bool:
    number, key = _whole(record.get("test")), _text(record.get("question"))
    seen = channel.seen.get(-1 if number is None else number)
    answer = _answer(record)
    if seen is None or key is None or answer is None or len(seen.answers) >= MAX_ANSWERS:
        return False
    seen.stray |= number != channel.last_begun
    seen.answers.append((key, answer))
    return True


def _answer(record: dict[str, object]) -> Answer | None:
    if "plain" not in record:
        return Answer()
    try:
        return Answer(plain.normal(record["plain"]))
    except plain.NotPlain:
        return None


def _take_collect_report(channel: Channel, record: dict[str, object], *, error: bool) -> bool:
    id, message = _text(record.get("id")), record.get("message")
    if id is None or not isinstance(message, str):
        return False
    if error:
        told = f"{id}: {message}" if message else id
        channel.collect_errors[values.text(told, MAX_MESSAGE)] = None
    return True


def _one_of(value: object, names: frozenset[str]) -> bool:
    """Lists and objects are asked first: they cannot be looked up in a set."""
    return isinstance(value, str) and value in names


def _whole(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 1_000_000 else None


def _text(value: object) -> str | None:
    """A text that can be stored and compared, else None."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return None
    return None if any("\ud800" <= char <= "\udfff" for char in value) else value
