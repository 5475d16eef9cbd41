"""Gradings: from a durable submission to a durable grade, beside the agent's work and across restarts."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
import sqlalchemy as sa
import structlog
from sqlalchemy import Connection

from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.own_build import not_measured
from kaiju_grading.strength import ENOUGH
from kaiju_grading.submission import Submission
from kaiju_server.background import contained
from kaiju_server.database import grades
from kaiju_server.episode import Episode
from kaiju_server.episodes import Episodes
from kaiju_server.ground import Ground, orphaned
from kaiju_server.judge import Handed, TaskKey
from kaiju_server.log import GRADER
from kaiju_server.runs import Runs, finish_run
from kaiju_server.settings import MIB
from kaiju_server.share import Shares
from kaiju_server.submissions import PENDING, Submissions, Submitted

ATTEMPTS = 2
"""Faults of ours in a row before the grade is an infra_error."""
STARTS = 5
"""Times that a grading may begin: one that brings the server down is not repeated for ever."""
GRADED_BYTES = 256 * MIB
"""Of submissions of one subject that are graded at once; the others wait on the disk."""
RETRY_SECONDS = 10.0
"""Pause after a grade could not be stored."""

grader_log = structlog.get_logger(GRADER)
log = structlog.get_logger("kaiju.gradings")


class Gradings:
    def __init__(self, ground: Ground, episodes: Episodes, submissions: Submissions, runs: Runs) -> None:
        self._ground = ground
        self._episodes = episodes
        self._submissions = submissions
        self._runs = runs
        self._memory = Shares(GRADED_BYTES)
        self.faults = 0
        """Gradings here that ended in a fault of ours, or whose submission broke what grades it."""

    def start(self, submitted: Submitted) -> None:
        """Grade in the background. The submission must be durable."""
        self._runs.watch(submitted.run_id, submitted.episode_id)
        self._ground.tasks.start_soon(self._grade, submitted)

    async def resume(self) -> None:
        """Go on with what servers that died have left."""
        for submitted, owner in await self._submissions.pending():
            if orphaned(owner) and await self._claim(submitted, owner):
                log.info("grading resumed", run=submitted.run_id)
                self.start(submitted)

    async def _claim(self, submitted: Submitted, owner: str) -> bool:
        """Of several servers that see the same orphan, one gets it."""
        statement = (
            sa.update(grades)
            .where(grades.c.submission_id == submitted.id, grades.c.owner == owner)
            .values(owner=self._ground.owner)
        )
        taken = await self._ground.database.write(lambda connection: connection.execute(statement).rowcount)
        return taken == 1

    async def _grade(self, submitted: Submitted) -> None:
        """Until a grade is stored: a store that fails for a while loses no verdict."""
        stored = False
        while not stored:
            with contained("grading", run=submitted.run_id):
                await self._grade_once(submitted)
                stored = True
            if not stored:
                await anyio.sleep(RETRY_SECONDS)
        self._runs.done(submitted.run_id)
        log.info("graded", run=submitted.run_id, episode=submitted.episode_id, stage=submitted.stage)
        if submitted.stage.next is None and self._ground.settings.second_opinions:
            with contained("second opinions", run=submitted.run_id):
                await self._second_opinions(submitted)

    async def _grade_once(self, submitted: Submitted) -> None:
        episode = await self._episodes.load(submitted.episode_id)
        async with episode.sandbox:
            grade = await self._earlier(submitted) or await self._judged(episode, submitted)
            grade = await self._own_build(episode, submitted, grade)
            with anyio.CancelScope(shield=True):
                await self._store(submitted, grade)

    async def _earlier(self, submitted: Submitted) -> Grade | None:
        """The grade of the same files at an earlier stage of this episode, marked as reused."""
        for other in await self._submissions.of(submitted.episode_id):
            if not other.graded or other.digest != submitted.digest or other.grade is None:
                continue
            if not _may_be_luck(other.grade):
                changes = {"stage": submitted.stage, "isolation": submitted.isolation, "reused": True}
                return other.grade.model_copy(update=changes)
        return None

    async def _judged(self, episode: Episode, submitted: Submitted) -> Grade:
        task = episode.row.task
        grade = _fault(task, submitted, "grading began too often without an end")
        for _ in range(ATTEMPTS):
            if not await self._begin(submitted):
                break
            try:
                grade = await self._attempt(episode, submitted)
            except anyio.get_cancelled_exc_class():
                await self._not_begun(submitted)
                raise
            if grade.status is GradeStatus.GRADED:
                break
        self.faults += _faulty(grade)
        return grade.model_copy(update={"isolation": submitted.isolation})

    async def _begin(self, submitted: Submitted) -> bool:
        """Count a start, before it can do harm."""
        statement = (
            sa.update(grades)
            .where(grades.c.submission_id == submitted.id, grades.c.attempts < STARTS)
            .values(attempts=grades.c.attempts + 1)
        )
        begun = await self._ground.database.write(lambda connection: connection.execute(statement).rowcount)
        return begun == 1

    async def _not_begun(self, submitted: Submitted) -> None:
        """A server that is stopped has done no harm: the grading begins again however often that happens."""
        statement = (
            sa.update(grades)
            .where(grades.c.submission_id == submitted.id)
            .values(attempts=grades.c.attempts - 1)
        )
        with anyio.CancelScope(shield=True), contained("stop of a grading", run=submitted.run_id):
            await self._ground.database.write(lambda connection: connection.execute(statement))

    async def _attempt(self, episode: Episode, submitted: Submitted) -> Grade:
        """The judge has a clock of its own: one that ran here would count what others make it wait."""
        with contained("grading", run=submitted.run_id):
            async with self._read(episode, submitted) as submission:
                handed = Handed(submitted.episode_id, submission, submitted.stage, submitted.isolation)
                return await self._ground.judge.grade(episode.row.task, handed)
        return _fault(episode.row.task, submitted, "the grading crashed")

    @asynccontextmanager
    async def _read(self, episode: Episode, submitted: Submitted) -> AsyncIterator[Submission]:
        """The submission in memory, as soon as there is room for it."""
        size = await anyio.to_thread.run_sync(self._submissions.size, submitted)
        async with self._memory.hold(episode.row.subject, size):
            yield await anyio.to_thread.run_sync(self._submissions.load, submitted)

    async def _own_build(self, episode: Episode, submitted: Submitted, grade: Grade) -> Grade:
        """Of the last stage, whether the tree builds itself. Whatever becomes of that, the verdict stands."""
        if submitted.stage.next is not None or grade.status is not GradeStatus.GRADED:
            return grade
        found = not_measured("the build was not carried out")
        with contained("own build", run=submitted.run_id):
            async with self._read(episode, submitted) as submission:
                found = await self._ground.judge.own_build(episode.row.task, submission)
        return grade.model_copy(update={"builds_itself": found})

    async def _second_opinions(self, submitted: Submitted) -> None:
        """The episode is over and its reward is told: nobody waits for this, and its grade stays as it is."""
        stored = await self._submissions.find(submitted.episode_id, submitted.stage)
        grade = stored.grade if stored else None
        if grade is None or grade.status is not GradeStatus.GRADED:
            return
        episode = await self._episodes.load(submitted.episode_id)
        async with self._read(episode, submitted) as submission:
            handed = Handed(episode.id, submission, submitted.stage, submitted.isolation)
            found = await self._ground.judge.opinions(episode.row.task, handed, grade)
        if found:
            told = [opinion.model_dump(mode="json") for opinion in found]
            grader_log.info("second opinions", run=submitted.run_id, opinions=told)

    async def _store(self, submitted: Submitted, grade: Grade) -> None:
        values = {
            "status": grade.status,
            "reward": grade.reward,
            "grade": grade.model_dump_json(),
            "finished": time.time(),
        }

        def commit(connection: Connection) -> None:
            where = (grades.c.submission_id == submitted.id) & (grades.c.status == PENDING)
            if connection.execute(sa.update(grades).where(where).values(values)).rowcount:
                finish_run(connection, submitted.run_id, None)

        await self._ground.database.write(commit)
        grader_log.info("grade", run=submitted.run_id, grade=grade.model_dump(mode="json"))


def _may_be_luck(grade: Grade) -> bool:
    """Whether a module passed that forgers win now and then. Who could keep such a grade by handing in the
    same files again, and others when it was not paid, would have the best of three draws at the last stage.
    """
    return any(
        module.verdict is ModuleVerdict.PASSED and module.bits is not None and module.bits < ENOUGH
        for module in grade.modules
    )


def _faulty(grade: Grade) -> bool:
    """Whether who runs the server should look into it."""
    return grade.status is GradeStatus.INFRA_ERROR or any(
        module.verdict is ModuleVerdict.EXHAUSTED for module in grade.modules
    )


def _fault(task: TaskKey, submitted: Submitted, cause: str) -> Grade:
    return Grade(
        status=GradeStatus.INFRA_ERROR,
        stage=submitted.stage,
        modules_total=0,
        cause=cause,
        isolation=submitted.isolation,
        task_digest=task.digest,
        environment_digest="",
        submission_digest=submitted.digest,
        backend="",
    )
