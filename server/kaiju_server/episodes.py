"""Episodes: opened, found, counted and ended. Rows are the truth; what lives here is a cache with locks."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
import sqlalchemy as sa
from sqlalchemy import Connection

from kaiju_grading.grade import Isolation
from kaiju_grading.stage import Stage
from kaiju_server.background import contained
from kaiju_server.caller import Caller
from kaiju_server.database import episodes
from kaiju_server.episode import Episode, EpisodeRow, State, Uses
from kaiju_server.errors import AgentError, NotFound, shown
from kaiju_server.ground import Ground, orphaned
from kaiju_server.workspace import Caps, Workspace
from kaiju_tasks.task import TaskView

HINT = "start_task gives an episode_id"


class Episodes:
    """All episodes that callers of this process use."""

    def __init__(self, ground: Ground) -> None:
        self._settings = ground.settings
        self._database = ground.database
        self._owner = ground.owner
        self._live: WeakValueDictionary[str, Episode] = WeakValueDictionary()
        self._open: dict[str, Episode] = {}
        self._half_made: dict[str, EpisodeRow] = {}
        """Rows of episodes that could not be opened, until they are removed."""
        self._flushing = anyio.Lock()
        self._latest: str | None = None

    async def open(self, caller: Caller, view: TaskView) -> Episode:
        """Lay out a workspace and open the draft stage."""
        if caller.claim:
            raise AgentError(f"this token is bound to episode {caller.claim}; it cannot start another")
        now = time.time()
        row = EpisodeRow(
            id=secrets.token_hex(16),
            task_id=view.id,
            task_digest=view.digest,
            subject=caller.subject,
            state=State.OPENING,
            stage=Stage.DRAFT,
            created=now,
            stage_opened=now,
            used=now,
            calls=0,
            visible_runs=0,
            isolation=self._isolation(caller),
            owner=self._owner,
        )
        await self._database.write(partial(_insert, row=row, allowed=self._settings.open_episodes))
        episode = Episode(row, self._workspace(row.id))
        try:
            await anyio.to_thread.run_sync(episode.workspace.create, view.workspace)
            await self._change(episode, state=State.OPEN, stage_opened=time.time())
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._undo(row)
            raise
        self._live[row.id] = self._open[row.id] = episode
        if caller.stdio:
            self._latest = row.id
        return episode

    async def find(self, caller: Caller, episode_id: str | None) -> Episode:
        """The episode that a call is for: argument, header, address, token, then the stdio process's own."""
        chosen = episode_id or caller.named or caller.claim or (self._latest if caller.stdio else None)
        if chosen is None:
            raise NotFound(f"no episode is bound to this connection: pass episode_id ({HINT})")
        episode = self._live.get(chosen)
        if episode is None or not self._fresh(episode):
            episode = await self._read(chosen)
        if episode is None or episode.row.state is State.OPENING or not _may_use(caller, episode.row):
            raise NotFound(f"episode {shown(chosen)} not found; {HINT}")
        return episode

    async def load(self, episode_id: str) -> Episode:
        """An episode by id, whoever asks: for gradings."""
        episode = await self._read(episode_id)
        if episode is None:
            raise LookupError(f"episode {episode_id} has no row")
        return episode

    async def refresh(self, episode: Episode) -> None:
        """See that the row is the present one; another server, or the call before, may have changed it."""
        if self._fresh(episode):
            return
        version = self._database.version()
        row = await self._database.read(partial(_select, episode_id=episode.id))
        if row is None:
            raise NotFound(f"episode {episode.id} not found; {HINT}")
        episode.row, episode.version = row, version

    async def lower(self, episode: Episode, caller: Caller) -> None:
        """One unattested call makes the whole episode unattested."""
        if episode.row.isolation is Isolation.ATTESTED and self._isolation(caller) is not Isolation.ATTESTED:
            await self._change(episode, isolation=Isolation.UNATTESTED)

    async def end(self, episode: Episode, state: State) -> None:
        """Close for good; the workspace goes, submissions and grades stay."""
        await self._change(episode, state=state)
        await self.forget(episode)

    async def forget(self, episode: Episode) -> None:
        """Drop the files and the strong reference of an episode that has ended."""
        self._open.pop(episode.id, None)
        await anyio.to_thread.run_sync(episode.workspace.remove)

    async def flush(self) -> None:
        """Write the counters of every episode used since the last time, or keep them for the next."""
        # Shielded: counters that were taken are either written or given back.
        with anyio.CancelScope(shield=True):
            async with self._flushing:
                used = [_Taken.of(episode) for episode in self._open.values() if episode.uses.used]
                if not used:
                    return
                try:
                    await self._database.write(partial(_count, used=used))
                except BaseException:
                    for taken in used:
                        taken.episode.give_back(taken.uses, taken.row)
                    raise

    def due(self, now: float) -> list[Episode]:
        """Open episodes whose stage has used up its time."""
        return [e for e in self._open.values() if e.budget(self._settings, now).seconds_left <= 0]

    def stale(self, now: float) -> list[Episode]:
        """Open episodes that nobody has used for too long, or that are too old."""
        return [e for e in self._open.values() if self._too_old(e.row, max(e.row.used, e.uses.used), now)]

    async def adopt(self) -> None:
        """Take over the episodes of servers that died: remove half-made ones, go on with open ones."""
        for row in [*self._half_made.values(), *await self._orphans()]:
            if row.state is State.OPENING or not self._workspace(row.id).tree.is_dir():
                await self._remove(row)
            else:
                await self._take_over(row)

    async def _undo(self, row: EpisodeRow) -> None:
        """Remove what there is of an episode that could not be opened: now, or when the disk has room."""
        self._half_made[row.id] = row
        with contained("start of an episode", episode=row.id):
            await self._remove(row)

    async def _remove(self, row: EpisodeRow) -> None:
        await anyio.to_thread.run_sync(self._workspace(row.id).remove)
        await self._database.write(partial(_abort, row=row))
        self._half_made.pop(row.id, None)

    async def sweep(self) -> None:
        """Remove the workspaces of episodes that ended while their server died."""
        folders = [folder for folder in self._settings.episodes_dir.iterdir() if folder.is_dir()]
        for folder in folders:
            row = await self._database.read(partial(_select, episode_id=folder.name))
            if row is None or row.state not in {State.OPEN, State.OPENING}:
                await anyio.to_thread.run_sync(self._workspace(folder.name).remove)

    async def _orphans(self) -> Sequence[EpisodeRow]:
        statement = sa.select(episodes).where(episodes.c.state.in_([State.OPEN, State.OPENING]))
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [EpisodeRow.of(row) for row in rows if orphaned(row.owner)]

    async def _take_over(self, row: EpisodeRow) -> None:
        """The time in which no server ran is not the agent's."""
        now = time.time()
        episode = self._cached(row)
        if self._too_old(row, row.used, now):
            await self.end(episode, State.EXPIRED)
            return
        away = max(0.0, now - row.used)
        await self._change(episode, owner=self._owner, stage_opened=row.stage_opened + away, used=now)
        self._open[row.id] = episode

    def _too_old(self, row: EpisodeRow, used: float, now: float) -> bool:
        return now - used > self._settings.idle_seconds or now - row.created > self._settings.absolute_seconds

    def _fresh(self, episode: Episode) -> bool:
        """Whether nobody has written to the database since the row was read."""
        return episode.version is not None and episode.version == self._database.version()

    async def _read(self, episode_id: str) -> Episode | None:
        version = self._database.version()  # before the row: a write in between makes it look old, not new
        row = await self._database.read(partial(_select, episode_id=episode_id))
        return None if row is None else self._cached(row, version)

    def _cached(self, row: EpisodeRow, version: int | None = None) -> Episode:
        episode = self._live.get(row.id)
        if episode is None:
            episode = Episode(row, self._workspace(row.id), version=version)
            self._live[row.id] = episode
        elif not episode.lock.locked():
            episode.row, episode.version = row, version
        if row.open:
            self._open.setdefault(row.id, episode)
        return episode

    async def _change(self, episode: Episode, **values: object) -> None:
        statement = sa.update(episodes).where(episodes.c.id == episode.id).values(**values)
        await self._database.write(lambda connection: connection.execute(statement))
        episode.row = replace(episode.row, **values)  # type: ignore[arg-type]  # the columns are the fields

    def _workspace(self, episode_id: str) -> Workspace:
        limits = self._settings
        caps = Caps(limits.file_bytes, limits.workspace_bytes, limits.workspace_files, limits.disk_reserve)
        return Workspace(limits.episodes_dir / episode_id, caps)

    def _isolation(self, caller: Caller) -> Isolation:
        return Isolation.UNATTESTED if self._settings.isolation == "unattested" else caller.isolation


