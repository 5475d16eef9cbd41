"""Test: compiled programs of libtest over chosen tests, with records on our own channel."""

import shlex
from dataclasses import dataclass, field

from kaiju_grading.language import WORK, TestRun
from kaiju_grading.languages.rust.layout import INDEX, LIBRARY, PROGRAMS, Naming
from kaiju_grading.languages.rust.sandboxed import PROGRAM_SYSTEM, RUN, tool
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.readers import libtest
from kaiju_grading.readers.answers import Answers
from kaiju_grading.suite import Test
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.result import Result

_BREAK = b"\n--kaiju-program--\n"
"""Between the records of two programs, written by our own script."""
_FAILED = 101
"""Exit status of a test program with failed tests."""
_VARIABLES = {
    "CARGO_MANIFEST_DIR": WORK,
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, private to it
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "RUSTC_BOOTSTRAP": "1",
    "RUST_BACKTRACE": "0",
    "TZ": "UTC",
}
_OPTIONS = ("--format", "json", "-Z", "unstable-options", "--report-time", "--test-threads=1")


@dataclass(frozen=True, slots=True)
class Call:
    """One program, and the names that select its tests."""

    program: str
    """Its first file, LIBRARY for the inline tests."""
    path: str
    """In the part's files."""
    names: tuple[str, ...]
    """Exactly these; when empty, all that `filters` let through."""
    filters: tuple[str, ...] = ()


def test_command(run: TestRun) -> Command:
    """A command that runs exactly `run.tests`, the values of the run on its standard input.

    The tests of a module belong to one program as a rule: only then is the table gone from the sandbox once
    it was read. Several programs find it in a file.
    """
    found = calls(run)
    values = (f"{slot} {_hex(value)}\n" for slot, value in sorted(run.values.items()))
    table = "".join(["values\n", *values]).encode()
    work = {path: file for path, file in run.work.items() if path != INDEX and not path.startswith(PROGRAMS)}
    programs = {call.path: run.work[call.path] for call in found}
    lines = [_line(call) for call in found]
    files = {"run.sh": tool("run.sh"), "calls": File("".join(lines).encode()), **programs}
    single = len(found) == 1
    if not single:
        files["values"] = File(table)
    mode = ("one" if single else "many", "alone" if run.messages else "together")
    return Command(
        argv=("/bin/bash", f"{RUN}/run.sh", *mode),
        cwd=WORK,
        env=_VARIABLES,
        stdin=table if single else None,
        inputs=(Tree(WORK, work), Tree(RUN, files)),
        report=True,
        system=PROGRAM_SYSTEM,
    )


def _hex(value: str) -> str:
    return value.encode().hex()


def _line(call: Call) -> str:
    chosen = ("--exact", *call.names) if call.names else call.filters
    return shlex.join([f"{RUN}/{call.path}", *_OPTIONS, *chosen]) + "\n"


def calls(run: TestRun) -> tuple[Call, ...]:
    """The programs of a run, sorted by their first file."""
    naming = Naming.load(run.work[INDEX].data) if INDEX in run.work else Naming({}, {}, {})
    chosen: dict[str, list[str]] = {}
    for test in run.tests:
        chosen.setdefault(naming.program_of(test.id), []).append(naming.name_of(test.id))
    if not run.tests:
        chosen = {first: [] for first in naming.programs if first == LIBRARY or first in run.files}
    filters = [set(naming.filters(path)) for path in run.files if path in naming.files]
    usable = tuple(sorted(set().union(*filters))) if filters and all(filters) else ()
    return tuple(
        Call(first, naming.programs[first], tuple(names), usable if first == LIBRARY else ())
        for first, names in sorted(chosen.items())
        if first in naming.programs
    )


def read_tests(run: TestRun, result: Result) -> TestReport:
    """Total. An unsound run has no pass, except where messages are wanted: there each record counts."""
    naming = Naming.load(run.work[INDEX].data) if INDEX in run.work else Naming({}, {}, {})
    found = _Found(naming, run)
    asked, outputs = calls(run), result.report.split(_BREAK)
    if len(outputs) > 1 and not outputs[-1]:
        # Our script ends the records of each program, except where the program took its place.
        outputs.pop()
    for call, output in zip(asked, outputs, strict=False):
        found.take(call, libtest.read(output))
    if len(outputs) != len(asked):
        found.problems.append(f"the records are those of {len(outputs)} programs; {len(asked)} were asked")
    problem = found.problem(result)
    believed = not problem or run.messages
    observed = found.observed
    outcomes = {test.id: observed.get(test.id, Outcome.ABSENT) for test in run.tests}
    if not believed:
        outcomes = {test_id: _doubted(outcome) for test_id, outcome in outcomes.items()}
    ids = [test.id for test in run.tests]
    return TestReport(
        outcomes=outcomes,
        sound=not problem,
        problem=problem,
        collected=tuple(Test(test_id, test_id) for test_id in observed),
        observed=observed,
        seconds=found.seconds,
        messages={test_id: found.messages[test_id] for test_id in ids if test_id in found.messages},
        collect_errors=() if observed or run.tests else (problem or "no test was found",),
        answers={test_id: found.answers[test_id] for test_id in ids if found.answers.get(test_id)},
    )


def _doubted(outcome: Outcome) -> Outcome:
    return Outcome.ABSENT if outcome is Outcome.PASSED else outcome


@dataclass(slots=True)
class _Found:
    """The records of all programs of a run, by id."""

    naming: Naming
    run: TestRun
    observed: dict[str, Outcome] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    answers: dict[str, Answers] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    failed: bool = False
    programs: int = 0

    def take(self, call: Call, report: libtest.ProgramReport) -> None:
        self.programs += 1
        died = [name for name, outcome in report.outcomes.items() if outcome is Outcome.CRASHED]
        if died:
            self.problems.append(f"a test ended its process: {died[0]}")
        if not report.adds_up:
            self.problems.append("the closing record is missing or does not say what the records say")
        if call.names and set(call.names) != set(report.outcomes):
            self.problems.append("the program did not run exactly the tests that were selected")
        self.failed = self.failed or Outcome.FAILED in report.outcomes.values()
        for name, outcome in report.outcomes.items():
            self._note(call.program, name, outcome, report)

    def _note(self, program: str, name: str, outcome: Outcome, report: libtest.ProgramReport) -> None:
        found = self.naming.test_of(program, name)
        if found is None or (not self.run.tests and found[0] not in self.run.files):
            return
        test_id = found[1]
        self.observed[test_id] = Outcome.DOUBLED if test_id in self.observed else outcome
        self.answers[test_id] = report.answers
        if name in report.messages:
            self.messages[test_id] = report.messages[name]
        if name in report.seconds:
            self.seconds[test_id] = report.seconds[name]

    def problem(self, result: Result) -> str:
        """Why the run is not sound; empty when it is."""
        if result.limit is not None:
            return f"limit on {result.limit.name} reached"
        if result.signal is not None:
            return f"ended by signal {result.signal}"
        if not self.programs:
            return "no program has these tests"
        if self.problems:
            return self.problems[0]
        expected = _FAILED if self.failed else 0
        if result.exit_code != expected:
            return f"exit status {result.exit_code}, expected {expected}"
        return ""
