"""A run of Go test programs: what each selected test did, by the framed output that our runner passes on.

The runner writes records, one JSON object a line: a process `started`, what it `said` on its standard output
and `answered` (both base64), how it `ended`, and `closed` at the very end. Inside what it said, the testing
package marks its own lines with a ^V byte. A pass counts only in a process that wrote its closing line and
ended with the status that follows from its results.
"""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.readers import values
from kaiju_grading.readers.answers import Answers, read_answers
from kaiju_grading.suite import Test
from kaiju_sandbox.limits import LimitName

MAX_MESSAGE = 4000
_TIME = frozenset({LimitName.WALL, LimitName.CPU})
_HARMLESS = frozenset({LimitName.OUTPUT, LimitName.KEEP})
"""Limits that cut what is kept of a command that ended by itself."""
_FRAME = re.compile(
    rb"\x16(?:=== RUN   (?P<run>[^\n\x16]+)\n"
    rb"|(?: )*--- (?P<word>PASS|FAIL|SKIP): (?P<name>[^\n\x16]+) \((?P<seconds>\d+\.\d+)s\)\n"
    rb"|(?P<end>PASS|FAIL)\n"
    rb"|=== (?:NAME|CONT|PAUSE) +(?P<other>[^\n\x16]*)\n)"
)
"""No mark inside of a frame: what begins many frames and ends none is looked at once all the same."""
_WORDS = {b"PASS": Outcome.PASSED, b"FAIL": Outcome.FAILED, b"SKIP": Outcome.SKIPPED}


@dataclass(frozen=True, slots=True)
class Ending:
    """How the runner ended, as seen from outside."""

    exit_code: int | None
    signal: int | None = None
    limit: LimitName | None = None


@dataclass(slots=True)
class Process:
    """One process of one program."""

    program: int
    tests: tuple[str, ...]
    said: bytearray = field(default_factory=bytearray)
    answered: bytearray = field(default_factory=bytearray)
    ended: Mapping[str, object] | None = None


