"""Reports of Rust's test programs: JSON records of libtest on a channel that the library can write to.

What the library prints past libtest's capture stands before a record on the same line, or forges a whole one:
a record is the last thing of its form on a line, and two records of one test are no pass. Answers stand
between records, on lines of their own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kaiju_grading.outcome import Outcome
from kaiju_grading.readers import values
from kaiju_grading.readers.answers import Answers, read_answers

MAX_MESSAGE = 8_000
"""Characters kept of what one test says."""
MAX_NAME = 20_000
_STARTS = (b'{ "type": "', b'{"type": "', b'{"type":"')
"""What begins a record. A text inside of one cannot hold it: its quotation marks would be escaped."""
_ANSWERS = b"kaiju answers "
_OUTCOMES = {
    "ok": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "ignored": Outcome.SKIPPED,
    "timeout": Outcome.TIMED_OUT,
}


@dataclass(frozen=True, slots=True)
class ProgramReport:
    """What one test program reported, by its own test names."""

    outcomes: Mapping[str, Outcome]
    messages: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    closing: tuple[int, int, int] | None = None
    """Passed, failed and ignored as the closing record has them; None without exactly one such record."""
    answers: Answers = field(default_factory=dict)
    """By key of the question, whichever test gave them: a question has one test."""

    @property
    def adds_up(self) -> bool:
        """Whether the closing record says the same as the records of the tests."""
        found = Counter(self.outcomes.values())
        counted = (found[Outcome.PASSED], found[Outcome.FAILED], found[Outcome.SKIPPED])
        return self.closing == counted and sum(counted) == len(self.outcomes)


def read(output: bytes) -> ProgramReport:
    """Total: any bytes give a report."""
    started: Counter[str] = Counter()
    ended: dict[str, list[Outcome]] = {}
    messages: dict[str, str] = {}
    seconds: dict[str, float] = {}
    closing: list[tuple[int, int, int]] = []
    for record in _records(output):
        event, name = record.get("event"), values.text(record.get("name"), MAX_NAME)
        if not isinstance(event, str):
            continue
        if record.get("type") == "suite":
            if event in {"ok", "failed"}:
                closing.append(_counts(record))
        elif name and event == "started":
            started[name] += 1
        elif name and event in _OUTCOMES:
            ended.setdefault(name, []).append(_OUTCOMES[event])
            texts = (values.text(record.get(key), MAX_MESSAGE) for key in ("message", "stdout"))
            messages[name] = "\n".join(filter(None, texts))[:MAX_MESSAGE]
            seconds[name] = values.seconds(record.get("exec_time"))
    names = dict.fromkeys([*started, *ended])
    return ProgramReport(
        outcomes={name: _outcome(started[name], ended.get(name, [])) for name in names},
        messages={name: text for name, text in messages.items() if text},
        seconds=seconds,
        closing=closing[0] if len(closing) == 1 else None,
        answers=read_answers(b"".join(_answers(output))),
    )


def _records(output: bytes) -> Iterator[dict[str, object]]:
    for line in values.lines(output):
        start = max(line.rfind(start) for start in _STARTS) if b'"type"' in line else -1
        record = values.json_object(line[start:]) if start >= 0 else None
        if record is not None and record["type"] in ("test", "suite"):
            yield record


def _answers(output: bytes) -> Iterator[bytes]:
    lines = values.lines(output) if _ANSWERS in output else ()
    return (line.removeprefix(_ANSWERS) for line in lines if line.startswith(_ANSWERS))


def _outcome(started: int, ended: list[Outcome]) -> Outcome:
    if started == 1 and len(ended) == 1:
        return ended[0]
    return Outcome.CRASHED if started == 1 and not ended else Outcome.DOUBLED


def _counts(record: Mapping[str, object]) -> tuple[int, int, int]:
    passed, failed, ignored = (record.get(key) for key in ("passed", "failed", "ignored"))
    return (_count(passed), _count(failed), _count(ignored))


def _count(value: object) -> int:
    return value if type(value) is int else -1
