"""Splitting: an upstream tree taken apart into library, tests, helpers, build configuration and documents."""

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading.files import Files, under
from kaiju_grading.languages.rust.inline import has_tests, inline_path, loaded_file, separate, test_items
from kaiju_grading.languages.rust.links import find_links
from kaiju_grading.languages.rust.manifest import FILE, Manifest, read_manifest, task_manifest, test_name
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.preparation import Choices, Obstacle, Source, Split
from kaiju_sandbox.command import File

_CONFIG = re.compile(r"(readme|licen[cs]e|copying|notice|copyright|unlicense)[^/]*|build\.rs", re.I)
_DOCS = re.compile(r"((changelog|changes|history|news|guide|spec)[^/]*|docs?/.*)\.(md|txt|rst)", re.I)
_UNWANTED = re.compile(
    r"(.*/)?(\.[^/]*(/.*)?|(agents|claude|gemini|copilot)[^/]*\.md|cargo\.toml\.orig|rust-toolchain(\.toml)?"
    r"|\.?(clippy|rustfmt)\.toml|cargo\.lock)",
    re.I,
)
_MAX_DOC = 512 * 1024


@dataclass(slots=True)
class _Parts:
    library: dict[str, File] = field(default_factory=dict)
    tests: dict[str, File] = field(default_factory=dict)
    helpers: dict[str, File] = field(default_factory=dict)
    config: dict[str, File] = field(default_factory=dict)
    docs: dict[str, File] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)


def split_source(source: Source, choices: Choices) -> Split:
    """Raises Obstacle: `no_library`, `no_tests`."""
    manifest = read_manifest(source.files)
    if not manifest.library.startswith("src/"):
        raise Obstacle("no_library", f"the library begins at {manifest.library}; expected below src/")
    parts = _sort(source.files, manifest, choices)
    _take_tests_out(parts)
    if not parts.tests:
        raise Obstacle("no_tests", f"{manifest.name}: the archive has no test")
    code = [*parts.library.values(), *parts.tests.values(), *parts.helpers.values()]
    text = b"\n".join(file.data for file in code).decode(errors="replace") + "\n".join(choices.requirements)
    parts.config[FILE] = File(task_manifest(manifest, text).encode())
    crate = str(manifest.content.get("lib", {}).get("name", manifest.name)).replace("-", "_")
    return Split(
        roots=("src",),
        packages=(crate,),
        library=dict(sorted(parts.library.items())),
        tests=dict(sorted(parts.tests.items())),
        helpers=dict(sorted(parts.helpers.items())),
        config=dict(sorted(parts.config.items())),
        docs=dict(sorted(parts.docs.items())),
        options=dict(choices.options),
        links=find_links({**parts.helpers, **parts.tests}),
        dropped=dict(sorted(parts.dropped.items())),
    )


def _sort(files: Files, manifest: Manifest, choices: Choices) -> _Parts:
    parts = _Parts()
    skipped = _other_programs(manifest)
    for path in sorted(files):
        reason = _unwanted(path, choices) or skipped.get(path, "")
        target = None if reason else _place(path, files[path], manifest)
        if target is None:
            if path != FILE:
                parts.dropped[path] = reason or "not part of library, tests, build configuration or documents"
        else:
            getattr(parts, target)[path] = files[path]
    return parts


def _unwanted(path: str, choices: Choices) -> str:
    if _UNWANTED.fullmatch(path):
        return "hidden, for another tool, or made by packaging"
    for globs in (choices.exclude, choices.drop):
        for pattern, reason in globs.items():
            if fnmatch.fnmatchcase(path, pattern):
                return reason or "left out by the recipe"
    return ""


def _other_programs(manifest: Manifest) -> Mapping[str, str]:
    """Test programs that libtest does not run."""
    entries = manifest.content.get("test", [])
    return {
        str(entry["path"]): "it has a test runner of its own"
        for entry in entries
        if isinstance(entry, dict) and "path" in entry and entry.get("harness") is False
    }


def _place(path: str, file: File, manifest: Manifest) -> str | None:
    if path == manifest.build:
        return "config"
    if path == "src/main.rs" or path.startswith("src/bin/"):
        return None
    if under(path, ("src",)):
        return "library"
    if path.startswith("tests/"):
        return "tests" if test_name(path) is not None and has_tests(file.data) else "helpers"
    if _CONFIG.fullmatch(path) and path != "build.rs":
        return "config"
    return "docs" if _DOCS.fullmatch(path) and len(file.data) <= _MAX_DOC else None


def _take_tests_out(parts: _Parts) -> None:
    """Modules that only tests have go as whole files, other test items into files of inline tests."""
    sources = {path: file for path, file in parts.library.items() if path.endswith(".rs")}
    whole = _test_modules(sources)
    for path in whole:
        kind = parts.tests if has_tests(sources[path].data) else parts.helpers
        kind[path] = parts.library.pop(path)
    for path in sorted(set(sources) - whole):
        library, tests = separate(path, sources[path].data)
        if tests is not None:
            parts.library[path] = File(library, sources[path].executable)
            kind = parts.tests if has_tests(tests) else parts.helpers
            kind[inline_path(path)] = File(tests)


def _test_modules(sources: Files) -> set[str]:
    """Files that `#[cfg(test)] mod NAME;` loads, and the files below them."""
    found: set[str] = set()
    for path, file in sources.items():
        for item in test_items(file.data):
            if item.node.type == "mod_item" and part(item.node, "body") is None:
                first = loaded_file(path, item.modules, item.node, sources)
                if first is not None:
                    folder = (
                        first.removesuffix("/mod.rs") if first.endswith("/mod.rs") else first[: -len(".rs")]
                    )
                    found |= {first} | {other for other in sources if other.startswith(folder + "/")}
    return found
