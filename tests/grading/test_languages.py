"""What holds for every language: one suite over all folders that exist."""

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, strategies
from hypothesis import settings as effort

from kaiju_grading import languages
from kaiju_grading.language import Level, TestRun
from kaiju_grading.outcome import Outcome
from kaiju_grading.report import LintStatus
from kaiju_grading.suite import Test
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

ENVIRONMENT = Environment("none", (), (), {}, {})
SOMETHING = strategies.binary(max_size=400) | strategies.sampled_from(
    [b"{}\n", b"[]", b"null\n", b'{"closed": 0}\n', b"\xff\xfe", b"0\n", b'""\n', b"[[[]]]\n", b'{"a":\n']
)
ANYTHING = effort(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
every_language = pytest.mark.parametrize("name", languages.names())


def ended(output: bytes, exit_code: int = 0) -> Result:
    """A command that wrote the same to all its channels."""
    return Result(
        exit_code=exit_code,
        signal=None,
        limit=None,
        stdout=output,
        stderr=output,
        stdout_size=len(output),
        stderr_size=len(output),
        report=output,
        kept=None,
        wall=0.1,
        cpu=0.1,
        memory=0,
        enforcement={},
    )


@every_language
def test_a_language_says_what_others_need_to_know_of_it(name: str) -> None:
    language = languages.get(name)
    assert language.id == name
    assert language.title.strip()
    assert language.purl_types
    assert language.build_files
    assert language.levels
    assert set(language.levels) <= set(get_args(Level))
    assert language.build_limits.wall > 0


@every_language
@pytest.mark.parametrize("path", ["src/.git/config", "src/a\n.x", "elsewhere/a.x", "src/.hidden"])
def test_what_is_outside_the_library_or_hidden_is_refused_with_a_reason(name: str, path: str) -> None:
    reason = languages.get(name).admits(path, ("src",))
    assert reason
    assert reason.strip()


@every_language
@ANYTHING
@given(output=SOMETHING)
def test_no_bytes_on_any_channel_pass_a_test_that_did_not_run(name: str, output: bytes) -> None:
    language = languages.get(name)
    tests = (Test("src/a.x::one", "src/a.x::one"), Test("src/a.x::two", "src/a.x::two"))
    run = TestRun({}, ENVIRONMENT, ("src/a.x",), tests)
    report = language.read_tests(run, ended(output))
    assert set(report.outcomes) == {test.id for test in tests}
    assert Outcome.PASSED not in report.outcomes.values()


@every_language
@ANYTHING
@given(output=SOMETHING)
def test_a_build_or_a_lint_that_did_not_end_well_is_never_taken_for_good(name: str, output: bytes) -> None:
    language = languages.get(name)
    assert not language.read_build(ended(output, exit_code=101), ("src/a.x",)).ok
    assert language.read_lint(ended(output, exit_code=101), ("src/a.x",)).status is not LintStatus.CLEAN


@every_language
def test_the_preparing_half_has_lines_for_the_doctor(name: str, settings: Settings) -> None:
    checks = languages.preparation(name).check(settings)
    assert all(check.name and check.detail for check in checks)
    assert all(check.ok or check.remedy for check in checks)
