"""From module verdicts to numbers."""

import itertools

import pytest

from kaiju_grading.grade import ModuleGrade, ModuleVerdict
from kaiju_grading.reward import pass_rate, score


def a_module(verdict: ModuleVerdict, real_run: int = 0, real_passed: int = 0) -> ModuleGrade:
    return ModuleGrade(
        name="m",
        verdict=verdict,
        tests=9,
        passed=0,
        seconds=0,
        real_run=real_run,
        real_passed=real_passed,
    )


def test_the_reward_is_modules_passed_over_modules_and_no_other_verdict_is_paid() -> None:
    for count in (1, 2, 3):
        for verdicts in itertools.product(ModuleVerdict, repeat=count):
            earned = score([a_module(verdict) for verdict in verdicts], believed=True)
            assert earned.reward == verdicts.count(ModuleVerdict.PASSED) / count
            assert earned.modules_total == count


def test_nothing_is_paid_when_results_are_not_believed() -> None:
    earned = score([a_module(ModuleVerdict.PASSED)] * 3, believed=False)
    assert (earned.reward, earned.modules_passed, earned.modules_total) == (0.0, 0, 3)


def test_no_modules_are_no_reward_but_an_error() -> None:
    with pytest.raises(ValueError, match="modules: got none"):
        score([], believed=True)


def test_the_pass_rate_counts_slots_and_is_absent_when_none_ran() -> None:
    modules = [a_module(ModuleVerdict.PASSED, 3, 3), a_module(ModuleVerdict.FAILED, 5, 1)]
    rate = pass_rate(iter(modules))
    assert (rate.passed, rate.measured, rate.rate) == (4, 8, 0.5)
    assert pass_rate([a_module(ModuleVerdict.BUILD_FAILED)]).rate is None
