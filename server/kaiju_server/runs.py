"""Runs: work that may outlast the call that started it, polled by id."""

import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import anyio
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from kaiju_grading.stage import Stage
from kaiju_server.background import contained
from kaiju_server.database import runs
from kaiju_server.episode import Episode
from kaiju_server.errors import AgentError, NotFound, shown
from kaiju_server.ground import Ground, orphaned
from kaiju_server.settings import MIB
from kaiju_server.share import Shares

PROGRESS_SECONDS = 5.0
POLL_SECONDS = 1.0
"""How often the row of another server's run is read."""
RETRY_SECONDS = 5.0
"""Pause after a result could not be stored."""
UNFINISHED = 4
"""Lint and test runs of one episode at once, waiting ones included."""
WAITING_BYTES = 256 * MIB
"""Of what runs of one subject have in memory while they wait."""

Job = Callable[[], Awaitable[Mapping[str, Any]]]
Report = Callable[[float], Awaitable[None]]
"""Told the seconds waited so far."""


class Kind(StrEnum):
    LINT = "lint"
    VISIBLE = "visible"
    SUBMIT = "submit"


RUNNING = "running"
FINISHED = "finished"
LOST: Mapping[Kind, Mapping[str, Any]] = {
    Kind.LINT: {"status": "could_not_lint", "files": 0, "problems": []},
    Kind.VISIBLE: {"status": "no_result", "tests": [], "problems": [], "output": ""},
}
"""What a run without an outcome says; `cause` is added."""


@dataclass(frozen=True, slots=True)
class RunRow:
    id: str
    episode_id: str
    kind: Kind
    stage: Stage
    finished: bool
    result: Mapping[str, Any]
    """Empty while running, and for submissions, whose result is the grade."""