@dataclass(slots=True)
class Seen:
    """What one process showed."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    whole: bool = False
    """It wrote its closing line and ended accordingly."""
    fault: str = ""
    answers: Answers = field(default_factory=dict)


class BadChannel(Exception):
    """The records are not those of our runner."""


def read(
    report: bytes, ending: Ending, selected: Sequence[tuple[Test, ...]], *, strict: bool = True
) -> TestReport:
    """Total: any bytes give a report with one outcome for each test of `selected`, a group for each program.

    With `strict` an unsound run has no pass at all; without, what a run that ended early had seen stays.
    """
    problem, processes = _ended(ending), list[Process]()
    try:
        processes, closed = _processes(report, selected)
        if not closed and not problem:
            problem = "no closing record"
    except BadChannel as error:
        problem = str(error)
        processes = []
    timed_out = ending.limit in _TIME
    outcomes: dict[str, Outcome] = {}
    messages: dict[str, str] = {}
    seconds: dict[str, float] = {}
    answers: dict[str, Answers] = {}
    for number, tests in enumerate(selected):
        seen = [_seen(one, timed_out=timed_out) for one in processes if one.program == number]
        problem = problem or next((one.fault for one in seen if one.fault), "")
        for test in tests:
            name = test.unit.rpartition("::")[2]
            outcomes[test.id] = _outcome(name, seen)
            messages[test.id] = "\n".join(one.messages[name] for one in seen if name in one.messages)
            seconds[test.id] = sum(one.seconds.get(name, 0.0) for one in seen)
            # Those of the process that its outcome is of, whichever test gave them: a question has one test.
            answers[test.id] = next((one.answers for one in reversed(seen) if name in one.outcomes), {})
    if problem and strict:
        outcomes = {id: _without_pass(outcome) for id, outcome in outcomes.items()}
    return TestReport(
        outcomes=outcomes,
        sound=not problem,
        problem=problem,
        collected=tuple(test for tests in selected for test in tests),
        observed=outcomes,
        seconds=seconds,
        messages={id: text[:MAX_MESSAGE] for id, text in messages.items() if text},
        answers={id: found for id, found in answers.items() if found},
    )


def _ended(ending: Ending) -> str:
    if ending.limit is not None and (ending.limit not in _HARMLESS or ending.exit_code is None):
        return f"the run reached its {ending.limit} limit"
    if ending.exit_code is None:
        return f"the run was ended by signal {ending.signal}"
    return f"the runner ended with status {ending.exit_code}" if ending.exit_code else ""


def _processes(report: bytes, selected: Sequence[tuple[Test, ...]]) -> tuple[list[Process], bool]:
    """In their order. Raises BadChannel."""
    names = [{test.unit.rpartition("::")[2] for test in tests} for tests in selected]
    most = sum(len(tests) + 1 for tests in selected)
    processes: list[Process] = []
    closed = False
    for record in _records(report):
        event = record.get("event")
        if closed:
            raise BadChannel("records after the closing one")
        if event == "closed":
            closed = True
        elif event == "started":
            if len(processes) == most:
                raise BadChannel("more processes than each program once and each test alone")
            processes.append(_started(record, names, processes))
        elif not processes or processes[-1].ended is not None:
            raise BadChannel("a record of no running process")
        elif event == "said":
            processes[-1].said += _text(record.get("text"))
        elif event == "answered":
            processes[-1].answered += _text(record.get("text"))
        elif event == "ended":
            processes[-1].ended = record
        else:
            raise BadChannel("a record of an unknown kind")
    return processes, closed


def _records(report: bytes) -> Iterator[dict[str, object]]:
    for line in values.lines(report):
        whole = line.endswith(b"\n")
        record = values.json_object(line) if whole else None
        if record is not None:
            yield record
        elif whole:
            raise BadChannel("a line that is no record")
        elif line.strip().endswith(b"}"):
            # A runner that was killed may leave half a line; nothing else can.
            raise BadChannel("a record without its end")


def _started(record: Mapping[str, object], names: list[set[str]], before: list[Process]) -> Process:
    program, tests = record.get("program"), record.get("tests")
    if type(program) is not int or not 0 <= program < len(names) or not isinstance(tests, list):
        raise BadChannel("a process of no program")
    chosen = tuple(name for name in tests if isinstance(name, str))
    if len(chosen) != len(tests) or not set(chosen) <= names[program]:
        raise BadChannel("a test ran that was not selected")
    if before and before[-1].ended is None:
        raise BadChannel("two processes at once")
    return Process(program, tuple(dict.fromkeys(chosen)))


def _text(value: object) -> bytes:
    try:
        return base64.b64decode(value if isinstance(value, str) else "%", validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadChannel("output that cannot be decoded") from error


def _seen(process: Process, *, timed_out: bool) -> Seen:
    """Read one process. What it says of a test that it was not started for is a fault."""
    seen = Seen()
    begun: Counter[str] = Counter()
    results: dict[str, list[Outcome]] = {name: [] for name in process.tests}
    ends: list[bytes] = []
    current, last, ending = "", 0, ""
    for frame in _FRAME.finditer(process.said):
        _note(seen, current, process.said[last : frame.start()])
        last = frame.end()
        name = _name(frame)
        top = name.partition("/")[0]
        current = (top if top in results else "") if top else current
        ending = name if name == top and frame["word"] == b"FAIL" else ""
        if frame["end"]:
            ends = [*ends[:1], bytes(frame["end"])]
        elif not name or frame["other"]:
            continue
        elif top not in results:
            seen.fault = "a test ran that was not selected"
        elif name != top:
            continue
        elif frame["run"]:
            begun[name] += 1
        else:
            results[name].append(_WORDS[bytes(frame["word"])])
            seen.seconds[name] = values.seconds(float(frame["seconds"]))
    _note(seen, current, process.said[last:])
    _conclude(seen, process, begun, results, timed_out=timed_out)
    if ending in seen.outcomes and not ends and seen.outcomes[ending] is Outcome.FAILED:
        # The testing package reports a panic as a failure, and then lets it end the process.
        seen.outcomes[ending] = Outcome.CRASHED
    seen.whole, fault = _wholeness(process, ends, [one for group in results.values() for one in group])
    seen.fault = seen.fault or fault
    seen.answers = read_answers(bytes(process.answered))
    return seen


def _conclude(
    seen: Seen,
    process: Process,
    begun: Counter[str],
    results: Mapping[str, list[Outcome]],
    *,
    timed_out: bool,
) -> None:
    idle = process.ended is not None and process.ended.get("idle") is True
    silent = idle or (timed_out and process.ended is None)
    for name, found in results.items():
        seen.outcomes[name] = _told(begun[name], found, timed_out=silent)


def _name(frame: re.Match[bytes]) -> str:
    text = frame["run"] or frame["name"] or frame["other"] or b""
    return text.decode(errors="replace").strip()


def _note(seen: Seen, name: str, text: bytes | bytearray) -> None:
    room = MAX_MESSAGE - len(seen.messages.get(name, ""))
    if name and room > 0 and text.strip():
        seen.messages[name] = seen.messages.get(name, "") + text[: 4 * room].decode(errors="replace")[:room]


def _told(begun: int, results: list[Outcome], *, timed_out: bool) -> Outcome:
    if begun == 0:
        return Outcome.DOUBLED if results else Outcome.ABSENT
    if begun > 1 or len(results) > 1:
        return Outcome.DOUBLED
    if results:
        return results[0]
    return Outcome.TIMED_OUT if timed_out else Outcome.CRASHED


def _wholeness(process: Process, ends: list[bytes], results: list[Outcome]) -> tuple[bool, str]:
    """Whether a process closed as it should; and what is wrong when its closing contradicts the rest."""
    if process.ended is None or not ends:
        return False, ""
    if len(ends) > 1:
        return False, "a process closed twice"
    status = process.ended.get("exit")
    failed = Outcome.FAILED in results
    if (ends[0], status) == ((b"FAIL", 1) if failed else (b"PASS", 0)):
        return True, ""
    return False, "exit status, closing line and results of a process do not agree"


def _outcome(name: str, seen: Iterable[Seen]) -> Outcome:
    """Of all processes that a test was in: the last one that is whole, else what the last one showed.

    A process that died gives no pass. Its failures stand; the test that it ended with crashed.
    """
    found = Outcome.ABSENT
    for one in seen:
        outcome = one.outcomes.get(name)
        if outcome is None:
            continue
        if found is Outcome.DOUBLED or outcome is Outcome.DOUBLED:
            return Outcome.DOUBLED
        found = outcome if one.whole or outcome is not Outcome.PASSED else Outcome.ABSENT
    return found


def _without_pass(outcome: Outcome) -> Outcome:
    return Outcome.ABSENT if outcome is Outcome.PASSED else outcome
