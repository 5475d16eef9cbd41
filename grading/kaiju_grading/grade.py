"""A grade: the record of a verdict. The grader's own; an agent gets numbers from it, never the record."""

from enum import StrEnum

from pydantic import Field

from kaiju_grading.own_build import OwnBuild
from kaiju_grading.record import Record, Text
from kaiju_grading.stage import Stage


class GradeStatus(StrEnum):
    GRADED = "graded"
    INFRA_ERROR = "infra_error"


class ModuleVerdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    VOID = "void"
    """A test passed both real and altered, or answered wrong: the module's results cannot be believed."""
    BUILD_FAILED = "build_failed"
    EXHAUSTED = "exhausted"
    """The control ran and the submission's run could not be carried out twice."""


class Isolation(StrEnum):
    ATTESTED = "attested"
    UNATTESTED = "unattested"


class Finding(Record):
    """Something that deserves a look; never a verdict alone."""

    kind: str
    module: str | None = None
    detail: Text = ""


class ModuleGrade(Record):
    name: str
    verdict: ModuleVerdict
    tests: int = Field(ge=0)
    passed: int = Field(ge=0)
    """Tests that passed in every slot; 0 when a run left no hope and not all were made."""
    seconds: float = Field(ge=0)
    cause: Text = ""
    real_run: int = Field(default=0, ge=0)
    """Slots of its series in which a test ran as written, or was asked."""
    real_passed: int = Field(default=0, ge=0)
    runs: int = Field(default=0, ge=0)
    """Sandboxes that this verdict took."""
    planned: int = Field(default=2, ge=2)
    """Runs of its series, made or not."""
    bits: float | None = Field(default=None, ge=0)
    """What a forger must guess of these runs (`strength.py`); None where no run was planned."""


class Grade(Record):
    """The verdict on one submission at one stage."""

    status: GradeStatus
    stage: Stage
    reward: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    """Modules passed / modules; None exactly when status is infra_error."""
    modules_passed: int = Field(default=0, ge=0)
    modules_total: int = Field(ge=0)
    test_pass_rate: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    """Real slots passed / real slots run; None when none ran."""
    tests_measured: int = Field(default=0, ge=0)
    cause: Text = ""
    modules: tuple[ModuleGrade, ...] = ()
    findings: tuple[Finding, ...] = ()
    isolation: Isolation = Isolation.UNATTESTED
    task_digest: str
    environment_digest: str
    submission_digest: str
    backend: str
    changed: tuple[str, ...] = ()
    """Source files that differ from the stub."""
    seconds: float = Field(default=0.0, ge=0)
    builds_itself: OwnBuild | None = None
    """None at the stages that do not look."""
    reused: bool = False
    """An unchanged submission took over an earlier verdict."""

    @property
    def resolved(self) -> bool:
        return self.status is GradeStatus.GRADED and self.modules_passed == self.modules_total
