"""The manifest of a package: read from what upstream published, written as tasks need it.

A task's manifest names the library, its dependencies and nothing else: no tests (their names are held out),
no benches or examples, no lint settings, no dependency that neither library nor tests mention.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import tomlkit

from kaiju_grading.files import Files
from kaiju_grading.preparation import Obstacle

FILE = "Cargo.toml"
LOCK = "Cargo.lock"
DEPENDENCIES = ("dependencies", "build-dependencies", "dev-dependencies")
_PACKAGE = (
    *("name", "version", "edition", "authors", "description", "license", "license-file", "repository"),
    *("links", "rust-version", "readme", "resolver"),
)
_SOURCES = ("path", "git", "registry", "registry-index", "branch", "rev", "tag", "workspace")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_VERSION = re.compile(r"[0-9A-Za-z.+-]+")
TEST_ROOT = re.compile(r"tests/([^/]+)\.rs|tests/([^/]+)/main\.rs")
"""Files below tests/ that are programs of their own."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What preparation reads of a manifest."""

    name: str
    version: str
    licence: str
    summary: str
    library: str
    """Path of the library's first file."""
    build: str
    """Path of the build script; empty without one."""
    content: Mapping[str, Any] = field(repr=False)


def read_manifest(files: Files) -> Manifest:
    """Raises Obstacle `no_manifest`, `proc_macro` and `no_library`."""
    if FILE not in files:
        raise Obstacle("no_manifest", "the archive has no Cargo.toml")
    try:
        content = tomllib.loads(files[FILE].data.decode())
    except (ValueError, UnicodeDecodeError) as error:
        raise Obstacle("no_manifest", f"Cargo.toml cannot be read: {error}") from error
    package, lib = content.get("package"), content.get("lib", {})
    if not isinstance(package, dict) or not isinstance(lib, dict):
        raise Obstacle("no_manifest", "Cargo.toml has no [package]")
    if lib.get("proc-macro") or lib.get("proc_macro"):
        raise Obstacle("proc_macro", "a procedural macro runs inside the compiler and cannot be graded")
    library = str(lib.get("path", "src/lib.rs"))
    if library not in files:
        raise Obstacle("no_library", f"the archive has no {library}")
    build = package.get("build", "build.rs" if "build.rs" in files else "")
    return Manifest(
        name=_checked(package, "name", _NAME),
        version=_checked(package, "version", _VERSION),
        licence=str(package.get("license", "")).replace("/", " OR "),
        summary=" ".join(str(package.get("description", "")).split()),
        library=library,
        build=build if isinstance(build, str) else "",
        content=content,
    )


def _checked(package: Mapping[str, Any], name: str, form: re.Pattern[str]) -> str:
    value = package.get(name)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise Obstacle("no_manifest", f"package.{name} is {str(value)[:80]!r}; expected {form.pattern}")
    return value


def task_manifest(manifest: Manifest, code: str) -> str:
    """The manifest of the task. `code` is the text of library and tests: what it names stays."""
    content = manifest.content
    made = tomlkit.document()
    package = {key: value for key, value in content["package"].items() if key in _PACKAGE}
    package |= {"build": manifest.build or False, "publish": False}
    package |= dict.fromkeys(("autobins", "autoexamples", "autotests", "autobenches"), False)
    made["package"] = _plain(package)
    made["lib"] = _plain({"doctest": False, **content.get("lib", {}), "path": manifest.library, "test": True})
    named = code + str(content.get("features", {})).replace("-", "_")
    for holder, target in ((content, made), *_targets(content, made)):
        for kind in DEPENDENCIES:
            kept = _dependencies(holder.get(kind) or holder.get(kind.replace("-", "_")) or {}, kind, named)
            if kept:
                target[kind] = _plain(kept)
    if content.get("features"):
        made["features"] = _plain(content["features"])
    if content.get("profile"):
        made["profile"] = _plain(
            {name: part for name, part in content["profile"].items() if name in {"dev", "test"}}
        )
    return tomlkit.dumps(made)


def _targets(content: Mapping[str, Any], made: Any) -> Iterable[tuple[Mapping[str, Any], Any]]:  # noqa: ANN401 - tomlkit's containers have no common type
    for name, holder in content.get("target", {}).items():
        if any(holder.get(kind) for kind in DEPENDENCIES):
            table = made.setdefault("target", tomlkit.table(is_super_table=True))
            table[name] = tomlkit.table()
            yield holder, table[name]


def _plain(value: Any) -> Any:  # noqa: ANN401 - any TOML value
    return tomlkit.item(value)


def _dependencies(found: Mapping[str, Any], kind: str, named: str) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, wanted in sorted(found.items()):
        if kind == "dev-dependencies" and not re.search(rf"\b{re.escape(name.replace('-', '_'))}\b", named):
            continue
        if isinstance(wanted, dict):
            foreign = [key for key in _SOURCES if key in wanted]
            if foreign and "version" not in wanted:
                if kind == "dev-dependencies":
                    continue
                raise Obstacle(
                    "dependency_unavailable", f"{name} comes from a {foreign[0]}, not the registry"
                )
            wanted = {key: value for key, value in wanted.items() if key not in _SOURCES}
        kept[name] = wanted
    return kept


def check_manifest(text: str) -> None:
    """A task's manifest may come from a stranger. Raises Obstacle `bad_lock`."""
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise Obstacle("bad_lock", f"the manifest cannot be read: {error}") from error
    holders = [content, *content.get("target", {}).values()]
    unknown = set(content) - {"package", "lib", "features", "profile", "target", *DEPENDENCIES}
    if unknown or not isinstance(content.get("package"), dict):
        raise Obstacle("bad_lock", f"the manifest has {', '.join(sorted(unknown)) or 'no package'}")
    for holder in holders:
        for kind in DEPENDENCIES:
            for name, wanted in holder.get(kind, {}).items():
                if isinstance(wanted, dict) and set(wanted) & set(_SOURCES):
                    raise Obstacle("bad_lock", f"the manifest takes {name} from outside of the registry")


def with_tests(text: str, roots: Mapping[str, str]) -> str:
    """The manifest with a test program for each of `roots`: its name to its path."""
    entries = "".join(
        f'\n[[test]]\nname = "{name}"\npath = "{path}"\n' for name, path in sorted(roots.items())
    )
    return text.rstrip("\n") + "\n" + entries


def test_name(path: str) -> str | None:
    """The name of the program whose first file this is; None for a file that is no program."""
    found = TEST_ROOT.fullmatch(path)
    return (found.group(1) or found.group(2)) if found and not path.startswith("tests/inline/") else None
