"""What a person sees: progress while a batch runs, tables afterwards."""

from collections import Counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from kaiju_clients.records import Outcome, Trial, TrialId
from kaiju_clients.summary import ALL, Row, Score, Summary

NONE = "n/a"


class Display:
    """Progress on a console; one line a trial where it is no terminal."""

    def __init__(self, console: Console, total: int) -> None:
        self.console = console
        self.counts: Counter[str] = Counter()
        self.running = 0
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self.bar: TaskID = self.progress.add_task(self._words(), total=total)

    def began(self, trial_id: TrialId) -> None:
        self.running += 1
        self.progress.update(self.bar, description=self._words())

    def ended(self, trial_id: TrialId, trial: Trial | None) -> None:
        self.running -= 1
        outcome = trial.outcome if trial else Outcome.NOT_RUN
        self.counts[outcome.value] += 1
        self.progress.update(self.bar, advance=1, description=self._words())
        if trial is None or trial.outcome is not Outcome.GRADED or not self.console.is_terminal:
            self.console.print(_line(trial_id, trial), highlight=False, markup=False, soft_wrap=True)

    def _words(self) -> str:
        done = ", ".join(f"{self.counts[outcome.value]} {outcome.value}" for outcome in Outcome)
        return f"{self.running} running, {done}"


def _line(trial_id: TrialId, trial: Trial | None) -> str:
    if trial is None:
        return f"{trial_id.text}: not_run"
    rewards = " / ".join(_number(one.reward) for one in trial.stages)
    parts = [f"{trial_id.text}: {trial.outcome.value}", rewards, trial.detail]
    return ", ".join(part for part in parts if part) + f" ({trial.seconds:.1f} s)"


def show(console: Console, summary: Summary) -> None:
    """Print the table, then what was promised and not kept."""
    console.print(_table(summary))
    words = [f"{getattr(summary, outcome.value)} {outcome.value}" for outcome in Outcome]
    console.print(f"{summary.requested} requested = {' + '.join(words)}", highlight=False)
    for trial in summary.trials:
        if trial.outcome is not Outcome.GRADED:
            console.print(_line(trial.id, trial), highlight=False, markup=False, soft_wrap=True)
        if trial.missed:
            console.print(
                f"{trial.id.text}: expected {trial.expected_modules} passed modules at the last stage, "
                f"got {trial.stages[-1].modules_passed}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )


def _table(summary: Summary) -> Table:
    several = len({row.language for row in summary.rows}) > 2
    scores = [score for row in summary.rows for score in row.scores]
    ks = sorted({k for score in scores for k in score.pass_at})
    isolated = any(score.isolation is not None for score in scores)
    table = Table(box=SIMPLE_HEAD, title=_title(summary), title_justify="left", pad_edge=False)
    for heading in ("language", "stage"):
        table.add_column(heading, no_wrap=True)
    counts = ("requested", *(outcome.value.replace("_", "_\n") for outcome in Outcome))
    passes = [f"pass@{k}" for k in ks]
    for heading in (*counts, "mean reward", "of", *(["isolation"] if isolated else []), *passes):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in summary.rows:
        if row.language != ALL or several:
            _add(table, row, ks, isolated=isolated)
    return table


def _title(summary: Summary) -> Text:
    # Text, not str: a name with brackets is no markup.
    words = f"agent {summary.agent}, tasks {len(summary.tasks)}, samples {summary.samples}"
    return Text(words, style="table.title")


def _add(table: Table, row: Row, ks: list[int], *, isolated: bool) -> None:
    counts = [str(getattr(row, name)) for name in ("requested", *(outcome.value for outcome in Outcome))]
    first: list[Text | str] = [Text(row.language), row.stage, *counts]
    if not row.scores:
        table.add_row(*first, NONE, "0", *([""] if isolated else []), *[NONE for _ in ks])
    for score in row.scores:
        isolation = [Text(score.isolation or "")] if isolated else []
        table.add_row(
            *first, _mean(score), str(score.count), *isolation, *(_number(score.pass_at.get(k)) for k in ks)
        )
        first = ["" for _ in first]


def _mean(score: Score) -> str:
    error = "" if score.standard_error is None else f" ±{score.standard_error:.3f}"
    return f"{score.mean:.3f}{error}"


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"
