"""A run of pytest: what each selected test did, by the channel of our plugin and the end of the process."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from kaiju_grading.outcome import Answer, Outcome, TestReport
from kaiju_grading.readers.pytest_channel import MAX_MESSAGE, Channel, Seen, parse
from kaiju_grading.suite import Test
from kaiju_sandbox.limits import LimitName

_TIME = frozenset({LimitName.WALL, LimitName.CPU})
_HARMLESS = frozenset({LimitName.OUTPUT, LimitName.KEEP})
"""Limits that cut what is kept of a command that ended by itself."""

_TESTS_RAN, _TESTS_FAILED, _NO_TESTS = 0, 1, 5
"""Exit statuses of pytest that a complete run can have."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the process ended, as seen from outside."""

    exit_code: int | None
    signal: int | None = None
    limit: LimitName | None = None


def read(report: bytes, ending: Ending, tests: tuple[Test, ...], *, strict: bool = True) -> TestReport:
    """Total: any bytes give a report with one outcome for each of `tests` (empty: for all collected).

    With `strict` an unsound run has no pass at all; without, what a run that ended early had seen stays
    visible.
    """
    channel = parse(report)
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
        answers={id: _answers(seen) for id, seen in found.items() if seen.answers},
    )


def _answers(seen: Seen) -> dict[str, tuple[Answer, ...]]:
    """By question, in the order in which they came."""
    keys = dict.fromkeys(key for key, _ in seen.answers)
    return {key: tuple(answer for other, answer in seen.answers if other == key) for key in keys}


def _outcome(seen: Seen, *, last: bool, timed_out: bool) -> Outcome:
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


def _pin(tests: Iterable[Test], channel: Channel) -> list[tuple[Test, int | None]]:
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


def _disagreement(channel: Channel, ending: Ending, tests: tuple[Test, ...]) -> str:
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


def _expected_status(channel: Channel, begun: int) -> int:
    phases = [phase for seen in channel.seen.values() for phase in seen.phases]
    if channel.collect_errors or any(phase.outcome == "failed" for phase in phases):
        return _TESTS_FAILED
    return _TESTS_RAN if begun else _NO_TESTS


def _without_pass(outcome: Outcome) -> Outcome:
    return Outcome.ABSENT if outcome is Outcome.PASSED else outcome


def _message(seen: Seen) -> str:
    return "\n".join(phase.message for phase in seen.phases if phase.message)[:MAX_MESSAGE]
