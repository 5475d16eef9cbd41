"""An episode: one attempt at one task by one agent, and what it has used of its budgets."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

import anyio
from sqlalchemy import Row

from kaiju_grading.grade import Isolation
from kaiju_grading.stage import Stage
from kaiju_server.judge import TaskKey
from kaiju_server.settings import ServerSettings
from kaiju_server.workspace import Workspace


class State(StrEnum):
    """`opening` is never seen by a caller: its workspace is still being laid out."""

    OPENING = "opening"
    OPEN = "open"
    CLOSED = "closed"
    """Every stage was submitted."""
    ABANDONED = "abandoned"
    EXPIRED = "expired"


CLOSED_STAGE = "closed"


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of the open stage; negative seconds never show."""

    seconds_left: float
    calls_left: int
    visible_runs_left: int


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode as the database has it. Times are seconds since 1970."""

    id: str
    task_id: str
    task_digest: str
    subject: str
    state: State
    stage: Stage
    """The open stage; the last one when none is open."""
    created: float
    stage_opened: float
    used: float
    calls: int
    visible_runs: int
    isolation: Isolation
    owner: str

    @classmethod
    def of(cls, row: Row[tuple[object, ...]]) -> "EpisodeRow":
        values = dict(row._mapping)  # SQLAlchemy documents this name as public
        values["state"] = State(values["state"])
        values["stage"] = Stage(values["stage"])
        values["isolation"] = Isolation(values["isolation"])
        return cls(**values)

    @property
    def task(self) -> TaskKey:
        return TaskKey(self.task_id, self.task_digest)

    @property
    def open(self) -> bool:
        return self.state is State.OPEN

    @property
    def shown_stage(self) -> str:
        return self.stage.value if self.open else CLOSED_STAGE


@dataclass(slots=True)
class Uses:
    """Counters that the database does not have yet."""

    calls: int = 0
    visible_runs: int = 0
    used: float = 0.0
    """Time of the last call; 0 when there was none since the last flush."""


@dataclass(slots=True, weakref_slot=True)
class Episode:
    """A row with what lives in this process: its workspace, its locks and fresh counters."""

    row: EpisodeRow
    workspace: Workspace
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by one call that works on the files or the stage."""
    sandbox: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by one lint, test run or grading; first come, first served."""
    searching: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by one search."""
    uses: Uses = field(default_factory=Uses)
    version: int | None = None
    """The database had this version when the row was read; None when that is not known."""

    @property
    def id(self) -> str:
        return self.row.id

    def charge(self, now: float, *, calls: int = 0, visible_runs: int = 0) -> None:
        self.uses.calls += calls
        self.uses.visible_runs += visible_runs
        self.uses.used = now

    def budget(self, settings: ServerSettings, now: float) -> Budget:
        """What is left of the open stage, fresh counters included."""
        row = self.row
        return Budget(
            max(0.0, round(row.stage_opened + settings.seconds(row.stage) - now, 1)),
            max(0, settings.calls(row.stage) - row.calls - self.uses.calls),
            max(0, settings.runs(row.stage) - row.visible_runs - self.uses.visible_runs),
        )

    def take_uses(self) -> Uses:
        """The counters since the last time, which start again at 0."""
        taken, self.uses = self.uses, Uses()
        self.row = replace(
            self.row,
            calls=self.row.calls + taken.calls,
            visible_runs=self.row.visible_runs + taken.visible_runs,
            used=max(self.row.used, taken.used),
        )
        return taken

    def give_back(self, taken: Uses, row: EpisodeRow) -> None:
        """Counters that could not be written are fresh ones again. `row` is the row after they were taken."""
        if self.row is row:
            self.row = replace(
                row, calls=row.calls - taken.calls, visible_runs=row.visible_runs - taken.visible_runs
            )
        self.uses.used = max(self.uses.used, taken.used)
        # Those of a stage that was submitted meanwhile are not the next one's.
        if self.row.stage is row.stage:
            self.uses.calls += taken.calls
            self.uses.visible_runs += taken.visible_runs
