"""Records: what is kept of every trial, one durable JSON file each, and of the batch they belong to."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kaiju_clients.errors import UsageError
from kaiju_clients.lock import locked
from kaiju_clients.results import Reward, StageName, TaskId

MAX_SAMPLES = 10_000
MAX_TRIALS = 1_000_000
MAX_BYTES = 64 * 1024 * 1024
"""Of one file: longer than any that this program writes."""

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(StrEnum):
    """How a requested trial ended; each is in exactly one of these."""

    GRADED = "graded"
    """Every stage has a verdict."""
    AGENT_ERROR = "agent_error"
    INFRA_ERROR = "infra_error"
    NOT_RUN = "not_run"


class StageRecord(Record):
    """One stage of a trial that was submitted."""

    stage: StageName
    status: str
    """`graded`, `hidden` (a verdict without a number) or `infra_error`."""
    reward: Reward | None = None
    modules_passed: int | None = None
    modules_total: int | None = None
    isolation: str | None = None
    """Who could have read the tests: `attested`, `unattested`; None when the server does not say."""
    cause: str | None = None
    builds_itself: str | None = None
    """Of the last stage, whether the tree builds as its ecosystem builds it: `yes`, `no`, `not_measured`."""
    not_taken: tuple[str, ...] = ()


class TrialId(Record):
    """One episode of a batch: which task, and the how-manieth of it."""

    task_id: TaskId
    language: str
    sample: int = Field(ge=1)

    @property
    def text(self) -> str:
        return f"{self.task_id}.{self.sample}"


class Trial(Record):
    """A trial that has ended."""

    format: Literal[1] = 1
    id: TrialId
    agent: str
    outcome: Outcome
    stages: tuple[StageRecord, ...] = ()
    detail: str = ""
    """Why there is no verdict."""
    expected_modules: int | None = None
    """Modules that the last stage must have passed, by the agent's own account."""
    episode_id: str | None = None
    started_at: str
    seconds: Seconds
    calls: int = Field(ge=0)

    @property
    def missed(self) -> bool:
        """Whether the agent's promise was broken (or cannot be checked)."""
        if self.expected_modules is None or self.outcome is not Outcome.GRADED:
            return False
        return self.stages[-1].modules_passed != self.expected_modules


class Batch(Record):
    """What was asked for. Its trials are all of `tasks` times `samples`."""

    format: Literal[1] = 1
    agent: str
    samples: int = Field(ge=1, le=MAX_SAMPLES)
    server: str
    tasks: tuple[tuple[TaskId, str], ...] = Field(min_length=1)
    """Task id and language."""

    @model_validator(mode="after")
    def _bounded_and_distinct(self) -> Self:
        if len({task_id for task_id, _ in self.tasks}) != len(self.tasks):
            raise ValueError("expected every task once")
        if self.samples * len(self.tasks) > MAX_TRIALS:
            raise ValueError(f"expected at most {MAX_TRIALS} trials")
        return self

    def trials(self) -> tuple[TrialId, ...]:
        """Every requested trial; samples of one task are apart, so that an early stop covers more tasks."""
        return tuple(
            TrialId(task_id=task_id, language=language, sample=sample)
            for sample in range(1, self.samples + 1)
            for task_id, language in self.tasks
        )


class Folder:
    """A batch on disk: `batch.json`, `trials/`, `logs/`, and `lock` for whoever plays it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trials_dir = path / "trials"
        self.logs_dir = path / "logs"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep every other evaluation out of this folder. Raises UsageError when one is in it."""
        with ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                mine = stack.enter_context(locked(self.path / "lock"))
            except OSError as error:
                raise _unwritable(self.path, error) from error
            if not mine:
                raise UsageError(
                    f"--output: another kaiju eval is writing to {self.path}; expected another folder"
                )
            yield

    def create(self, batch: Batch) -> None:
        """Start a batch here. Raises UsageError when there is one already."""
        if (self.path / "batch.json").exists():
            raise UsageError(f"--output: {self.path} has a batch already; give --resume, or another folder")
        try:
            self.trials_dir.mkdir(parents=True, exist_ok=True)
            self.logs_dir.mkdir(exist_ok=True)
            write_durably(self.path / "batch.json", batch.model_dump_json(indent=1))
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def batch(self) -> Batch:
        """The batch that is here. Raises UsageError when there is none that can be read."""
        path = self.path / "batch.json"
        try:
            return Batch.model_validate_json(_read(path))
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}; expected the folder of a batch") from error
        except ValidationError as error:
            raise UsageError(f"{path}: {_first(error)}") from error

    def log(self, trial: TrialId) -> Path:
        """Where a server process of this trial writes its stderr."""
        return self.logs_dir / f"{trial.text}.log"

    def save(self, trial: Trial) -> None:
        """Raises UsageError when it cannot be kept: a batch whose verdicts get lost must not go on."""
        try:
            write_durably(self._file(trial.id), trial.model_dump_json(indent=1))
        except OSError as error:
            raise _unwritable(self._file(trial.id), error) from error

    def load(self, ids: Iterable[TrialId]) -> dict[TrialId, Trial]:
        """The trials that have ended. A file that is missing, cut short or another trial's counts as none."""
        found = {}
        for trial_id in ids:
            trial = read_trial(self._file(trial_id))
            if trial is not None and trial.id == trial_id:
                found[trial_id] = trial
        return found

    def clean(self) -> None:
        """Remove what an interrupted write left, and see that records can be written."""
        try:
            for leftover in self.trials_dir.glob("*.partial"):
                leftover.unlink(missing_ok=True)
            for folder in (self.trials_dir, self.logs_dir):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _file(self, trial: TrialId) -> Path:
        return self.trials_dir / f"{trial.text}.json"


def read_trial(path: Path) -> Trial | None:
    """The trial in this file, None when there is no whole one."""
    try:
        found = Trial.model_validate_json(_read(path))
    except (OSError, ValidationError):
        return None
    return None if found.outcome is Outcome.GRADED and not found.stages else found


def _read(path: Path) -> bytes:
    """A regular file of bounded size: a pipe or a device would never end. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"more than {MAX_BYTES} bytes")
    return data


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"--output: {error.filename or path}: {error.strerror}; expected a folder to write to")


def write_durably(path: Path, text: str) -> None:
    """Write a file so that it is there whole, or not at all, whatever happens to the machine."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole file'}: {first['msg']}"
