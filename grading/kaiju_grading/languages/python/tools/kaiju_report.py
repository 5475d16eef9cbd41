"""Select tests and report what they did: one JSON object a line on the result channel.

collected      test (a number), unit, ordinal, id
collect_error  id, message          collect_skip  id, message
begin          test
answer         test, question, plain (see kaiju_answers; without it the answer is opaque)
phase          test, when, outcome, xfail, subtest, seconds, message
end            status, collected, begun
"""

import builtins
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

MAX_MESSAGE = 4000
"""Characters of one failure text."""
MAX_SECTION = 1000


class Reporter:
    """A pytest plugin. `tests` are (unit, ordinal) pairs to run, or None for all."""

    def __init__(self, channel: int, tests: list[list[Any]] | None, messages: bool) -> None:
        self.channel = channel
        self.selected = None if tests is None else {tuple(test) for test in tests}
        self.messages = messages
        self.process = os.getpid()
        self.keys: dict[pytest.Item, tuple[str, int]] = {}
        self.counts: dict[str, int] = {}
        self.numbers: dict[pytest.Item, int] = {}
        self.texts: dict[str, str] = {}
        self.current: pytest.Item | None = None
        self.begun = 0
        self.answers: Any = None

    def hear(self, answers: Any, key: type) -> None:  # noqa: ANN401 - of kaiju_answers
        """Let held-out files ask: they import nothing of ours."""
        self.answers = answers
        builtins.__kaiju_ask__, builtins.__kaiju_key__ = answers.ask, key

    def answered(self, **record: Any) -> None:  # noqa: ANN401 - any JSON
        if self.current is not None:
            self.write(event="answer", test=self.numbers.get(self.current, -1), **record)

    def write(self, **record: Any) -> None:  # noqa: ANN401 - any JSON
        if os.getpid() != self.process:
            return  # a child forked by a test that came back into the runner
        data = json.dumps(record).encode() + b"\n"
        while data:
            data = data[os.write(self.channel, data) :]

    def key(self, item: pytest.Item) -> tuple[str, int]:
        """(unit, ordinal): ordinals follow the order of definition, whatever reorders the items later."""
        if item not in self.keys:
            unit = unit_of(item)
            self.counts[unit] = self.counts.get(unit, -1) + 1
            self.keys[item] = (unit, self.counts[unit])
        return self.keys[item]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self) -> Iterator[None]:
        try:
            return (yield)
        except Exception as error:
            cause = getattr(error, "cause", None) or error
            self.write(event="collect_error", id="conftest.py", message=self.short(cause))
            raise

    def short(self, error: BaseException) -> str:
        return f"{type(error).__name__}: {error}"[:MAX_MESSAGE] if self.messages else ""

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self.key(item)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        yield
        for number, item in enumerate(items):
            unit, ordinal = self.key(item)
            self.numbers[item] = number
            self.write(event="collected", test=number, unit=unit, ordinal=ordinal, id=item.nodeid)
        if self.selected is not None:
            items[:] = [item for item in items if self.key(item) in self.selected]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(event="collect_error", id=report.nodeid, message=self.collect_text(report))
        elif report.skipped:
            self.write(event="collect_skip", id=report.nodeid, message=self.skip_text(report))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.current = item
        self.begun += 1
        self.answers.begin()
        self.write(event="begin", test=self.numbers.get(item, -1))
        try:
            return (yield)
        finally:
            self.current = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = yield
        if self.messages and report.failed and call.excinfo is not None:
            self.texts[report.when] = failure_text(call.excinfo, item)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        item = self.current
        known = item is not None and item.nodeid == report.nodeid
        self.write(
            event="phase",
            test=self.numbers.get(item, -1) if known else -1,
            when=report.when,
            outcome=report.outcome,
            xfail=hasattr(report, "wasxfail"),
            subtest=type(report) is not pytest.TestReport,
            seconds=round(report.duration, 4),
            message=self.phase_text(report),
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        result = yield
        self.write(event="end", status=int(session.exitstatus), collected=len(self.numbers), begun=self.begun)
        return result

    def phase_text(self, report: pytest.TestReport) -> str:
        text = self.texts.pop(report.when, None) if type(report) is pytest.TestReport else None
        if not self.messages or report.passed:
            return ""
        if report.skipped:
            return self.skip_text(report)
        crash = getattr(report.longrepr, "reprcrash", None)
        text = text or (crash.message if crash else str(report.longrepr)[-MAX_MESSAGE:])
        for title, content in report.sections:
            text += f"\n--- {title} ---\n{content[-MAX_SECTION:]}"
        return text[:MAX_MESSAGE]

    def skip_text(self, report: pytest.TestReport | pytest.CollectReport) -> str:
        longrepr = report.longrepr
        reason = longrepr[2] if isinstance(longrepr, tuple) else getattr(report, "wasxfail", "")
        return str(reason)[:MAX_MESSAGE] if self.messages else ""

    def collect_text(self, report: pytest.CollectReport) -> str:
        """Places and the error, without the source lines between them."""
        lines = str(report.longrepr).splitlines() if self.messages else []
        kept = [line for line in lines if line.startswith("E  ") or re.match(r"\S+:\d+: ", line)]
        return "\n".join(kept or lines[-1:])[-MAX_MESSAGE:]


def unit_of(item: pytest.Item) -> str:
    """The id without parameters: from the item itself, because an id cannot be cut safely as text."""
    name = getattr(item, "originalname", None)
    if getattr(item, "callspec", None) is None or not name:
        return item.nodeid
    return f"{item.parent.nodeid}::{name}"


def failure_text(excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> str:
    """What was raised and where, without source lines of the test."""
    lines = [excinfo.exconly(tryshort=True)]
    root = str(item.config.rootpath) + os.sep
    for entry in excinfo.traceback:
        path = str(entry.path)
        if path.startswith(root):
            lines.append(f"  at {path[len(root) :]}:{entry.lineno + 1} in {entry.name}")
    return "\n".join(lines)
