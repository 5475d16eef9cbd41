"""A submission made durable: snapshot, blobs, manifest, then one transaction with the next stage."""

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import anyio.to_thread
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, Isolation
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission
from kaiju_sandbox.command import File
from kaiju_server.blobs import BlobError, Blobs
from kaiju_server.database import episodes, grades, runs, submissions
from kaiju_server.episode import Episode, State
from kaiju_server.errors import WrongStage
from kaiju_server.ground import Ground
from kaiju_server.runs import Kind, new_run_id, run_values
from kaiju_server.settings import MIB
from kaiju_server.share import Shares

PENDING = "pending"
TAKEN_BYTES = 256 * MIB
"""Of submissions of one subject that are taken at once."""


class Reason(StrEnum):
    """Why a stage was submitted: the agent asked, or a budget ran out."""

    AGENT = "agent"
    CALLS = "calls"
    SECONDS = "seconds"
    VISIBLE_RUNS = "visible_runs"


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission and its grade as rows. `grade` is the grader's own record."""

    id: int
    episode_id: str
    stage: Stage
    digest: str
    manifest: str
    not_taken: dict[str, str]
    isolation: Isolation
    run_id: str
    status: str
    """`pending` or a GradeStatus."""
    reward: float | None
    grade: Grade | None

    @property
    def graded(self) -> bool:
        return self.status == GradeStatus.GRADED


class Submissions:
    def __init__(self, ground: Ground, blobs: Blobs) -> None:
        self._database = ground.database
        self._judge = ground.judge
        self._owner = ground.owner
        self._blobs = blobs
        self._memory = Shares(TAKEN_BYTES)

    async def take(self, episode: Episode, reason: Reason) -> Submitted:
        """Submit the open stage. The caller holds the episode's lock and is not cancelled."""
        size = await episode.workspace.total()
        async with self._memory.hold(episode.row.subject, size):
            taken = await self._judge.snapshot(episode.row.task, episode.workspace.tree)
            manifest = await anyio.to_thread.run_sync(self._store, taken)
        values = {
            "episode_id": episode.id,
            "stage": episode.row.stage,
            "digest": taken.digest,
            "manifest": manifest,
            "not_taken": json.dumps(dict(taken.refused)),
            "isolation": episode.row.isolation,
            "reason": reason,
            "created": time.time(),
        }
        await self._database.write(lambda connection: self._commit(connection, episode, values))
        submitted = await self.find(episode.id, episode.row.stage)
        if submitted is None:
            raise LookupError(f"submission of {episode.id} vanished")
        return submitted

    async def find(self, episode_id: str, stage: Stage) -> Submitted | None:
        found = [entry for entry in await self.of(episode_id) if entry.stage is stage]
        return found[0] if found else None

    async def of_run(self, run_id: str) -> Submitted | None:
        """What the run of a submission is about."""
        return next(iter(await self._select(grades.c.run_id == run_id)), None)

    async def of(self, episode_id: str) -> list[Submitted]:
        """All submissions of an episode, in the order of their stages."""
        return await self._select(submissions.c.episode_id == episode_id)

    async def pending(self) -> list[tuple[Submitted, str]]:
        """Submissions without a grade, and who was grading them."""
        owners = await self._database.read(
            lambda connection: connection.execute(sa.select(grades.c.submission_id, grades.c.owner)).all()
        )
        by_id = {row.submission_id: row.owner for row in owners}
        return [(entry, by_id[entry.id]) for entry in await self._select(grades.c.status == PENDING)]

    def size(self, submitted: Submitted) -> int:
        """Bytes that `load` will read. Raises BlobError. Blocks."""
        return sum(entry[2] for entries in self._parts(submitted).values() for entry in entries)

    def load(self, submitted: Submitted) -> Submission:
        """Read the content back. Raises BlobError. Blocks."""
        parts = self._parts(submitted)
        read = {part: self._read(parts[part], f"submission {submitted.id}") for part in parts}
        return Submission(submitted.digest, read["files"], beside=read.get("beside"))

    def _parts(self, submitted: Submitted) -> dict[str, Any]:
        manifest = json.loads(self._blobs.get(submitted.manifest))
        # Until the first version with own builds a manifest was the list of its library files.
        return manifest if isinstance(manifest, dict) else {"files": manifest}

    def _read(self, entries: list[Any], owner: str) -> Files:
        files = {path: File(self._blobs.get(name), executable) for path, name, _, executable in entries}
        if entries != _entries(files, [entry[1] for entry in entries]):
            raise BlobError(f"{owner} does not match its manifest")
        return files

    def _store(self, taken: Submission) -> str:
        """The name of its manifest: the library, and what else the tree holds."""
        parts = {"files": taken.files} | ({} if taken.beside is None else {"beside": taken.beside})
        manifest = {
            part: _entries(files, [self._blobs.put(files[path].data) for path in sorted(files)])
            for part, files in parts.items()
        }
        return self._blobs.put(json.dumps(manifest).encode())

    def _commit(self, connection: Connection, episode: Episode, values: dict[str, Any]) -> None:
        """All or nothing: the submission, its pending grade, its run, the next stage."""
        stage = episode.row.stage
        moved = connection.execute(
            sa.update(episodes)
            .where(episodes.c.id == episode.id, episodes.c.stage == stage, episodes.c.state == State.OPEN)
            .values(_following(stage))
        )
        if moved.rowcount != 1:
            raise WrongStage(f"stage {stage} was submitted by another call; ask episode_status")
        run_id = new_run_id()
        connection.execute(sa.insert(runs).values(run_values(run_id, episode, Kind.SUBMIT, self._owner)))
        key = connection.execute(sa.insert(submissions).values(values)).inserted_primary_key
        connection.execute(
            sa.insert(grades).values(
                submission_id=key[0] if key else None, run_id=run_id, status=PENDING, owner=self._owner
            )
        )

    async def _select(self, condition: sa.ColumnElement[bool]) -> list[Submitted]:
        statement = (
            sa.select(submissions, grades.c.run_id, grades.c.status, grades.c.reward, grades.c.grade)
            .join(grades, grades.c.submission_id == submissions.c.id)
            .where(condition)
            .order_by(submissions.c.id)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_submitted(row) for row in rows]


def _following(stage: Stage) -> dict[str, Any]:
    if stage.next is None:
        return {"state": State.CLOSED}
    return {"stage": stage.next, "stage_opened": time.time(), "calls": 0, "visible_runs": 0}


def _entries(files: Files, names: list[str]) -> list[list[object]]:
    return [
        [path, name, len(files[path].data), files[path].executable]
        for path, name in zip(sorted(files), names, strict=True)
    ]


def _submitted(row: Row[Any]) -> Submitted:
    return Submitted(
        id=row.id,
        episode_id=row.episode_id,
        stage=Stage(row.stage),
        digest=row.digest,
        manifest=row.manifest,
        not_taken=json.loads(row.not_taken),
        isolation=Isolation(row.isolation),
        run_id=row.run_id,
        status=row.status,
        reward=row.reward,
        grade=Grade.model_validate_json(row.grade) if row.grade else None,
    )
