"""An environment record: environment/environment.toml, enough to build the environment again."""

from pydantic import Field

from kaiju_grading.preparation import Lock
from kaiju_tasks.format import Part, dump_toml, read_toml

FILE = "environment/environment.toml"


class EnvironmentRecord(Part):
    """What a task needs to build and run, as data."""

    system: str
    """Whose system (host toolchain or image) is used: a language may use another one's."""
    language_version: str
    metadata: dict[str, str] = Field(default_factory=dict)
    lock: str = Field(repr=False)
    """The ecosystem's own lock: every artefact with its hash, no index address."""

    def as_lock(self) -> Lock:
        return Lock(text=self.lock, language_version=self.language_version, metadata=self.metadata)


def load(data: bytes, file: str = FILE) -> EnvironmentRecord:
    """Read environment.toml. Raises TaskFormatError."""
    return read_toml(EnvironmentRecord, data, file)


def dump(record: EnvironmentRecord) -> bytes:
    """Write environment.toml; the lock last, as a block."""
    return dump_toml(record.model_dump(mode="json"))
