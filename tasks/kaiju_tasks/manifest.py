"""A manifest: task.toml, Harbor's format 1.4 with our part under [metadata.kaiju]."""

import re
from typing import Any, Literal

from pydantic import Field

from kaiju_grading.language import Level
from kaiju_grading.stage import Stage
from kaiju_tasks.format import Foreign, Part, RootPath, dump_toml, read_toml

FILE = "task.toml"
SCHEMA_VERSION = "1.4"
ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9._+-]*")
ModulesBy = Literal[Level, "group"]


class Provenance(Part):
    """Where a task comes from, and what preparation did to it."""

    purl: str
    sha256: str | None = None
    """Of the upstream archive, hexadecimal; absent for a folder."""
    url: str = ""
    commit: str = ""
    licence: str
    reference: str
    """Digest of the reference tree (files below the roots)."""
    stub: str
    """Digest of the stub tree (files below the roots)."""
    kept_share: float = Field(ge=0, le=1)
    """Lines of bodies that stay / lines of non-empty bodies."""
    kept_limit: float = Field(default=0.05, ge=0, le=1)
    """What the recipe allows as `kept_share`."""
    canary_floor: float = Field(default=0.5, ge=0, le=1)
    """Share of each module's tests that can be altered, at least."""
    kept: dict[str, str] = Field(default_factory=dict)
    """`path:qualified.name` of a body that stays, and why."""
    excluded: dict[str, str] = Field(default_factory=dict)
    """Test file, unit or id that the recipe leaves out, and why."""
    dropped: dict[str, str] = Field(default_factory=dict)
    """Upstream file that is in no part of the task, and why."""


class KaijuPart(Part):
    """[metadata.kaiju]."""

    format: Literal[1]
    language: str
    name: str
    version: str
    roots: tuple[RootPath, ...] = Field(min_length=1)
    packages: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = tuple(Stage)
    modules_by: ModulesBy
    modules: int = Field(ge=1)
    visible_tests: int = Field(ge=0)
    commands: dict[str, str] = Field(default_factory=dict)
    options: dict[str, str] = Field(default_factory=dict)
    provenance: Provenance


class Metadata(Foreign):
    """[metadata]: free in Harbor."""

    kaiju: KaijuPart


class Identity(Foreign):
    """[task]: Harbor's package identity."""

    name: str
    version: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()


class Manifest(Foreign):
    """task.toml. Sections of Harbor that we do not use are kept as they are."""

    schema_version: str = SCHEMA_VERSION
    task: Identity
    metadata: Metadata

    @property
    def kaiju(self) -> KaijuPart:
        return self.metadata.kaiju


def load(data: bytes, file: str = FILE) -> Manifest:
    """Read task.toml. Raises TaskFormatError."""
    return read_toml(Manifest, data, file)


def dump(manifest: Manifest) -> bytes:
    """Write task.toml; the same manifest always gives the same bytes."""
    content: dict[str, Any] = manifest.model_dump(mode="json", exclude_none=True)
    return dump_toml(_said(content))


def _said(content: dict[str, Any]) -> dict[str, Any]:
    """Without empty tables and texts: what is not said is the default."""
    inner = {key: _said(value) if isinstance(value, dict) else value for key, value in content.items()}
    return {key: value for key, value in inner.items() if value not in ("", {}, [])}
