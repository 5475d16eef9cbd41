"""The channel of our pytest plugin: what each selected test did, from untrusted bytes."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.suite import Test
from kaiju_sandbox.limits import LimitName

MAX_MESSAGE = 8_000
"""Characters kept of one text."""
MAX_TEXT = 20_000
"""Characters of an id or unit; longer ones are not believed."""
_TIME = frozenset({LimitName.WALL, LimitName.CPU})
_HARMLESS = frozenset({LimitName.OUTPUT, LimitName.KEEP})
"""Limits that cut what is kept of a command that ended by itself."""

_PHASES = frozenset({"setup", "call", "teardown"})
_ENDINGS = frozenset({"passed", "failed", "skipped"})

_TESTS_RAN, _TESTS_FAILED, _NO_TESTS = 0, 1, 5
"""Exit statuses of pytest that a complete run can have."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the process ended, as seen from outside."""

    exit_code: int | None
    signal: int | None = None
    limit: LimitName | None = None


@dataclass(frozen=True, slots=True)
class _Phase:
    when: str
    outcome: str
    xfail: bool
    subtest: bool
    seconds: float
    message: str


@dataclass(slots=True)
class _Seen:
    """All that the channel says about one collected test."""

    test: Test
    begun: int = 0
    phases: list[_Phase] = field(default_factory=list)
    stray: bool = False
    """A phase came while another test was running."""


@dataclass(slots=True)
class _Channel:
    seen: dict[int, _Seen] = field(default_factory=dict)
    keys: dict[tuple[str, int], _Seen] = field(default_factory=dict)
    collect_errors: dict[str, None] = field(default_factory=dict)
    last_begun: int = -1
    end: Mapping[str, object] | None = None
    fault: str = ""
    """The first record that does not belong there."""
    spoilt: bool = False
    """Somebody else than the runner wrote; a run that ended early has a last record cut off at most."""


def read(report: bytes, ending: Ending, tests: tuple[Test, ...], *, strict: bool = True) -> TestReport:
    """Total: any bytes give a report with one outcome for each of `tests` (empty: for all collected).

    With `strict` an unsound run has no pass at all; without, what a run that ended early had seen stays
    visible.
    """
    channel = _parse(report)
    timed_out = ending.limit in _TIME
    results = {
        number: _outcome(seen, last=number == channel.last_begun, timed_out=timed_out)
        for number, seen in channel.seen.items()
    }
    observed = _by_id((seen.test.id, results[number]) for number, seen in channel.seen.items())
    collected = tuple(seen.test for seen in channel.seen.values())
    pinned = _pin(tests or collected, channel)
    outcomes = _by_id(
        (test.id, Outcome.ABSENT if number is None else results[number]) for test, number in pinned
    )
    problem = channel.fault or _disagreement(channel, ending, tests)
    if problem and (strict or channel.spoilt):
        outcomes = {id: _without_pass(outcome) for id, outcome in outcomes.items()}
    found = {test.id: channel.seen[number] for test, number in pinned if number is not None}
    return TestReport(
        outcomes=outcomes,
        sound=not problem,
        problem=problem,
        collected=collected,
        observed=observed,
        seconds={id: sum(phase.seconds for phase in seen.phases) for id, seen in found.items()},
        messages={id: text for id, seen in found.items() if (text := _message(seen))},
        collect_errors=tuple(channel.collect_errors),
    )


def _parse(report: bytes) -> _Channel:
    channel = _Channel()
    *lines, rest = report.split(b"\n")
    for line in lines:
        if not line or channel.fault:
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            channel.fault = "a record on the channel is not JSON"
            continue
        if channel.end is not None:
            channel.fault = "a record came after the closing record"
        elif not isinstance(record, dict) or not _take(channel, record):
            channel.fault = "a record on the channel has the wrong form"
    channel.spoilt = bool(channel.fault)
    if rest and not channel.fault:
        channel.fault = "the last record is cut off"
    return channel


def _take(channel: _Channel, record: dict[str, object]) -> bool:
    """Whether the record was understood."""
    match record.get("event"):
        case "collected":
            return _take_collected(channel, record)
        case "begin":
            return _take_begin(channel, record)
        case "phase":
            return _take_phase(channel, record)
        case "collect_error" | "collect_skip" as event:
            return _take_collect_report(channel, record, error=event == "collect_error")
        case "end":
            channel.end = record
            return True
        case _:
            return False


def _take_collected(channel: _Channel, record: dict[str, object]) -> bool:
    number, ordinal = _whole(record.get("test")), _whole(record.get("ordinal"))
    unit, id = _text(record.get("unit")), _text(record.get("id"))
    if number is None or ordinal is None or not unit or not id:
        return False
    seen = _Seen(Test(id=id, unit=unit, ordinal=ordinal))
    if number in channel.seen or seen.test.key in channel.keys:
        return False
    channel.seen[number] = channel.keys[seen.test.key] = seen
    return True


def _take_begin(channel: _Channel, record: dict[str, object]) -> bool:
    number = _whole(record.get("test"))
    seen = channel.seen.get(-1 if number is None else number)
    if number is None or seen is None:
        return False
    seen.begun += 1
    channel.last_begun = number
    return True


