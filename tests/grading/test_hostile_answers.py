"""Answers of builds and linters under hostile input, in every language: nothing unfinished is a good build or
a clean lint."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.grading.channels import ENVIRONMENT, lines, result
from tests.grading.test_hostile_reports import VALUES, soiled

from kaiju_grading import languages
from kaiju_grading.language import Library
from kaiju_grading.own_build import BuildsItself, OwnBuild
from kaiju_grading.readers import cargo
from kaiju_grading.report import BuildReport, LintReport, LintStatus
from kaiju_grading.steps import Steps
from kaiju_sandbox.limits import LimitName
from kaiju_sandbox.result import Result


@dataclass(frozen=True, slots=True)
class Answers:
    """What the tools of a language answer about two files, one of which has a finding."""

    language: str
    paths: tuple[str, str]
    clean: bytes
    findings: bytes
    built: bytes
    broken: bytes

    def lint(self, answer: Result) -> LintReport:
        return languages.get(self.language).read_lint(answer, self.paths)

    def build(self, answer: Result) -> BuildReport:
        return languages.get(self.language).read_build(answer, self.paths)


def _python() -> Answers:
    def lint(*found: object) -> bytes:
        return lines(
            {"event": "large", "paths": [], "limit": 9},
            {"event": "files", "files": 2, "status": 0},
            {"event": "check", "status": 0, "findings": list(found)},
            {"event": "format", "status": 0, "findings": []},
            {"event": "end"},
        )

    place = {"row": 1, "column": 8}
    finding = {"filename": "/kaiju/work/a.py", "location": place, "code": "F401", "name": "x", "message": "m"}
    begun = [{"event": "begin", "file": 0}, {"event": "begin", "file": 1}]
    problem = {"event": "problem", "file": 1, "line": 1, "column": 2, "message": "invalid syntax"}
    end = {"event": "end", "files": 2}
    return Answers(
        "python", ("a.py", "b.py"), lint(), lint(finding), lines(*begun, end), lines(*begun, problem, end)
    )


def _go() -> Answers:
    problem = {"path": "a.go", "line": 1, "column": 2, "rule": "S1002", "message": "m", "severity": "warning"}
    return Answers(
        "go",
        ("a.go", "b.go"),
        lines({"files": 2, "problems": [], "failed": ""}),
        lines({"files": 2, "problems": [problem], "failed": ""}),
        lines({"ok": True, "problems": []}),
        lines({"ok": False, "said": "no", "problems": [problem]}),
    )


def message(level: str = "warning", path: str = "src/a.rs", text: str = "m") -> dict[str, object]:
    """A record of cargo."""
    span = {"file_name": path, "line_start": 1, "column_start": 2, "is_primary": True, "expansion": None}
    code = {"code": "clippy::bool_comparison", "explanation": None}
    told = {"level": level, "code": code, "message": text, "rendered": text, "spans": [span]}
    child = {
        "level": "help",
        "code": None,
        "message": "try",
        "rendered": None,
        "spans": [span],
        "children": [],
    }
    target = {"kind": ["lib"], "name": "toy"}
    return {"reason": "compiler-message", "target": target, "message": {**told, "children": [child]}}


def rust_lint(
    *messages: object, success: bool = True, statuses: Sequence[object] = (0, 0), end: object = 0
) -> bytes:
    return lines(
        *[one for one in messages if isinstance(one, dict)],
        {"reason": "build-finished", "success": success},
    ) + b"".join(
        json.dumps({"reason": reason, **more}, separators=(",", ":")).encode() + b"\n"
        for reason, more in (
            ("kaiju-clippy", {"status": end}),
            *(("kaiju-rustfmt", {"status": status, "differs": int(status == 1)}) for status in statuses),
        )
    )


def _rust() -> Answers:
    finished = {"reason": "build-finished", "success": True}
    artifact = {"reason": "compiler-artifact", "target": {"kind": ["lib"], "name": "toy"}, "profile": {}}
    return Answers(
        "rust",
        ("src/a.rs", "src/b.rs"),
        rust_lint(),
        rust_lint(message()),
        lines(artifact, finished),
        lines(message("error"), {**finished, "success": False}),
    )


ANSWERS = (_python(), _go(), _rust())
EVERY = pytest.mark.parametrize("answers", ANSWERS, ids=lambda answers: answers.language)
PARTS = st.sampled_from(["clean", "findings", "built", "broken"])


@EVERY
def test_whole_answers_are_clean_or_findings_good_or_broken(answers: Answers) -> None:
    clean, findings = answers.lint(result(answers.clean)), answers.lint(result(answers.findings))

    assert (clean.status, clean.problems, clean.files) == (LintStatus.CLEAN, (), 2)
    assert (findings.status, findings.files) == (LintStatus.FINDINGS, 2)
    assert [problem.path for problem in findings.problems] == [answers.paths[0]]
    assert answers.build(result(answers.built)) == BuildReport(ok=True)
    assert not answers.build(result(answers.broken, 1)).ok


@EVERY
def test_an_answer_cut_at_any_byte_is_neither_clean_nor_good(answers: Answers) -> None:
    for whole in (answers.clean, answers.findings):
        for end in range(whole.rindex(b"}") + 1):
            assert answers.lint(result(whole[:end])).status is LintStatus.COULD_NOT_LINT
    for end in range(answers.built.rindex(b"}") + 1):
        assert not answers.build(result(answers.built[:end])).ok


@EVERY
@pytest.mark.parametrize("limit", LimitName)
def test_a_linter_that_reached_a_limit_could_not_lint(answers: Answers, limit: LimitName) -> None:
    """G03: a linter's deadline passed, nothing had been looked at, and the gate said clean."""
    report = answers.lint(result(answers.clean, 0, limit))

    assert report.status is LintStatus.COULD_NOT_LINT
    assert str(limit) in report.cause
    assert not answers.build(result(answers.built, 0, limit)).ok


