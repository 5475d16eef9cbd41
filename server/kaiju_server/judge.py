"""A judge: everything the server asks of grading. `suites.py` has the real one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kaiju_grading.grade import Grade, Isolation
from kaiju_grading.opinion import Opinion
from kaiju_grading.own_build import OwnBuild
from kaiju_grading.report import LintReport, VisibleReport
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission


@dataclass(frozen=True, slots=True)
class TaskKey:
    """A task and the content that an episode began with."""

    id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission to be graded, and under which circumstances it was made."""

    episode: str
    """Its id: choices are drawn for one episode, and are the same however often its grading begins."""
    submission: Submission
    stage: Stage
    isolation: Isolation


class Judge(Protocol):
    """Safe for concurrent calls. Cancellation ends the sandboxes of a call first."""

    async def sweep(self) -> None:
        """Remove what servers that died left of their sandboxes."""
        ...

    async def prepare(self, task: TaskKey) -> None:
        """Make sure that submissions of this task can be graded here. Raises what the task lacks."""
        ...

    async def warm(self, task: TaskKey) -> None:
        """Do beforehand what the first sandbox of this task would have to wait for. Faults are no error."""
        ...

    async def snapshot(self, task: TaskKey, folder: Path) -> Submission:
        """What would be handed in of this workspace."""
        ...

    async def library(self, task: TaskKey, folder: Path) -> Submission:
        """What a lint or visible run looks at. Files that stand where a held-out one will are among it:
        without them its results would tell their names."""
        ...

    async def grade(self, task: TaskKey, handed: Handed) -> Grade:
        """The verdict; a fault of ours is a grade with status infra_error, or an exception."""
        ...

    async def opinions(self, task: TaskKey, handed: Handed, grade: Grade) -> tuple[Opinion, ...]:
        """Second opinions on a graded submission; none where the setting leaves it out."""
        ...

    async def own_build(self, task: TaskKey, submission: Submission) -> OwnBuild:
        """Whether the tree of a submission builds itself; nothing held out is in reach of it."""
        ...

    async def lint(self, task: TaskKey, submission: Submission) -> LintReport: ...

    async def visible(self, task: TaskKey, submission: Submission, tests: tuple[str, ...]) -> VisibleReport:
        """Run visible tests by id, all of them when none is named. Raises ValueError for an unknown id."""
        ...
