"""A recipe: a small file that names one upstream release and how to turn it into a task."""

import errno
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal, Self

from packageurl import PackageURL
from pydantic import Field, field_validator, model_validator

from kaiju_grading import languages
from kaiju_grading.preparation import Choices, Lock
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.format import Part, RootPath, dump_toml, read_toml
from kaiju_tasks.manifest import ID_PATTERN, ModulesBy

MAX_BYTES = 16 * 1024 * 1024


class ChoicesPart(Part):
    """[choices]: what the recipe overrides; what is absent is chosen by rule."""

    roots: tuple[RootPath, ...] = ()
    tests: tuple[str, ...] = ()
    exclude: dict[str, str] = Field(default_factory=dict)
    drop: dict[str, str] = Field(default_factory=dict)
    requirements: tuple[str, ...] = ()
    options: dict[str, str] = Field(default_factory=dict)
    keep: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()
    modules_by: Literal[ModulesBy, ""] = ""
    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _groups_need_group(self) -> Self:
        if bool(self.groups) != (self.modules_by == "group"):
            raise ValueError("groups and modules_by = 'group' belong together")
        return self

    def as_choices(self) -> Choices:
        return Choices(**dict(self))


class LockPart(Part):
    """[environment]: the pinned environment; its lock text lies beside the recipe."""

    lock: str
    """File name, in the recipe's folder."""
    language_version: str
    metadata: dict[str, str] = Field(default_factory=dict)

    @field_validator("lock")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        if Path(value).name != value or value.startswith("."):
            raise ValueError("expected the name of a file beside the recipe")
        return value


class RecipeFile(Part):
    """A recipe as it is written in TOML."""

    format: int = Field(default=1, ge=1, le=1)
    purl: str = ""
    path: str = ""
    """A folder, relative to the recipe, instead of a release."""
    language: str
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    half: tuple[str, ...] = ()
    """Globs of the files that the half-restored tree has; `!glob` takes files out, `!path:name` bodies."""
    notes: tuple[str, ...] = ()
    """Behaviour that tests rely on and upstream's documentation leaves open: the page `notes.md`."""
    canary_floor: float = Field(default=0.5, ge=0, le=1)
    kept_limit: float = Field(default=0.05, ge=0, le=1)
    repeats: int = Field(default=3, ge=1, le=100)
    mixes: int = Field(default=20, ge=0, le=1000)
    environment: LockPart | None = None
    choices: ChoicesPart = ChoicesPart()

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if bool(self.purl) == bool(self.path):
            raise ValueError("expected exactly one of purl and path")
        return self


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe with the files that lie beside it."""

    name: str
    content: RecipeFile
    lock_text: str | None = None
    folder: Path | None = None
    """What `path` is relative to."""

    @property
    def purl(self) -> str:
        """What `Preparation.release` takes."""
        if not self.content.path:
            return self.content.purl
        return f"path:{(self.folder or Path()) / self.content.path}"

    @property
    def lock(self) -> Lock | None:
        part = self.content.environment
        if part is None or self.lock_text is None:
            return None
        return Lock(self.lock_text, part.language_version, part.metadata)


def from_purl(purl: str) -> Recipe:
    """A recipe that decides nothing but the release, or the folder of a `path:`. Raises TaskFormatError."""
    if purl.startswith("path:"):
        return _from_folder(purl.removeprefix("path:"))
    try:
        parsed = PackageURL.from_string(purl)
    except ValueError as error:
        raise TaskFormatError("package URL", "", purl, "pkg:TYPE/NAME@VERSION") from error
    known = {language.id: language.purl_types for language in map(languages.get, languages.names())}
    found = [name for name, types in known.items() if parsed.type in types]
    if len(found) != 1:
        raise TaskFormatError("package URL", "type", parsed.type, _expected(found, known))
    return parse(recipe_name(parsed.name), dump_toml({"purl": purl, "language": found[0]}))


def _from_folder(path: str) -> Recipe:
    folder = Path(path)
    if not path or not folder.is_dir():
        raise TaskFormatError("package URL", "path", path, "a folder that exists")
    known = {language.id: language.build_files for language in map(languages.get, languages.names())}
    found = [name for name, files in known.items() if any((folder / file).is_file() for file in files)]
    if len(found) != 1:
        raise TaskFormatError("package URL", "path", str(folder), _expected(found, known))
    place = folder.resolve()
    content = dump_toml({"path": place.name, "language": found[0]})
    return parse(recipe_name(place.name), content, folder=place.parent)


def _expected(found: list[str], known: Mapping[str, tuple[str, ...]]) -> str:
    """What tells the language, in words; nothing does when several languages have the same."""
    if found:
        return f"a recipe file, which says whether it is {' or '.join(found)}"
    return "one of " + ", ".join(f"{', '.join(signs)} ({name})" for name, signs in known.items())


def recipe_name(name: str) -> str:
    """A package's name as the name of a recipe."""
    return re.sub(r"[^a-z0-9._+-]", "-", name.lower()).lstrip("._+-") or "unnamed"


