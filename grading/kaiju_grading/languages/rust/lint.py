"""Lint: clippy and rustfmt with our rules over the library; the tree's own settings are not looked at."""

import json
import re

from kaiju_grading.language import Library
from kaiju_grading.languages.rust.inline import strip
from kaiju_grading.languages.rust.manifest import FILE
from kaiju_grading.languages.rust.sandboxed import Script, cargo_command
from kaiju_grading.readers import cargo
from kaiju_grading.report import LintReport, LintStatus, Problem
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.result import Result

FORMAT_RULE = "rustfmt"
_DIFFERS, _SAME = 1, 0
"""Exit statuses of `rustfmt --check`."""


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
    formatted = _records(result.report, "kaiju-rustfmt")
    cause = _cause(result, report, expected, formatted)
    if cause:
        return LintReport(LintStatus.COULD_NOT_LINT, files=len(formatted), cause=cause)
    own = frozenset(expected)
    problems = [found for message in report.messages if (found := cargo.problem(message, own)) is not None]
    problems += [
        Problem(path, 1, 1, FORMAT_RULE, "rustfmt would lay this file out differently", "warning")
        for path, (status, _) in zip(expected, formatted, strict=True)
        if status == _DIFFERS
    ]
    ordered = tuple(sorted(set(problems), key=lambda one: (one.path, one.line, one.column, one.rule)))
    status = LintStatus.FINDINGS if ordered else LintStatus.CLEAN
    return LintReport(status, problems=ordered, files=len(expected))


def _records(output: bytes, reason: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for line in output.splitlines():
        if not line.startswith(b'{"reason":"kaiju-'):
            continue
        try:
            record = json.loads(line)
            if record["reason"] == reason:
                found.append((int(record["status"]), int(record.get("differs", 0))))
        except (ValueError, TypeError, KeyError, RecursionError):
            # A record too few is noticed by whoever counts them.
            continue
    return found


def _cause(
    result: Result, report: cargo.CargoReport, expected: tuple[str, ...], formatted: list[tuple[int, int]]
) -> str:
    """Why this is no lint; empty when it is one."""
    if result.limit is not None:
        return f"the linter reached its {result.limit.name} limit"
    if not expected:
        return "there is no Rust file to lint"
    if not report.finished or len(_records(result.report, "kaiju-clippy")) != 1:
        return "clippy did not finish; it may be missing from the environment"
    if len(formatted) != len(expected):
        return f"rustfmt looked at {len(formatted)} of {len(expected)} files"
    return ""


def _rust(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(path for path in paths if path.endswith(".rs")))
