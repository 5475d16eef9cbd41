"""What a language offers preparation: from an upstream archive to the parts of a task.

`languages/<id>/prepare.py` has it as PREPARATION. Network is used by `fetch`, `lock` and `provision` only;
none of them runs code of the package.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kaiju_grading.files import Files
from kaiju_grading.steps import Steps
from kaiju_grading.suite import Cell, Test
from kaiju_sandbox.backend import Check
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings


class Obstacle(Exception):
    """A library that cannot become a task, with a code of the documented list (docs/obstacles.md)."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail

    def __reduce__(self) -> tuple[type["Obstacle"], tuple[str, str]]:
        """It is raised in other processes, too."""
        return type(self), (self.code, self.detail)


@dataclass(frozen=True, slots=True)
class Release:
    """One upstream release. `purl` is a package URL with a version, or `path:FOLDER`."""

    purl: str
    name: str
    version: str
    sha256: str | None = None
    """Of the archive; None: not pinned yet, `fetch` fills it in."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A release, unpacked in memory: members checked, links and special files refused, top folder removed."""

    release: Release
    files: Files = field(repr=False)
    licence: str
    """SPDX expression, or the text the archive gives; empty when it gives none."""
    commit: str = ""
    summary: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Members that were not taken, and why."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a recipe may override. Empty means: chosen by rule."""

    roots: tuple[str, ...] = ()
    """Source roots as upstream paths: `tinydb`, `src/simpy`, `six.py`."""
    tests: tuple[str, ...] = ()
    """Globs of test files."""
    exclude: Mapping[str, str] = field(default_factory=dict)
    """Glob of a test file, or a test id or unit, to the reason it is left out."""
    drop: Mapping[str, str] = field(default_factory=dict)
    """Glob of a library file to the reason it is left out."""
    requirements: tuple[str, ...] = ()
    """Further requirements of library or tests, in the ecosystem's own notation."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Runner settings, passed on in TestRun.options; the language's page lists them."""
    keep: tuple[str, ...] = ()
    """`path:qualified.name` of bodies that stay."""
    visible: tuple[str, ...] = ()
    """Visible test files (or units, for cuts inside a file)."""
    modules_by: str = ""
    """A Level, or `group`."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Module name to globs of test units, for `group`."""


@dataclass(frozen=True, slots=True)
class Split:
    """A source taken apart. Paths stay as upstream has them; a path is in one part only."""

    roots: tuple[str, ...]
    packages: tuple[str, ...]
    """What a user of the library imports: `tinydb`."""
    library: Files = field(repr=False)
    tests: Files = field(repr=False)
    """Test files: what the runner collects."""
    helpers: Files = field(repr=False)
    """Test helpers and data: conftest, base classes, fixtures files."""
    config: Files = field(repr=False)
    """Build configuration, README, licence: the agent sees them in its workspace."""
    docs: Files = field(repr=False)
    requirements: tuple[str, ...] = ()
    """What library and tests need, inferred and chosen."""
    spare: tuple[str, ...] = ()
    """Of these, what only tests want and no recipe chose: left out where it cannot be had."""
    options: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, frozenset[str]] | None = None
    """By test file or helper: which others it uses, where the language knows. None: read from their texts."""


@dataclass(frozen=True, slots=True)
class FileAccount:
    """What stubbing did to one file."""

    stubbed: tuple[str, ...] = ()
    trivial: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    """Qualified name to why its body stays."""
    lambdas: int = 0
    body_lines: int = 0
    """Lines of non-empty bodies in the reference."""
    kept_lines: int = 0


@dataclass(frozen=True, slots=True)
class Stub:
    files: Files = field(repr=False)
    account: Mapping[str, FileAccount] = field(default_factory=dict)

    @property
    def kept_share(self) -> float:
        """Kept lines / lines of non-empty bodies, 0..1."""
        total = sum(account.body_lines for account in self.account.values())
        return sum(account.kept_lines for account in self.account.values()) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What importing (or building) a stub tree showed."""

    works: frozenset[str]
    """Importable units that work."""
    broken: Mapping[str, str]
    """Importable units that do not, and why."""
    needed: Mapping[str, str]
    """`path:qualified.name` of stubbed bodies to be put back in the next round, and why."""


@dataclass(frozen=True, slots=True)
class Lock:
    """A pinned environment: enough to build the same layers again."""

    text: str = field(repr=False)
    """The ecosystem's own lock, with a hash for every artefact and no index address."""
    language_version: str
    """Such as `3.11`."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Further inputs of `provision`, such as the library's name and version for its metadata shim."""


@dataclass(frozen=True, slots=True)
class Surgery:
    """Held-out tests that are to be altered, and the tree around them."""

    library: Files = field(repr=False)
    """Library and build files; with `files`, everything that the tests compile and run against."""
    files: Files = field(repr=False)
    """Their test files and helpers, those that an agent sees included."""
    tests: tuple[Test, ...]
    environment: Environment = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)


class Preparation(Protocol):
    """The preparing half of a language."""

    def check(self, settings: Settings) -> tuple[Check, ...]:
        """Lines of `kaiju doctor`: what preparing and grading need of this machine. Never raises."""
        ...

    def release(self, purl: str) -> Release:
        """Parse a package URL of this ecosystem; the newest version when it has none (network)."""
        ...

    def fetch(self, release: Release, downloads: Path) -> Source:
        """Download (or read a folder) and unpack. Raises Obstacle; a wrong sha256 is one."""
        ...

    def split(self, source: Source, choices: Choices) -> Split: ...

    def stub(self, split: Split, keep: Mapping[str, str], environment: Environment) -> Steps[Stub]:
        """The library without bodies. `keep` maps `path:qualified.name` to the reason its body stays."""
        ...

    def probe(self, library: Files, split: Split, environment: Environment) -> Steps[Probe]:
        """Import (build) the tree; the reference is probed first, and tells what can work."""
        ...

    def cut(self, path: str, data: bytes, units: frozenset[str]) -> bytes:
        """A test file with only these units' tests (imports, fixtures and helpers stay)."""
        ...

    def cells(self, surgery: Surgery) -> Steps[tuple[Cell, ...]]:
        """Candidate alterations of the tests' files, not proven yet. Where tests are compiled, all of them
        together compile."""
        ...

    def spec(
        self, split: Split, source: Source, private: frozenset[str], environment: Environment
    ) -> Steps[Mapping[str, str]]:
        """Markdown pages by file name, `index.md` among them, with every public signature and its docs."""
        ...

    def private_names(self, split: Split, tests: Files, environment: Environment) -> Steps[frozenset[str]]:
        """Non-public names of the library that these tests use: `package.module:_name`."""
        ...

    def lock(self, split: Split, source: Source, settings: Settings) -> Lock: ...

    def provision(self, lock: Lock, settings: Settings) -> Environment:
        """Build (or find) the layers on this machine and probe the tools."""
        ...

    def commands(self, split: Split) -> Mapping[str, str]:
        """`build`, `test` and `lint` as a person would type them, for task.toml."""
        ...
