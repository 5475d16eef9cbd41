"""The numbers of a summary."""

import pytest

from kaiju_clients.records import Batch, Outcome, StageRecord, Trial, TrialId
from kaiju_clients.results import STAGES
from kaiju_clients.summary import Row, Summary, pass_at, standard_error, summarize


def trial(one: TrialId, rewards: list[float | None], outcome: Outcome, isolation: str | None = None) -> Trial:
    stages = tuple(
        StageRecord(
            stage=stage,
            status="infra_error" if reward is None else "graded",
            reward=reward,
            isolation=isolation,
        )
        for stage, reward in zip(STAGES, rewards, strict=False)
    )
    return Trial(
        id=one,
        agent="a",
        outcome=outcome,
        stages=stages,
        started_at="2026-01-01T00:00:00",
        seconds=1,
        calls=9,
    )


def batch(*tasks: tuple[str, str], samples: int = 1) -> Batch:
    return Batch(agent="a", samples=samples, server="stdio", tasks=tasks)


def row(summary: Summary, language: str, stage: str) -> Row:
    return next(row for row in summary.rows if (row.language, row.stage) == (language, stage))


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(5, 0, 5, 0.0), (5, 1, 5, 1.0), (5, 2, 1, 0.4), (10, 3, 5, 0.916667), (1, 1, 1, 1.0)],
)
def test_pass_at_k_is_the_unbiased_estimate(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at(n, c, k) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("n", "c", "k"), [(2, 0, 5), (0, 0, 1), (3, 3, 0)])
def test_pass_at_k_has_no_value_with_fewer_samples_than_k(n: int, c: int, k: int) -> None:
    assert pass_at(n, c, k) is None


def test_a_standard_error_needs_two_values() -> None:
    assert standard_error([0.5]) is None
    assert standard_error([0.0, 1.0]) == pytest.approx(0.5)


def test_a_missing_reward_is_counted_and_is_no_number() -> None:
    wanted = batch(("x", "python"), samples=4)
    one, two, three, _ = wanted.trials()
    summary = summarize(
        wanted,
        {
            one: trial(one, [1.0, 1.0, 1.0], Outcome.GRADED),
            two: trial(two, [0.0, 0.0, None], Outcome.INFRA_ERROR),
            three: trial(three, [0.5], Outcome.AGENT_ERROR),
        },
    )
    last = row(summary, "python", "test")
    assert (last.requested, last.graded, last.agent_error, last.infra_error, last.not_run) == (4, 1, 1, 1, 1)
    assert [(score.mean, score.count) for score in last.scores] == [(1.0, 1)]
    draft = row(summary, "python", "draft")
    assert (draft.graded, draft.not_run, draft.scores[0].mean) == (3, 1, 0.5)
    assert (summary.graded, summary.agent_error, summary.infra_error, summary.not_run) == (1, 1, 1, 1)


def test_no_verdict_at_all_has_no_mean() -> None:
    summary = summarize(batch(("x", "python")), {})
    assert all(not row.scores and row.not_run == row.requested == 1 for row in summary.rows)


def test_the_rows_of_languages_add_up_to_all() -> None:
    wanted = batch(("x", "python"), ("y", "go"), ("z", "go"), samples=2)
    ids = wanted.trials()
    found = {one: trial(one, [0.0, 0.5, 1.0], Outcome.GRADED) for one in ids[:4]}
    summary = summarize(wanted, found)
    for stage in STAGES:
        parts = [row(summary, language, stage) for language in ("go", "python")]
        whole = row(summary, "all", stage)
        for name in ("requested", "graded", "agent_error", "infra_error", "not_run"):
            assert sum(getattr(part, name) for part in parts) == getattr(whole, name)


def test_attested_and_unattested_verdicts_are_never_averaged_together() -> None:
    wanted = batch(("x", "python"), samples=2)
    one, two = wanted.trials()
    found = {
        one: trial(one, [1.0] * 3, Outcome.GRADED, "attested"),
        two: trial(two, [0.0] * 3, Outcome.GRADED, "unattested"),
    }
    scores = row(summarize(wanted, found), "python", "test").scores
    assert [(score.isolation, score.mean, score.count) for score in scores] == [
        ("attested", 1.0, 1),
        ("unattested", 0.0, 1),
    ]


def test_a_task_without_a_verdict_leaves_pass_at_k_without_a_value() -> None:
    wanted = batch(("x", "python"), ("y", "python"))
    one = wanted.trials()[0]
    summary = summarize(wanted, {one: trial(one, [1.0] * 3, Outcome.GRADED)})
    assert row(summary, "python", "test").scores[0].pass_at == {1: None}


def test_resolved_means_every_module() -> None:
    wanted = batch(("x", "python"), samples=2)
    found = {
        one: trial(one, [0.99] * 3 if one.sample == 1 else [1.0] * 3, Outcome.GRADED)
        for one in wanted.trials()
    }
    score = row(summarize(wanted, found), "python", "test").scores[0]
    assert (score.resolved, score.pass_at) == (1, {1: 0.5, 2: 1.0})


def test_a_broken_promise_is_named() -> None:
    wanted = batch(("x", "python"))
    one = wanted.trials()[0]
    stages = (StageRecord(stage="test", status="graded", reward=0.5, modules_passed=2, modules_total=4),)
    played = trial(one, [], Outcome.GRADED).model_copy(update={"stages": stages, "expected_modules": 3})
    summary = summarize(wanted, {one: played})
    assert summary.missed == ("x.1",)
    assert not summary.complete
