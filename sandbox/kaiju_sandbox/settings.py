"""Settings: where state lives, which backend runs, which interpreter.

One object for a whole process, built once from environment variables `KAIJU_*` and command-line flags.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

PREFIX = "KAIJU_"


class SettingsError(Exception):
    """A setting has a wrong value; the text names the variable, the value and what was expected."""


def default_state_dir() -> Path:
    """`/var/lib/kaiju` for root (slots run as other users), else the user's own state folder."""
    return Path("/var/lib/kaiju") if os.geteuid() == 0 else Path(platformdirs.user_state_dir("kaiju"))


class Settings(BaseModel):
    """Every knob below the server. Each field is also the environment variable `KAIJU_<FIELD>`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state_dir: Path = Field(default_factory=default_state_dir)
    """Holds `layers/` (0755), `store/` (0700: tasks, database, blobs), `staging/` and `downloads/`."""
    backend: str = "namespace"
    interpreter: Path | None = None
    """A Python for the sandboxes; default: the running one where it can be used, else /usr/bin/python3."""
    slots: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=256)
    """Sandboxes at once."""
    first_uid: int = Field(default=64_000, ge=1_000, le=4_000_000_000)
    """As root, slot n runs as uid first_uid + n."""
    docker_image: str = "kaiju-{system}:local"
    docker_host: str | None = None
    """Default: the local socket. A remote daemon is refused."""

    @property
    def layers_dir(self) -> Path:
        return self.state_dir / "layers"

    @property
    def store_dir(self) -> Path:
        return self.state_dir / "store"

    @property
    def tasks_dir(self) -> Path:
        return self.store_dir / "tasks"

    @property
    def staging_dir(self) -> Path:
        return self.state_dir / "staging"

    @property
    def downloads_dir(self) -> Path:
        return self.state_dir / "downloads"

    @classmethod
    def load(cls, environ: Mapping[str, str], **flags: Any) -> Self:  # noqa: ANN401 - any field of the model
        """Defaults, then `KAIJU_*` variables, then flags that are not None. Raises SettingsError."""
        values: dict[str, Any] = {
            name: environ[PREFIX + name.upper()]
            for name in cls.model_fields
            if environ.get(PREFIX + name.upper())
        }
        values |= {name: value for name, value in flags.items() if value is not None}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise SettingsError(
                f"{PREFIX}{name.upper()}: {first['msg']} (got {first.get('input')!r})"
            ) from error