@dataclass(slots=True)
class _Live:
    """A run of this process."""

    episode_id: str
    kind: Kind
    fingerprint: str
    done: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class Runs:
    def __init__(self, ground: Ground) -> None:
        self._database = ground.database
        self._owner = ground.owner
        self._tasks = ground.tasks
        self._live: dict[str, _Live] = {}
        self._memory = Shares(WAITING_BYTES)

    @asynccontextmanager
    async def room(self, episode: Episode) -> AsyncIterator[AsyncExitStack]:
        """Room in memory for the files that a run reads now; `start` takes it over. Raises AgentError."""
        size = await episode.workspace.total()
        if self._memory.full(episode.row.subject, size):
            raise AgentError("too many runs of your episodes wait for their turn; poll them, then try again")
        async with AsyncExitStack() as held:
            await held.enter_async_context(self._memory.hold(episode.row.subject, size))
            yield held

    async def start(
        self, episode: Episode, kind: Kind, fingerprint: str, job: Job, held: AsyncExitStack
    ) -> tuple[str, bool]:
        """Start a job, or join the one that does the same right now: the run's id, and whether it is new.

        What is `held` is held until the run has ended.
        """
        mine = {
            id: live
            for id, live in self._live.items()
            if live.episode_id == episode.id and live.kind is not Kind.SUBMIT
        }
        same = next((id for id, live in mine.items() if live.fingerprint == fingerprint), None)
        if same is not None:
            return same, False
        if len(mine) >= UNFINISHED:
            raise AgentError(f"{len(mine)} runs of this episode have not finished: get_run {', '.join(mine)}")
        run_id = new_run_id()
        self._live[run_id] = live = _Live(episode.id, kind, fingerprint)
        values = run_values(run_id, episode, kind, self._owner)
        # A call that is cancelled here must not leave a run that nobody works on.
        with anyio.CancelScope(shield=True):
            await self._database.write(lambda connection: connection.execute(sa.insert(runs).values(values)))
            self._tasks.start_soon(self._run, run_id, kind, live, job, held.pop_all())
        return run_id, True

    def watch(self, run_id: str, episode_id: str) -> anyio.Event:
        """An event for a run whose row others write; `done` sets it."""
        live = self._live.setdefault(run_id, _Live(episode_id, Kind.SUBMIT, run_id))
        return live.done

    def done(self, run_id: str) -> None:
        live = self._live.pop(run_id, None)
        if live is not None:
            live.done.set()

    async def get(self, episode: Episode, run_id: str) -> RunRow:
        """A run of this episode, and of no other."""
        row = await self._row(run_id)
        if row is None or row.episode_id != episode.id:
            raise NotFound(f"run {shown(run_id)} not found in episode {episode.id}")
        return row

    async def wait(self, episode: Episode, run_id: str, seconds: float, report: Report) -> RunRow:
        """The run once it has finished, or as it stands after `seconds`."""
        began = anyio.current_time()
        while True:
            live = self._live.get(run_id)
            row = await self.get(episode, run_id)
            waited = anyio.current_time() - began
            if row.finished or waited >= seconds:
                return row
            await report(waited)
            pause = min(PROGRESS_SECONDS if live else POLL_SECONDS, seconds - waited)
            with anyio.move_on_after(pause):
                await (live.done.wait() if live else anyio.sleep(pause))

    async def latest(self, episode: Episode, most: int) -> list[RunRow]:
        """The newest runs of an episode, oldest first. Their results, which are long, are left out."""
        columns = [column for column in runs.c if column is not runs.c.result]
        newest = sa.select(*columns, sa.null().label("result")).where(runs.c.episode_id == episode.id)
        statement = newest.order_by(runs.c.created.desc()).limit(most)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_row(row) for row in reversed(rows)]

    def cancel(self, episode: Episode) -> None:
        """Stop the lint and test runs of an episode; gradings go on."""
        for live in list(self._live.values()):
            if live.episode_id == episode.id:
                live.scope.cancel()

    async def sweep(self) -> None:
        """Finish the lint and test runs of servers that died."""
        statement = sa.select(runs).where(runs.c.state == RUNNING, runs.c.kind != Kind.SUBMIT)
        for row in await self._database.read(lambda connection: connection.execute(statement).all()):
            if orphaned(row.owner):
                lost = {**LOST[Kind(row.kind)], "cause": "the server was restarted; run it again"}
                await self._finish(row.id, lost)

    async def _run(self, run_id: str, kind: Kind, live: _Live, job: Job, held: AsyncExitStack) -> None:
        result: Mapping[str, Any] = {**LOST[kind], "cause": "stopped: the episode ended"}
        async with held:
            with live.scope:
                result = await _outcome(run_id, kind, job)
            del job  # and the files that it read
        stored = False
        while not stored:
            # A store that fails for a while, a full disk say, ends neither the server nor the run.
            with anyio.CancelScope(shield=True), contained("store of a run", run=run_id):
                await self._finish(run_id, result)
                stored = True
            if not stored:
                await anyio.sleep(RETRY_SECONDS)
        self.done(run_id)

    async def _finish(self, run_id: str, result: Mapping[str, Any]) -> None:
        text = json.dumps(result)
        await self._database.write(lambda connection: finish_run(connection, run_id, text))

    async def _row(self, run_id: str) -> RunRow | None:
        statement = sa.select(runs).where(runs.c.id == run_id)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _row(row)


async def _outcome(run_id: str, kind: Kind, job: Job) -> Mapping[str, Any]:
    with contained("run", run=run_id):
        try:
            return await job()
        except AgentError as error:
            return {**LOST[kind], "cause": str(error)}
    return {**LOST[kind], "cause": "a fault of the server, not of your code; run it again"}


def new_run_id() -> str:
    return "run-" + secrets.token_hex(8)


def run_values(run_id: str, episode: Episode, kind: Kind, owner: str) -> dict[str, Any]:
    """A row of a run that has just begun."""
    return {
        "id": run_id,
        "episode_id": episode.id,
        "kind": kind,
        "stage": episode.row.stage,
        "state": RUNNING,
        "owner": owner,
        "created": time.time(),
    }


def finish_run(connection: Connection, run_id: str, result: str | None) -> None:
    values = {"state": FINISHED, "result": result, "finished": time.time()}
    connection.execute(sa.update(runs).where(runs.c.id == run_id).values(values))


def _row(row: Row[Any]) -> RunRow:
    result = json.loads(row.result) if row.result else {}
    return RunRow(row.id, row.episode_id, Kind(row.kind), Stage(row.stage), row.state == FINISHED, result)