def _take_phase(channel: _Channel, record: dict[str, object]) -> bool:
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
        _Phase(
            when=str(record["when"]),
            outcome=str(record["outcome"]),
            xfail=record["xfail"] is True,
            subtest=record["subtest"] is True,
            seconds=_seconds(seconds),
            message=_printable(message),
        )
    )
    return True


def _take_collect_report(channel: _Channel, record: dict[str, object], *, error: bool) -> bool:
    id, message = _text(record.get("id")), record.get("message")
    if id is None or not isinstance(message, str):
        return False
    if error:
        channel.collect_errors[_printable(f"{id}: {message}" if message else id)] = None
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


def _printable(text: str) -> str:
    return text[:MAX_MESSAGE].encode("utf-8", "replace").decode()


def _seconds(value: float) -> float:
    """Within a year: the value is for people and limits, and whole numbers of any size may arrive."""
    try:
        seconds = float(value)
    except OverflowError:
        return 0.0
    return seconds if math.isfinite(seconds) and 0 <= seconds < 31_536_000 else 0.0


def _outcome(seen: _Seen, *, last: bool, timed_out: bool) -> Outcome:
    """Of one collected test. PASSED needs exactly one begin and three passed phases, and nothing else."""
    whole = [phase for phase in seen.phases if not phase.subtest]
    names = [phase.when for phase in whole]
    if seen.begun == 0:
        return Outcome.DOUBLED if seen.phases else Outcome.ABSENT
    if seen.begun > 1 or seen.stray or len(set(names)) != len(names):
        return Outcome.DOUBLED
    if any(phase.xfail for phase in seen.phases):
        return Outcome.EXPECTED_FAILURE
    results = {phase.when: phase.outcome for phase in whole}
    if "teardown" not in results:
        return _unfinished(last=last, timed_out=timed_out)
    failed = [phase for phase in seen.phases if phase.outcome == "failed"]
    if failed:
        return Outcome.FAILED if any(phase.when == "call" for phase in failed) else Outcome.ERROR
    if any(phase.outcome == "skipped" for phase in seen.phases):
        return Outcome.SKIPPED
    return Outcome.PASSED if names == ["setup", "call", "teardown"] else Outcome.DOUBLED


def _unfinished(*, last: bool, timed_out: bool) -> Outcome:
    if not last:
        return Outcome.DOUBLED
    return Outcome.TIMED_OUT if timed_out else Outcome.CRASHED


def _pin(tests: Iterable[Test], channel: _Channel) -> list[tuple[Test, int | None]]:
    """Each pinned test with the number of the collected one that it is.

    Parameters may change an id (an alteration, or values that the library computes), so unit and ordinal
    decide. A unit that lacks a pinned ordinal, or shows a pinned id at another ordinal, was collected
    differently: none of its tests can be told.
    """
    tests = tuple(tests)
    numbers = {seen.test.key: number for number, seen in channel.seen.items()}
    places = {test.id: test.key for test in tests}
    moved = {
        test.unit
        for test in tests
        if test.key not in numbers or places.get(channel.keys[test.key].test.id, test.key) != test.key
    }
    return [(test, None if test.unit in moved else numbers[test.key]) for test in tests]


def _by_id(pairs: Iterable[tuple[str, Outcome]]) -> dict[str, Outcome]:
    """An id that stands for two tests is no result of either."""
    pairs = tuple(pairs)
    counts = Counter(id for id, _ in pairs)
    return {id: outcome if counts[id] == 1 else Outcome.DOUBLED for id, outcome in pairs}


def _disagreement(channel: _Channel, ending: Ending, tests: tuple[Test, ...]) -> str:
    """Why exit status, closing record, selection and records do not agree; empty when they do."""
    if ending.limit is not None and (ending.limit not in _HARMLESS or ending.exit_code is None):
        return f"the run reached its {ending.limit} limit"
    if ending.exit_code is None:
        return f"the run was ended by signal {ending.signal}"
    if channel.end is None:
        return f"no closing record; exit status {ending.exit_code}"
    status = channel.end.get("status")
    if type(status) is not int or status != ending.exit_code:
        return "exit status and closing record differ"
    begun = sum(seen.begun for seen in channel.seen.values())
    if channel.end.get("collected") != len(channel.seen) or channel.end.get("begun") != begun:
        return "closing record and records differ in their counts"
    selected = {test.key for test in tests}
    if tests and any(seen.begun and seen.test.key not in selected for seen in channel.seen.values()):
        return "a test ran that was not selected"
    if status != _expected_status(channel, begun):
        return f"exit status {status} does not follow from the records"
    return ""


def _expected_status(channel: _Channel, begun: int) -> int:
    phases = [phase for seen in channel.seen.values() for phase in seen.phases]
    if channel.collect_errors or any(phase.outcome == "failed" for phase in phases):
        return _TESTS_FAILED
    return _TESTS_RAN if begun else _NO_TESTS


def _without_pass(outcome: Outcome) -> Outcome:
    return Outcome.ABSENT if outcome is Outcome.PASSED else outcome


def _message(seen: _Seen) -> str:
    return "\n".join(phase.message for phase in seen.phases if phase.message)[:MAX_MESSAGE]
