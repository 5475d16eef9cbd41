"""A batch: the trials that are missing, so many at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from signal import SIGINT, SIGTERM, Signals

import anyio
from anyio.abc import TaskGroup

from kaiju_clients import trial
from kaiju_clients.records import Folder, Outcome, Trial, TrialId

GRACE_S = 15.0
"""From an interrupt until connections that do not end by themselves are cut."""


@dataclass(slots=True)
class Stop:
    """An interrupt: trials that play are abandoned, trials that wait stay unplayed."""

    signal: Signals | None = None
    scopes: set[anyio.CancelScope] = field(default_factory=set)

    def now(self, signal: Signals) -> None:
        self.signal = signal
        for scope in self.scopes:
            scope.cancel()


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told what happens."""

    began: Callable[[TrialId], None] = lambda _: None
    ended: Callable[[TrialId, Trial | None], None] = lambda _id, _trial: None


def missing(ids: tuple[TrialId, ...], found: dict[TrialId, Trial]) -> tuple[TrialId, ...]:
    """The trials to run: those without a verdict."""
    return tuple(one for one in ids if one not in found or found[one].outcome is not Outcome.GRADED)


async def run(setting: trial.Setting, folder: Folder, todo: tuple[TrialId, ...], concurrency: int,
              watch: Watch) -> Stop:  # fmt: skip
    """Play these trials and save each as soon as it has ended. An interrupt ends it early, cleanly."""
    stop, queue = Stop(), iter(todo)
    async with anyio.create_task_group() as group:
        group.start_soon(_interrupts, stop, group)
        async with anyio.create_task_group() as workers:
            for _ in range(min(concurrency, len(todo))):
                workers.start_soon(_work, setting, folder, queue, stop, watch)
        group.cancel_scope.cancel()
    return stop


async def _work(setting: trial.Setting, folder: Folder, queue: Iterator[TrialId], stop: Stop,
                watch: Watch) -> None:  # fmt: skip
    for trial_id in queue:
        if stop.signal is not None:
            return
        scope = anyio.CancelScope()
        stop.scopes.add(scope)
        watch.began(trial_id)
        log = folder.log(trial_id)
        record = await trial.play(setting, trial_id, log, scope)
        if log.exists() and not log.stat().st_size:
            log.unlink()
        stop.scopes.discard(scope)
        if record is not None:
            folder.save(record)
        watch.ended(trial_id, record)


async def _interrupts(stop: Stop, group: TaskGroup) -> None:
    """The first interrupt stops in order; a second one, or the end of the grace, cuts every connection."""
    with anyio.open_signal_receiver(SIGINT, SIGTERM) as signals:
        async for signal in signals:
            if stop.signal is not None:
                group.cancel_scope.cancel()
                return
            stop.now(Signals(signal))
            group.start_soon(_grace, group)


async def _grace(group: TaskGroup) -> None:
    await anyio.sleep(GRACE_S)
    group.cancel_scope.cancel()
