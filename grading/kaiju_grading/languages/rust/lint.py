"""Lint: clippy and rustfmt with our rules over the library; the tree's own settings are not looked at."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kaiju_grading.language import Library
from kaiju_grading.languages.rust.inline import strip
from kaiju_grading.languages.rust.manifest import FILE
from kaiju_grading.languages.rust.sandboxed import Script, cargo_command
from kaiju_grading.readers import cargo, values
from kaiju_grading.report import LintReport, LintStatus, Problem
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.result import Result

FORMAT_RULE = "rustfmt"
_SAME, _DIFFERS = 0, 1
"""Exit statuses of `rustfmt --check`; it also ends with 1 at a file that it cannot read."""
_CRASH = "error: internal compiler error"


@dataclass(frozen=True, slots=True)
class Layout:
    """What rustfmt said of one file."""

    status: int
    differs: bool
    line: int
    """The first that differs."""


def lint_command(library: Library) -> Command:
    """Lint exactly the Rust files among its sources."""
    paths = _rust(library.sources)
    work = {path: File(strip(file.data)) if path in paths else file for path, file in library.work.items()}
    settings = {
        "clippy.toml": File(b""),
        "rustfmt.toml": File(b"skip_children = true\n"),
        "paths": File("".join(f"{path}\n" for path in paths).encode()),
    }
    return cargo_command(Script("lint.sh", (_edition(library),), settings), work, library.environment)


def _edition(library: Library) -> str:
    found = re.search(rb'^edition = "(20\d\d)"$', library.work[FILE].data, re.MULTILINE)
    return found.group(1).decode() if found else "2015"


def read_lint(result: Result, paths: tuple[str, ...]) -> LintReport:
    """Three outcomes; clean only when clippy came to its end and rustfmt looked at every Rust file."""
    expected = _rust(paths)
    report = cargo.read(result.report)
    layouts = [_layout(one) for one in _records(result.report, "kaiju-rustfmt")]
    own = frozenset(expected)
    problems = [found for message in report.messages if (found := cargo.problem(message, own)) is not None]
    cause = _cause(result, expected, layouts) or _unchecked(result, report, problems)
    if cause:
        return LintReport(LintStatus.COULD_NOT_LINT, files=min(len(layouts), len(expected)), cause=cause)
    problems += [
        _differs(path, layout.line) if layout.differs else _unreadable(path)
        for path, layout in zip(expected, layouts, strict=True)
        if layout.status == _DIFFERS
    ]
    ordered = tuple(sorted(set(problems), key=lambda one: (one.path, one.line, one.column, one.rule)))
    status = LintStatus.FINDINGS if ordered else LintStatus.CLEAN
    return LintReport(status, problems=ordered, files=len(expected))


def _differs(path: str, line: int) -> Problem:
    return Problem(path, line, 1, FORMAT_RULE, "rustfmt would lay this file out differently", "warning")


def _unreadable(path: str) -> Problem:
    return Problem(path, 1, 1, FORMAT_RULE, "rustfmt cannot read this file")


def _records(output: bytes, reason: str) -> list[Mapping[str, object]]:
    """Those of our script. One that cannot be read is noticed by whoever counts them."""
    marked = (line for line in values.lines(output) if line.startswith(b'{"reason":"kaiju-'))
    found = filter(None, map(values.json_object, marked))
    return [record for record in found if record.get("reason") == reason]


def _layout(record: Mapping[str, object]) -> Layout:
    status = record.get("status")
    differs, line = values.count(record.get("differs")), values.count(record.get("line"))
    return Layout(status if type(status) is int else -1, differs > 0, max(line, 1))


def _unchecked(result: Result, report: cargo.CargoReport, problems: list[Problem]) -> str:
    """Why clippy's word is none; empty when it is one. Its errors in the library's files are findings."""
    if not report.finished or len(_records(result.report, "kaiju-clippy")) != 1:
        return "clippy did not finish; it may be missing from the environment"
    if any(message.level == _CRASH for message in report.messages):
        return "clippy crashed"
    if report.succeeded or any(problem.severity == "error" for problem in problems):
        return ""
    errors = [message.text for message in report.messages if message.level.startswith("error")]
    return f"clippy could not check the library: {values.printable((errors or [''])[0], 500)}"


def _cause(result: Result, expected: tuple[str, ...], layouts: list[Layout]) -> str:
    """Why this is no lint; empty when it is one."""
    if result.limit is not None:
        return f"the linter reached its {result.limit.name} limit"
    if not expected:
        return "there is no Rust file to lint"
    if len(layouts) != len(expected):
        return f"rustfmt looked at {len(layouts)} of {len(expected)} files"
    strange = [layout.status for layout in layouts if layout.status not in {_SAME, _DIFFERS}]
    return f"rustfmt ended with status {strange[0]}" if strange else ""


def _rust(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(path for path in paths if path.endswith(".rs")))
