"""The service: everything alive while a server runs, and the rules of an episode's stages."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass

import anyio
import anyio.to_thread
import structlog
from anyio.abc import TaskGroup

from kaiju_grading.stage import Stage
from kaiju_sandbox.leftovers import Owner
from kaiju_server.background import contained
from kaiju_server.blobs import Blobs
from kaiju_server.caller import Caller
from kaiju_server.catalogue import Catalogue, ViewStore
from kaiju_server.database import Database
from kaiju_server.episode import Episode, State
from kaiju_server.episodes import Episodes
from kaiju_server.errors import StageEnded, WrongStage, shown
from kaiju_server.gradings import Gradings
from kaiju_server.ground import Ground
from kaiju_server.judge import Judge, TaskKey
from kaiju_server.log import grader_log
from kaiju_server.private import private_folder
from kaiju_server.runs import Runs
from kaiju_server.settings import ServerSettings
from kaiju_server.submissions import Reason, Submissions, Submitted

TICK_SECONDS = 1.0
"""Counters and time budgets are at most so late."""
ADOPT_SECONDS = 30.0
"""How often the work of servers that died beside this one is looked for."""
LINT_TOOL = "run_lint"
VISIBLE_TOOL = "run_tests_visible"
OPENED_BY = {LINT_TOOL: Stage.LINT, VISIBLE_TOOL: Stage.TEST}
"""The stage from which on a tool may be used; tools that are not here are there from the first."""

log = structlog.get_logger("kaiju.service")


@dataclass(frozen=True, slots=True)
class Service:
    settings: ServerSettings
    judge: Judge
    catalogue: Catalogue
    episodes: Episodes
    runs: Runs
    submissions: Submissions
    gradings: Gradings
    tasks: TaskGroup
    """Background work; cancelled when the server stops."""

    async def start(self, caller: Caller, task_id: str) -> Episode:
        """Open an episode of a task that can be graded here."""
        view = await self.catalogue.view(task_id)
        await self.judge.prepare(TaskKey(view.id, view.digest))
        with anyio.CancelScope(shield=True):
            episode = await self.episodes.open(caller, view)
        self.tasks.start_soon(self._warm, episode.row.task)
        log.info("episode opened", episode=episode.id, task=task_id)
        return episode

    async def _warm(self, task: TaskKey) -> None:
        with contained("warming", task=task.id):
            await self.judge.warm(task)

    @asynccontextmanager
    async def work(self, caller: Caller, tool: str, episode_id: str | None) -> AsyncIterator[Episode]:
        """One counted call of a work tool; no other call works on the episode meanwhile."""
        episode = await self.episodes.find(caller, episode_id)
        async with episode.lock:
            await self.episodes.refresh(episode)
            _check_open(episode)
            _check_stage(episode, tool)
            await self.episodes.lower(episode, caller)
            spent = self._spent(episode, tool)
            if spent is not None:
                ended = episode.row.stage
                await self._submit(episode, spent)
                raise StageEnded(_ended(ended, spent, episode))
            episode.charge(time.time(), calls=1)
            yield episode

    async def submit(self, caller: Caller, stage: Stage, episode_id: str | None) -> tuple[Episode, Submitted]:
        """Submit the open stage, or answer again for one that was submitted before."""
        episode = await self.episodes.find(caller, episode_id)
        async with episode.lock:
            await self.episodes.refresh(episode)
            before = await self.submissions.find(episode.id, stage)
            if before is not None:
                return episode, before
            _check_open(episode)
            if stage is not episode.row.stage:
                raise WrongStage(
                    f"argument 'stage': {shown(stage.value)} is not open; the open stage is "
                    f"{episode.row.stage.value!r}"
                )
            await self.episodes.lower(episode, caller)
            return episode, await self._submit(episode, Reason.AGENT)

    async def abandon(self, caller: Caller, episode_id: str | None) -> Episode:
        """End an episode without submitting its open stage; what was submitted is graded all the same."""
        episode = await self.episodes.find(caller, episode_id)
        async with episode.lock:
            await self.episodes.refresh(episode)
            if episode.row.open:
                with anyio.CancelScope(shield=True):
                    await self.episodes.flush()
                    await self.episodes.end(episode, State.ABANDONED)
                self.runs.cancel(episode)
                log.info("episode abandoned", episode=episode.id)
        return episode

    async def run(self) -> None:
        """Watch the clock, and pick up what servers that die have left, until cancelled."""
        with contained("sweep"):
            await self.judge.sweep()
        adopted = anyio.current_time()
        while True:
            if anyio.current_time() - adopted >= ADOPT_SECONDS:
                adopted = anyio.current_time()
                with contained("adoption"):
                    await self.adopt()
            await self.tick(time.time())
            await anyio.sleep(TICK_SECONDS)

    async def adopt(self) -> None:
        await self.episodes.adopt()
        await self.runs.sweep()
        await self.gradings.resume()

    async def tick(self, now: float) -> None:
        """Write counters, expire what nobody uses, submit stages whose time is up."""
        with contained("flush"):
            await self.episodes.flush()
        for episode in self.episodes.stale(now):
            with contained("expiry", episode=episode.id):
                await self._expire(episode)
        for episode in self.episodes.due(now):
            with contained("end of time", episode=episode.id):
                await self._time_up(episode)

    async def _expire(self, episode: Episode) -> None:
        async with episode.lock:
            await self.episodes.end(episode, State.EXPIRED)
        self.runs.cancel(episode)
        log.info("episode expired", episode=episode.id)

    async def _time_up(self, episode: Episode) -> None:
        async with episode.lock:
            await self.episodes.refresh(episode)
            if not episode.row.open:
                await self.episodes.forget(episode)
            elif episode.budget(self.settings, time.time()).seconds_left <= 0:
                await self._submit(episode, Reason.SECONDS)

    async def _submit(self, episode: Episode, reason: Reason) -> Submitted:
        """Make the submission durable, open the next stage, begin to grade. Never stopped half-way."""
        with anyio.CancelScope(shield=True):
            await self.episodes.flush()
            submitted = await self.submissions.take(episode, reason)
            self.gradings.start(submitted)
            await self.episodes.refresh(episode)
            if not episode.row.open:
                self.runs.cancel(episode)
                await self.episodes.forget(episode)
        log.info("submitted", episode=episode.id, stage=submitted.stage, reason=reason, run=submitted.run_id)
        return submitted

    def _spent(self, episode: Episode, tool: str) -> Reason | None:
        left = episode.budget(self.settings, time.time())
        if left.seconds_left <= 0:
            return Reason.SECONDS
        if left.calls_left <= 0:
            return Reason.CALLS
        if tool == VISIBLE_TOOL and left.visible_runs_left <= 0:
            return Reason.VISIBLE_RUNS
        return None


@asynccontextmanager
async def open_service(settings: ServerSettings, store: ViewStore, judge: Judge) -> AsyncIterator[Service]:
    """Run a service; on the way out background work is stopped and counters are written."""
    for folder in (settings.store_dir, settings.episodes_dir, settings.blobs_dir):
        private_folder(folder)
    with grader_log(settings.grader_log), closing(Database(settings.database_url)) as database:
        await anyio.to_thread.run_sync(database.create)
        async with anyio.create_task_group() as tasks:
            ground = Ground(settings, database, judge, Owner.current().label, tasks)
            service = _service(ground, store)
            await service.episodes.sweep()
            await service.adopt()
            tasks.start_soon(service.run)
            try:
                yield service
            finally:
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True), contained("last flush"):
                    await service.episodes.flush()


def _service(ground: Ground, store: ViewStore) -> Service:
    episodes = Episodes(ground)
    runs = Runs(ground)
    submissions = Submissions(ground, Blobs(ground.settings.blobs_dir, ground.settings.disk_reserve // 2))
    gradings = Gradings(ground, episodes, submissions, runs)
    return Service(
        ground.settings,
        ground.judge,
        Catalogue(store),
        episodes,
        runs,
        submissions,
        gradings,
        ground.tasks,
    )


def _check_open(episode: Episode) -> None:
    if not episode.row.open:
        raise WrongStage(f"episode {episode.id} is {episode.row.state.value}; start_task opens another")


def _check_stage(episode: Episode, tool: str) -> None:
    opener = OPENED_BY.get(tool)
    order = list(Stage)
    if opener is not None and order.index(episode.row.stage) < order.index(opener):
        raise WrongStage(
            f"{tool} opens with stage {opener.value!r}; the open stage is {episode.row.stage.value!r}: "
            f"submit(stage={episode.row.stage.value!r}) goes on to the next"
        )


def _ended(stage: Stage, reason: Reason, episode: Episode) -> str:
    budget = reason.value.replace("_", " ")
    now = f"stage {episode.row.stage.value!r} is open" if episode.row.open else "the episode is closed"
    return f"stage {stage.value!r} used up its {budget} and was submitted as it stood; {now}"
