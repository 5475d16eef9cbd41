"""The summary of a batch: counts that add up, and means that say of how many.

A reward that is not there is never a number: it is counted, and left out of the mean.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from kaiju_clients.records import Batch, Outcome, Record, StageRecord, Trial, TrialId
from kaiju_clients.results import STAGES, StageName

ALL = "all"
SAMPLES = (1, 2, 4, 8, 16, 32, 64, 128)
"""The k of pass@k that are worth a column."""


class Score(Record):
    """Means over verdicts of one isolation."""

    isolation: str | None
    """`attested`, `unattested`, None where the server does not say. Never mixed."""
    count: int = Field(ge=1)
    mean: float
    standard_error: float | None
    """Of the mean, over trials; None for a single one."""
    resolved: int
    pass_at: Mapping[int, float | None]
    """k to pass@k (all modules passed); None where some task has fewer than k verdicts."""


class Row(Record):
    """One stage of one language (or of all): requested = graded + agent_error + infra_error + not_run."""

    language: str
    stage: StageName
    requested: int
    graded: int
    agent_error: int
    infra_error: int
    not_run: int
    hidden: int
    """Of the graded: verdicts whose reward the server does not show."""
    scores: tuple[Score, ...]


class Summary(Record):
    """What `kaiju eval --json` and `kaiju report --json` print."""

    agent: str
    samples: int
    server: str
    tasks: tuple[str, ...]
    requested: int
    graded: int
    agent_error: int
    infra_error: int
    not_run: int
    missed: tuple[str, ...]
    """Trials whose agent promised another number of passed modules."""
    rows: tuple[Row, ...]
    trials: tuple[Trial, ...]

    @property
    def complete(self) -> bool:
        """Whether every requested trial has a verdict, and the one that its agent promised."""
        return self.graded == self.requested and not self.missed


def summarize(batch: Batch, found: Mapping[TrialId, Trial]) -> Summary:
    """Add up what was asked for and what there is."""
    ids = batch.trials()
    outcomes = [found[one].outcome if one in found else Outcome.NOT_RUN for one in ids]
    languages = sorted({one.language for one in ids})
    groups = [(language, [one for one in ids if one.language == language]) for language in languages]
    return Summary(
        agent=batch.agent,
        samples=batch.samples,
        server=batch.server,
        tasks=tuple(task_id for task_id, _ in batch.tasks),
        requested=len(ids),
        missed=tuple(one.text for one in ids if one in found and found[one].missed),
        rows=tuple(
            _row(language, stage, members, found)
            for language, members in [*groups, (ALL, ids)]
            for stage in STAGES
        ),
        trials=tuple(found[one] for one in ids if one in found),
        **{outcome.value: outcomes.count(outcome) for outcome in Outcome},
    )


def _row(language: str, stage: StageName, ids: Sequence[TrialId], found: Mapping[TrialId, Trial]) -> Row:
    verdicts: list[tuple[str, StageRecord]] = []
    counts = dict.fromkeys(Outcome, 0)
    for one in ids:
        record = _stage_of(found.get(one), stage)
        outcome = _stage_outcome(found.get(one), record)
        counts[outcome] += 1
        if outcome is Outcome.GRADED and record is not None:
            verdicts.append((one.task_id, record))
    return Row(
        language=language,
        stage=stage,
        requested=len(ids),
        hidden=sum(record.reward is None for _, record in verdicts),
        scores=_scores({one.task_id for one in ids}, verdicts),
        **{outcome.value: count for outcome, count in counts.items()},
    )


def _stage_of(trial: Trial | None, stage: StageName) -> StageRecord | None:
    return next((one for one in trial.stages if one.stage == stage), None) if trial else None


def _stage_outcome(trial: Trial | None, record: StageRecord | None) -> Outcome:
    """A stage that has a verdict is graded, whatever became of the trial; else the trial says why not."""
    if record is not None:
        return Outcome.GRADED if record.status in {"graded", "hidden"} else Outcome.INFRA_ERROR
    return trial.outcome if trial else Outcome.NOT_RUN


def _scores(tasks: Iterable[str], verdicts: Iterable[tuple[str, StageRecord]]) -> tuple[Score, ...]:
    groups: dict[str | None, dict[str, list[float]]] = {}
    for task_id, record in verdicts:
        if record.reward is not None:
            # Every task is in every group: one without a verdict must show in pass@k, not vanish from it.
            by_task = groups.setdefault(record.isolation, {task: [] for task in tasks})
            by_task[task_id].append(record.reward)
    return tuple(_score(isolation, groups[isolation]) for isolation in sorted(groups, key=str))


def _score(isolation: str | None, by_task: Mapping[str, list[float]]) -> Score:
    rewards = [reward for one in by_task.values() for reward in one]
    solved = {task_id: [reward == 1.0 for reward in one] for task_id, one in by_task.items()}
    most = max(map(len, by_task.values()))
    return Score(
        isolation=isolation,
        count=len(rewards),
        mean=math.fsum(rewards) / len(rewards),
        standard_error=standard_error(rewards),
        resolved=sum(map(sum, solved.values())),
        pass_at={k: mean_pass_at(k, solved) for k in SAMPLES if k <= most},
    )


def standard_error(values: Sequence[float]) -> float | None:
    """Of the mean; None when there are fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)


def mean_pass_at(k: int, by_task: Mapping[str, Sequence[bool]]) -> float | None:
    """pass@k, estimated per task and averaged over tasks; None when a task has fewer than k verdicts."""
    each = [pass_at(len(solved), sum(solved), k) for solved in by_task.values()]
    known = [value for value in each if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(each) else None


def pass_at(n: int, c: int, k: int) -> float | None:
    """Probability that one of k samples drawn from n solves the task, when c of the n do (unbiased).

    None when k is above n (or below 1): fewer samples do not say.
    """
    if not 1 <= k <= n:
        return None
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)