@dataclass(frozen=True, slots=True)
class _Taken:
    """Counters on their way to the database."""

    episode: Episode
    uses: Uses
    row: EpisodeRow
    """The episode's row with them."""

    @classmethod
    def of(cls, episode: Episode) -> Self:
        uses = episode.take_uses()
        return cls(episode, uses, episode.row)


def _count(connection: Connection, used: list[_Taken]) -> None:
    for taken in used:
        # Counters of a stage that was submitted meanwhile are not the next one's.
        connection.execute(
            sa.update(episodes)
            .where(episodes.c.id == taken.row.id, episodes.c.stage == taken.row.stage)
            .values(
                calls=episodes.c.calls + taken.uses.calls,
                visible_runs=episodes.c.visible_runs + taken.uses.visible_runs,
                used=taken.uses.used,
            )
        )


def _may_use(caller: Caller, row: EpisodeRow) -> bool:
    return row.id == caller.claim if caller.claim else row.subject == caller.subject


def _insert(connection: Connection, row: EpisodeRow, allowed: int) -> None:
    """Count and insert in one transaction, so that calls side by side cannot go beyond the limit."""
    mine = (episodes.c.subject == row.subject) & episodes.c.state.in_([State.OPEN, State.OPENING])
    count = sa.select(sa.func.count()).select_from(episodes).where(mine)
    if connection.execute(count).scalar_one() >= allowed:
        raise AgentError(
            f"{allowed} episodes are open already, as many as KAIJU_OPEN_EPISODES allows: "
            "end one (submit its stages, or abandon) before start_task opens another"
        )
    connection.execute(
        sa.insert(episodes).values({name: getattr(row, name) for name in EpisodeRow.__slots__})
    )


def _select(connection: Connection, episode_id: str) -> EpisodeRow | None:
    row = connection.execute(sa.select(episodes).where(episodes.c.id == episode_id)).one_or_none()
    return None if row is None else EpisodeRow.of(row)


def _abort(connection: Connection, row: EpisodeRow) -> None:
    """Nobody has seen an `opening` episode; one that lost its files cannot go on."""
    where = episodes.c.id == row.id
    if row.state is State.OPENING:
        connection.execute(sa.delete(episodes).where(where))
    else:
        connection.execute(sa.update(episodes).where(where).values(state=State.EXPIRED))