def parse(name: str, data: bytes, lock_text: str | None = None, folder: Path | None = None) -> Recipe:
    """Read one recipe. Raises TaskFormatError."""
    if not ID_PATTERN.fullmatch(name):
        raise TaskFormatError(f"{name}.toml", "name", name, ID_PATTERN.pattern)
    return Recipe(name, read_toml(RecipeFile, data, f"{name}.toml"), lock_text, folder)


def load(path: Path) -> Recipe:
    """Read the recipe at `path` and the lock beside it. Raises TaskFormatError."""
    try:
        recipe = parse(path.stem, _regular(path).read_bytes(), folder=path.parent)
        part = recipe.content.environment
        text = _regular(path.parent / part.lock).read_text() if part else None
    except (OSError, UnicodeDecodeError) as error:
        raise TaskFormatError(path.name, "", str(error), "a recipe and its lock file") from error
    return Recipe(recipe.name, recipe.content, text, path.parent)


def _regular(path: Path) -> Path:
    """The path of a regular file of a sensible size: a pipe would never end. Raises OSError."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        raise OSError(errno.EINVAL, f"not a regular file of at most {MAX_BYTES} bytes", str(path))
    return path


def shipped() -> tuple[str, ...]:
    """Names of the recipes that come with Kaiju."""
    folder = files("kaiju_tasks") / "recipes"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_shipped(name: str) -> Recipe:
    """A recipe that comes with Kaiju. Raises TaskFormatError."""
    if name not in shipped():
        ways = f"one of {', '.join(shipped())}, a .toml file, pkg:TYPE/NAME@VERSION or path:FOLDER"
        raise TaskFormatError("recipe", "name", name, ways)
    with as_file(files("kaiju_tasks") / "recipes") as folder:
        return load(folder / f"{name}.toml")


def write(recipe: Recipe, folder: Path) -> Path:
    """Write `<name>.toml` and `<name>.lock`; preparing from them gives the same task again."""
    folder.mkdir(parents=True, exist_ok=True)
    content = recipe.content
    if content.path and recipe.folder is not None:
        moved = Path(os.path.relpath(recipe.folder / content.path, folder)).as_posix()
        content = content.model_copy(update={"path": moved})
    if recipe.content.environment is not None and recipe.lock_text is not None:
        (folder / recipe.content.environment.lock).write_text(recipe.lock_text)
    path = folder / f"{recipe.name}.toml"
    path.write_bytes(dump_toml(_compact(content.model_dump(mode="json", exclude_defaults=True))))
    return path


def _compact(content: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is empty: a recipe says only what it decides."""
    shown = {"format": 1, **content}
    return {key: value for key, value in shown.items() if value not in (None, {}, [])}
