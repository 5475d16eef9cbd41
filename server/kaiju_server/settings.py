"""Settings of a server: every knob, also as an environment variable `KAIJU_<FIELD>`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from kaiju_grading.stage import Stage
from kaiju_grading.submission import MAX_BYTES, MAX_FILES
from kaiju_sandbox.settings import Settings

KIB = 1024
MIB = 1024 * KIB
MCP_PATH = "/mcp"
"""Where HTTP is served."""


def _comma_separated(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Names = Annotated[tuple[str, ...], BeforeValidator(_comma_separated)]


class ServerSettings(Settings):
    """What one server process is told. Times are seconds, sizes are bytes."""

    rewards: Literal["stages", "final", "none"] = "stages"
    """What an agent learns: one number a stage, only the last stage's, or nothing."""
    second_opinions: float = Field(default=0.0, ge=0, le=1, allow_inf_nan=False)
    """Share of the last stages' submissions that are looked at again, after their verdict."""
    isolation: Literal["auto", "unattested"] = "auto"
    """`auto` looks at who is on the other end; `unattested` lowers every grade to that."""

    draft_seconds: Seconds = 4 * 3600.0
    lint_seconds: Seconds = 3600.0
    test_seconds: Seconds = 2 * 3600.0
    draft_calls: int = Field(default=2_000, ge=1)
    lint_calls: int = Field(default=500, ge=1)
    test_calls: int = Field(default=1_000, ge=1)
    visible_runs: int = Field(default=50, ge=1)
    """Visible test runs in the test stage."""

    host: str = "127.0.0.1"
    port: int = Field(default=8734, ge=0, le=65_535)
    """0 takes a free one and prints it."""
    allowed_hosts: Names = ()
    """Values of the Host header that are served besides localhost: `name:port`, `name:*`."""
    auth: bool = True
    """Whether HTTP needs a bearer token."""
    tokens_file: Path | None = None
    """Default: `tokens.json` in the store; made on the first start."""
    database: str | None = None
    """SQLAlchemy address of an SQLite database; default: `kaiju.sqlite` in the store."""

    idle_seconds: Seconds = 24 * 3600.0
    """An episode that nobody uses for so long expires."""
    absolute_seconds: Seconds = 7 * 24 * 3600.0
    """An episode expires at this age."""
    open_episodes: int = Field(default=512, ge=1)
    """Episodes that one subject may have open at once."""
    max_wait: float = Field(default=45.0, ge=0, le=45, allow_inf_nan=False)
    """The longest that one call waits for a run."""
    grading_seconds: Seconds = 3600.0
    """One attempt of a grading may take so long; twice longer, when the reference is not, is a failure."""
    disk_reserve: int = Field(default=512 * MIB, ge=0)
    """Bytes of the disk that no file of an agent takes: gradings need them."""
    result_bytes: int = Field(default=64 * KIB, ge=8 * KIB, le=256 * KIB)
    file_bytes: int = Field(default=1 * MIB, ge=1)
    workspace_bytes: int = Field(default=MAX_BYTES, ge=1, le=MAX_BYTES)
    workspace_files: int = Field(default=MAX_FILES, ge=1, le=MAX_FILES)

    @property
    def database_url(self) -> str:
        return self.database or f"sqlite:///{self.store_dir / 'kaiju.sqlite'}"

    @property
    def tokens_path(self) -> Path:
        return self.tokens_file or self.store_dir / "tokens.json"

    @property
    def episodes_dir(self) -> Path:
        return self.store_dir / "episodes"

    @property
    def blobs_dir(self) -> Path:
        return self.store_dir / "blobs"

    @property
    def grader_log(self) -> Path:
        return self.store_dir / "grader.log"

    def seconds(self, stage: Stage) -> float:
        """Wall clock that a stage may take."""
        return {Stage.DRAFT: self.draft_seconds, Stage.LINT: self.lint_seconds}.get(stage, self.test_seconds)

    def calls(self, stage: Stage) -> int:
        """Calls of work tools that a stage may take."""
        return {Stage.DRAFT: self.draft_calls, Stage.LINT: self.lint_calls}.get(stage, self.test_calls)

    def runs(self, stage: Stage) -> int:
        """Visible test runs that a stage may take."""
        return self.visible_runs if stage is Stage.TEST else 0
