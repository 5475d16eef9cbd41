"""Reports as the runners of our languages write them, and the readers of these languages: four tests, in two
programs where the language has programs."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kaiju_grading import languages
from kaiju_grading.language import TestRun
from kaiju_grading.languages.go.compile import INDEX as GO_INDEX
from kaiju_grading.languages.rust.layout import INDEX as RUST_INDEX
from kaiju_grading.languages.rust.layout import Naming
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.suite import Test
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import LimitName
from kaiju_sandbox.result import LimitHit, Result

Record = Mapping[str, object]
ENVIRONMENT = Environment("none", (), (), {}, {})
NAMES = ("TestA", "TestB", "TestC", "TestD")


def result(report: bytes, exit_code: int | None = 0, limit: LimitName | None = None) -> Result:
    """A command that wrote this report; no exit code: ended by SIGKILL."""
    hit = None if limit is None else LimitHit(limit, 1, 1)
    signal = 9 if exit_code is None else None
    return Result(exit_code, signal, hit, b"", b"", 0, 0, report, None, 1.0, 1.0, 0, {})


def lines(*records: Record) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@dataclass(frozen=True, slots=True)
class Channel:
    """The result channel of one language."""

    language: str
    run: TestRun
    whole: Callable[[Sequence[str]], bytes]
    """The report of a run whose tests passed, failed or were skipped."""
    failed: int
    """Exit status of a run with a failure."""

    @property
    def tests(self) -> tuple[Test, ...]:
        return self.run.tests

    def status(self, did: Sequence[str]) -> int:
        return self.failed if "failed" in did else 0

    def read(self, report: bytes, exit_code: int | None = 0, limit: LimitName | None = None) -> TestReport:
        return languages.get(self.language).read_tests(self.run, result(report, exit_code, limit))

    def passes(self, report: TestReport) -> set[str]:
        return {id for id, outcome in report.outcomes.items() if outcome is Outcome.PASSED}


def _python(did: Sequence[str]) -> bytes:
    records: list[Record] = [
        {"event": "collected", "test": number, "unit": name, "ordinal": 0, "id": name}
        for number, name in enumerate(NAMES)
    ]
    for number, outcome in enumerate(did):
        records.append({"event": "begin", "test": number})
        records.append({"event": "answer", "test": number, "question": "a.py:1", "plain": [number]})
        for when, ended in (("setup", "passed"), ("call", outcome), ("teardown", "passed")):
            phase = {"event": "phase", "test": number, "when": when, "outcome": ended, "xfail": False}
            records.append({**phase, "subtest": False, "seconds": 0.25, "message": "said"})
    status = 1 if "failed" in did else 0
    return lines(*records, {"event": "end", "status": status, "collected": len(NAMES), "begun": len(did)})


def _go(did: Sequence[str]) -> bytes:
    records: list[Record] = []
    for program in (0, 1):
        names, ended = NAMES[2 * program :][:2], did[2 * program :][:2]
        told = [
            f"\x16=== RUN   {name}\nsaid\n\x16--- {_WORDS[outcome]}: {name} (0.25s)\n"
            for name, outcome in zip(names, ended, strict=True)
        ]
        failed = "failed" in ended
        told.append("\x16FAIL\n" if failed else "\x16PASS\n")
        records.append({"event": "started", "program": program, "process": 0, "tests": list(names)})
        records += [
            {"event": "said", "program": program, "text": base64.b64encode(text.encode()).decode()}
            for text in told
        ]
        answered = base64.b64encode(b"0a i 7\n0b t 6162\n0c -\n").decode()
        records.append({"event": "answered", "program": program, "text": answered})
        records.append({"event": "ended", "program": program, "idle": False, "exit": int(failed)})
    return lines(*records, {"event": "closed"})


def _rust(did: Sequence[str]) -> bytes:
    answered = b"\nkaiju answers 0a i 7\n\nkaiju answers 0b t 6162\n\nkaiju answers 0c -\n"
    return b"".join(
        answered + libtest(NAMES[first:][:2], did[first:][:2]) + b"\n--kaiju-program--\n" for first in (0, 2)
    )


def libtest(names: Sequence[str], did: Sequence[str]) -> bytes:
    """What one program of libtest writes."""
    records: list[Record] = [{"type": "suite", "event": "started", "test_count": len(names)}]
    for name, outcome in zip(names, did, strict=True):
        records.append({"type": "test", "event": "started", "name": name})
        event = {"passed": "ok", "failed": "failed", "skipped": "ignored"}[outcome]
        records.append({"type": "test", "name": name, "event": event, "exec_time": 0.25, "stdout": "said"})
    counts = {word: list(did).count(key) for word, key in _COUNTED.items()}
    event = "failed" if "failed" in did else "ok"
    return lines(*records, {"type": "suite", "event": event, **counts, "measured": 0, "filtered_out": 0})


_WORDS = {"passed": "PASS", "failed": "FAIL", "skipped": "SKIP"}
_COUNTED = {"passed": "passed", "failed": "failed", "ignored": "skipped"}


def _run(tests: Sequence[str], work: Mapping[str, bytes]) -> TestRun:
    files = {path: File(data) for path, data in work.items()}
    return TestRun(files, ENVIRONMENT, (), tuple(Test(id, id) for id in tests))


def _channels() -> tuple[Channel, ...]:
    go = {"programs": {".": "kaiju.test", "b": "b/kaiju.test"}, "tests": {}}
    rust = Naming({"tests/a.rs": "kaiju-programs/0", "tests/b.rs": "kaiju-programs/1"}, {}, {})
    files = ("a", "a", "b", "b")
    go_ids = [
        f"{'b/' if file == 'b' else ''}{file}_test.go::{name}"
        for file, name in zip(files, NAMES, strict=True)
    ]
    rust_ids = [f"tests/{file}.rs::{name}" for file, name in zip(files, NAMES, strict=True)]
    return (
        Channel("python", _run(NAMES, {}), _python, 1),
        Channel("go", _run(go_ids, {GO_INDEX: json.dumps(go).encode()}), _go, 0),
        Channel("rust", _run(rust_ids, {RUST_INDEX: rust.dump()}), _rust, 101),
    )


CHANNELS = _channels()
