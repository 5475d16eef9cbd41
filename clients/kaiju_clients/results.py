"""What the tools return (docs/tools.md), as far as a client uses it. Unknown fields are ignored."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

StageName = Literal["draft", "lint", "test"]
STAGES: tuple[StageName, ...] = ("draft", "lint", "test")

Reward = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]


TaskId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=200)]
"""It also names files, so a server cannot put anything else into it."""


class Result(BaseModel):
    """Base of every tool's structured result."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Budgets(Result):
    seconds_left: float | None = None
    calls_left: int | None = None
    visible_runs_left: int | None = None


class TaskRow(Result):
    task_id: TaskId
    language: str
    description: str = ""
    modules: int = Field(ge=0)
    visible_tests: int = Field(ge=0)


class TaskPage(Result):
    tasks: tuple[TaskRow, ...]
    total: int
    next_offset: int | None = None


class SpecName(Result):
    name: str
    chars: int


class Started(Result):
    episode_id: str
    task_id: str
    stage: str
    instruction: str
    roots: tuple[str, ...]
    pages: tuple[SpecName, ...] = ()
    modules: int = Field(ge=0)
    visible_tests: int = Field(ge=0)
    budgets: Budgets | None = None


class SpecPage(Result):
    page: str
    text: str
    total_chars: int
    next_offset: int | None = None


class FileRow(Result):
    path: str
    size: int


class FilePage(Result):
    files: tuple[FileRow, ...]
    total: int
    next_offset: int | None = None


class FileText(Result):
    path: str
    text: str
    size: int
    total_chars: int
    sha256: str
    next_offset: int | None = None


class Written(Result):
    path: str
    size: int
    sha256: str
    created: bool = False


class Edited(Result):
    path: str
    size: int
    sha256: str
    replacements: int


class Deleted(Result):
    path: str
    deleted: bool


class Match(Result):
    path: str
    line: int
    text: str


class Matches(Result):
    matches: tuple[Match, ...]
    truncated: bool = False


class Run(Result):
    """Something that may go on after the call: `running` until its own status is known."""

    run_id: str
    status: str


class Problem(Result):
    path: str = ""
    line: int | None = None
    column: int | None = None
    rule: str = ""
    message: str = ""
    severity: str = ""


class Lint(Run):
    files: int | None = None
    problems: tuple[Problem, ...] = ()
    next_offset: int | None = None


class VisibleTest(Result):
    id: str
    outcome: str
    message: str = ""


class VisibleTests(Run):
    passed: int | None = None
    failed: int | None = None
    tests: tuple[VisibleTest, ...] = ()
    output: str = ""
    cause: str = ""
    next_offset: int | None = None


class NotTaken(Result):
    path: str
    reason: str


class OwnBuild(Result):
    outcome: str
    cause: str = ""


class Submission(Run):
    """A verdict, or `running`. A graded one has a reward, every other one has none."""

    stage: StageName
    reward: Reward | None = None
    modules_passed: int | None = Field(default=None, ge=0)
    modules_total: int | None = Field(default=None, ge=1)
    cause: str | None = None
    isolation: str | None = None
    not_taken: tuple[NotTaken, ...] = ()
    builds_itself: OwnBuild | None = None
    next_stage: str | None = None

    @model_validator(mode="after")
    def _reward_when_graded(self) -> Self:
        if (self.status == "graded") != (self.reward is not None):
            raise ValueError(f"status {self.status!r} with reward {self.reward!r}")
        return self


class EpisodeStatus(Result):
    episode_id: str
    task_id: str
    state: str
    stage: str
    budgets: Budgets | None = None


class Abandoned(Result):
    episode_id: str
    state: str