@EVERY
@pytest.mark.parametrize("status", [1, 2, 4, 101, 126, 127, 137, None])
def test_a_linter_that_said_nothing_could_not_lint_whatever_its_status(
    answers: Answers, status: int | None
) -> None:
    """G03, G05, G07: missing, crashed, ended by a bad setting."""
    for said in (b"", b"error: something\n", answers.clean[:20]):
        report = answers.lint(result(said, status))
        assert report.status is LintStatus.COULD_NOT_LINT
        assert report.cause
        assert not answers.build(result(said, status)).ok


@EVERY
def test_no_file_to_look_at_is_no_clean_lint(answers: Answers) -> None:
    """G01: "All checks passed!" over nothing."""
    language = languages.get(answers.language)
    for paths in ((), ("README.md", "data.json"), (*answers.paths, f"c{answers.paths[0][1:]}")):
        assert language.read_lint(result(answers.clean), paths).status is LintStatus.COULD_NOT_LINT


@EVERY
@given(data=st.binary(max_size=300), status=st.sampled_from([0, 0, 1, 101, None]))
@settings(max_examples=100, deadline=None)
def test_random_bytes_are_neither_clean_nor_good(answers: Answers, data: bytes, status: int | None) -> None:
    assert answers.lint(result(data, status)).status is LintStatus.COULD_NOT_LINT
    assert not answers.build(result(data, status)).ok


@EVERY
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value[:12]))
def test_any_field_of_an_answer_may_hold_any_value(answers: Answers, value: bytes) -> None:
    for whole in (answers.clean, answers.findings, answers.built, answers.broken):
        answer = whole.splitlines()
        for place, line in enumerate(answer):
            for field in range(len(json.loads(line))):
                soil = soiled(line, field, value)
                data = result(b"\n".join([*answer[:place], soil, *answer[place + 1 :], b""]))
                texts = [*answers.lint(data).problems, *answers.build(data).problems]
                "".join(f"{one.path}{one.rule}{one.message}{one.severity}" for one in texts).encode()
                assert all(one.path in {"", *answers.paths} for one in texts)


IN_MESSAGE = b'{"reason":"compiler-message","message":{%s}}\n'
IN_ARTIFACT = b'{"reason":"compiler-artifact",%s}\n'
PLACES = [
    *(IN_ARTIFACT % place for place in (b'"target":@', b'"target":{"kind":@}', b'"target":{"kind":[@]}')),
    *(IN_ARTIFACT % place for place in (b'"target":{},"profile":@', b'"target":{},"executable":@')),
    *(IN_MESSAGE % place for place in (b'"spans":@', b'"spans":[@]', b'"spans":[{"expansion":@}]')),
    *(IN_MESSAGE % place for place in (b'"spans":[{"file_name":@,"line_start":@}]', b'"children":[@]')),
    *(IN_MESSAGE % (b'"%s":@' % name) for name in (b"children", b"code", b"level", b"message", b"rendered")),
]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_record_of_cargo_may_have_any_value_anywhere(place: bytes) -> None:
    for value in VALUES:
        report = cargo.read(place.replace(b"@", value))
        for one in report.messages:
            cargo.problem(one, frozenset({""}))


