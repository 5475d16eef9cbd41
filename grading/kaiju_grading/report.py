"""What a build, a lint and a visible test run tell an agent about its own files."""

from dataclasses import dataclass, field
from enum import StrEnum

from kaiju_grading.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding in one of the agent's files."""

    path: str
    line: int
    """1-based; 0 where the tool gives none."""
    column: int
    rule: str
    message: str
    severity: str = "error"

    @property
    def key(self) -> str:
        """What makes two findings the same, wherever they moved to."""
        return f"{self.path}\0{self.rule}\0{self.message}"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Whether the library alone builds."""

    ok: bool
    problems: tuple[Problem, ...] = ()


class LintStatus(StrEnum):
    CLEAN = "clean"
    FINDINGS = "findings"
    COULD_NOT_LINT = "could_not_lint"


@dataclass(frozen=True, slots=True)
class LintReport:
    status: LintStatus
    problems: tuple[Problem, ...] = ()
    """Charged to the agent: findings of the stub are taken off."""
    files: int = 0
    """Files that were looked at."""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class VisibleTest:
    id: str
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True)
class VisibleReport:
    """Results of the visible tests, and what the program printed."""

    tests: tuple[VisibleTest, ...]
    problems: tuple[Problem, ...] = ()
    """Build problems; when there are any, no test ran."""
    output: str = ""
    cause: str = ""
    """Why results are missing: a limit, a crash, an import error."""
    seconds: float = field(default=0.0)
