"""Results: what tools answer, as frozen models. Absent fields are left out on the wire."""

from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict


class Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskEntry(Result):
    task_id: str
    language: str
    description: str
    modules: int
    visible_tests: int


class TaskList(Result):
    tasks: list[TaskEntry]
    total: int
    next_offset: int | None = None


class Page(Result):
    name: str
    chars: int


class Budgets(Result):
    seconds_left: float
    calls_left: int
    visible_runs_left: int


class Started(Result):
    episode_id: str
    task_id: str
    stage: str
    instruction: str
    roots: list[str]
    pages: list[Page]
    modules: int
    visible_tests: int
    budgets: Budgets


class SpecPage(Result):
    page: str
    text: str
    total_chars: int
    next_offset: int | None = None
    pages: list[Page]


class FileEntry(Result):
    path: str
    size: int


class FileList(Result):
    files: list[FileEntry]
    total: int
    next_offset: int | None = None


class FileText(Result):
    path: str
    text: str
    size: int
    total_chars: int
    sha256: str
    next_offset: int | None = None


class FileWritten(Result):
    path: str
    size: int
    sha256: str
    created: bool


class FileEdited(Result):
    path: str
    size: int
    sha256: str
    replacements: int


class FileDeleted(Result):
    path: str
    deleted: bool


class Match(Result):
    path: str
    line: int
    text: str


class Matches(Result):
    matches: list[Match]
    truncated: bool


class ProblemEntry(Result):
    path: str
    line: int
    column: int
    rule: str
    message: str
    severity: str


class LintResult(Result):
    run_id: str
    status: str
    files: int = 0
    problems: list[ProblemEntry] = []
    cause: str | None = None
    next_offset: int | None = None


class TestEntry(Result):
    id: str
    outcome: str
    message: str


class VisibleResult(Result):
    run_id: str
    status: str
    passed: int = 0
    failed: int = 0
    tests: list[TestEntry] = []
    problems: list[ProblemEntry] = []
    output: str = ""
    cause: str | None = None
    next_offset: int | None = None


class NotTaken(Result):
    path: str
    reason: str


class OwnBuildResult(Result):
    outcome: str
    cause: str


class SubmitResult(Result):
    run_id: str
    stage: str
    status: str
    reward: float | None = None
    modules_passed: int | None = None
    modules_total: int | None = None
    cause: str | None = None
    isolation: str
    not_taken: list[NotTaken] = []
    builds_itself: OwnBuildResult | None = None
    next_stage: str | None = None
    rewards: dict[str, float] = {}


class RunEntry(Result):
    run_id: str
    kind: str
    stage: str
    status: str


class EpisodeResult(Result):
    episode_id: str
    task_id: str
    state: str
    stage: str
    rewards: dict[str, float]
    submitted: list[str]
    budgets: Budgets | None = None
    runs: list[RunEntry]


class Abandoned(Result):
    episode_id: str
    state: str


def answer(result: Result, text: str) -> CallToolResult:
    """A tool result: text for a model, the same facts as structured content for a program."""
    content: dict[str, Any] = result.model_dump(mode="json", exclude_none=True)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)