def test_macros_within_macros_have_places_without_end() -> None:
    deep = b'{"file_name":"a.rs","expansion":{"span":' * 300 + b"null" + b"}}" * 300
    report = cargo.read(b'{"reason":"compiler-message","message":{"spans":[' + deep + b"]}}\n")

    assert len(report.messages[0].places) == 300


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (rust_lint(statuses=(0, 127)), LintStatus.COULD_NOT_LINT, "rustfmt ended with status 127"),
        (rust_lint(statuses=(101, 0)), LintStatus.COULD_NOT_LINT, "rustfmt ended with status 101"),
        (rust_lint(statuses=(0, 1.0)), LintStatus.COULD_NOT_LINT, "rustfmt"),
        (rust_lint(statuses=(0,)), LintStatus.COULD_NOT_LINT, "1 of 2 files"),
        (rust_lint(success=False), LintStatus.COULD_NOT_LINT, "clippy could not check"),
        (
            rust_lint(message("error", "/elsewhere.rs", "no memory"), success=False),
            LintStatus.COULD_NOT_LINT,
            "no memory",
        ),
        (
            rust_lint(message("error: internal compiler error"), success=False),
            LintStatus.COULD_NOT_LINT,
            "clippy crashed",
        ),
        (rust_lint(message("error"), success=False), LintStatus.FINDINGS, ""),
    ],
)  # fmt: skip
def test_a_crash_of_clippy_or_rustfmt_is_no_clean_lint(answer: bytes, status: LintStatus, words: str) -> None:
    report = languages.get("rust").read_lint(result(answer), ("src/a.rs", "src/b.rs"))

    assert report.status is status
    assert words in report.cause


@pytest.mark.parametrize(
    "record",
    [
        {"event": "format", "status": 2, "findings": []},
        {"event": "format", "status": -9, "findings": []},
        {"event": "check", "status": 2, "findings": []},
        {"event": "check", "status": 0, "findings": None},
        {"event": "check", "status": 0, "findings": [{"filename": "/elsewhere.py", "message": "m"}]},
        {"event": "large", "paths": ["/elsewhere.py"], "limit": 9},
        {"event": "files", "files": 1, "status": 0},
        {"event": "files", "files": 2, "status": 2},
    ],
)
def test_a_crash_of_ruff_is_no_clean_lint(record: dict[str, object]) -> None:
    python = ANSWERS[0]
    whole = [json.loads(line) for line in python.clean.splitlines()]
    answer = lines(*(record if one["event"] == record["event"] else one for one in whole))

    assert python.lint(result(answer)).status is LintStatus.COULD_NOT_LINT


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"files": 2, "problems": None, "failed": ""},
        {"files": 2, "problems": []},
        {"files": 1, "problems": [], "failed": ""},
        {"files": 2, "problems": [], "failed": "go vet: panic"},
        {"files": 2, "problems": [], "failed": ["x"]},
    ],
)
def test_linters_of_go_that_did_not_finish_are_no_clean_lint(answer: dict[str, object]) -> None:
    report = ANSWERS[1].lint(result(lines(answer)))

    assert report.status is LintStatus.COULD_NOT_LINT
    assert report.cause


def answered(steps: Steps[OwnBuild], answer: Result) -> OwnBuild | None:
    """What comes of the steps when the first gives this answer; None when they ask for more."""
    next(steps)
    try:
        steps.send(answer)
    except StopIteration as ended:
        outcome: OwnBuild = ended.value
        return outcome
    return None


@pytest.mark.parametrize("name", ["python", "go"])
@given(data=st.binary(max_size=200) | st.sampled_from([value + b"\n" for value in VALUES]))
@settings(max_examples=60, deadline=None)
def test_an_own_build_says_what_came_of_it_whatever_was_answered(name: str, data: bytes) -> None:
    programs = dict.fromkeys(("python", "kaijugo"), "/none")
    tree = Library({}, (), replace(ENVIRONMENT, programs=programs))
    fields = b'{"outcome":@,"cause":@,"ok":@,"said":@}'.replace(b"@", data.strip())
    for answer in (data, fields):
        for status in (0, 101):
            outcome = answered(languages.get(name).own_build(tree), result(answer, status))
            assert outcome is not None
            assert (outcome.outcome is BuildsItself.YES) <= (status == 0)
