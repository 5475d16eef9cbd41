"""Splitting: a module taken apart into library, tests, helpers, build configuration and documentation."""

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from kaiju_grading.files import Files
from kaiju_grading.languages.go.links import find_links
from kaiju_grading.languages.go.module import module_path, without_neighbours
from kaiju_grading.languages.go.syntax import embeds, is_ignored, read
from kaiju_grading.preparation import Choices, Obstacle, Source, Split
from kaiju_sandbox.command import File

_ASSEMBLY = re.compile(r".*\.(s|S|syso|c|cc|cpp|h|m|a|o)")
_CONFIG = re.compile(r"(README|LICEN[CS]E|COPYING|NOTICE|AUTHORS|PATENTS|CONTRIBUTORS)[\w.-]*", re.IGNORECASE)
_DOCS = re.compile(
    r"(CHANGE|CHANGELOG|HISTORY|UPGRADING|MIGRATION)[\w.-]*|(.+/)?[\w.-]+\.(md|rst)", re.IGNORECASE
)
_AGENTS = re.compile(r"(AGENTS|CLAUDE|GEMINI|COPILOT)(\.\w+)?\.md", re.IGNORECASE)
_TOOLS = re.compile(r"testing$|/testify/|/go-cmp/|^go\.uber\.org/goleak$")
_PREDECLARED = """
any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32
float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune
string true uint uint16 uint32 uint64 uint8 uintptr
"""
"""Names that the language has already."""
_QUOTED = re.compile(r"[\"`]([^\"`\n]{1,200})[\"`]")
_EMBEDDED = re.compile(r"^//go:embed (.+)$", re.MULTILINE)
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
    """Options of the recipe: `packages` (patterns, default `./...`), `own` (folders of test helpers).

    Raises Obstacle: `no_go_module`, `no_go_source`, `compiled_core`, `no_tests`.
    """
    module = module_path(source.files)
    wanted = choices.options.get("packages", "").split() or ["./..."]
    own = _own_folders(source.files, choices, module)
    parts = _sort_files(source.files, choices, own)
    _narrow(parts, module, wanted)
    if not parts.library:
        raise Obstacle("no_go_source", f"{source.release.name}: nothing of the library is left")
    if not parts.tests:
        raise Obstacle("no_tests", f"{source.release.name}: the archive has no test that runs")
    options = {
        **choices.options,
        "module": module,
        "packages": " ".join(wanted),
        "own": " ".join(sorted(own)),
        "embeds": " ".join(path for path, file in sorted(parts.library.items()) if embeds(file.data)),
        "shadows": " ".join(sorted(_shadows(parts.library))),
    }
    return Split(
        roots=(".",),
        packages=(module,),
        library=parts.library,
        tests=parts.tests,
        helpers=parts.helpers,
        config=parts.config,
        docs=parts.docs,
        options={name: value for name, value in options.items() if value},
        dropped=dict(sorted(parts.dropped.items())),
        links=find_links(parts.tests, parts.helpers, module),
    )


def _own_folders(files: Files, choices: Choices, module: str) -> frozenset[str]:
    """Packages that only tests can want: outside of test files they use a tool of testing or each other."""
    chosen = choices.options.get("own", "").split()
    code = {path: file for path, file in files.items() if _is_code(path)}
    found = set(chosen) | {
        folder_of(path)
        for path, file in code.items()
        if any(_TOOLS.search(one.path) for one in read(file.data).imports)
    }
    found.discard(".")
    imports: dict[str, set[str]] = {}
    for path, file in code.items():
        imports.setdefault(folder_of(path), set()).update(_own_imports(file, module))
    while more := {folder for folder, used in imports.items() if used & found} - found - {"."}:
        found |= more
    return frozenset(found)


def _is_code(path: str) -> bool:
    return path.endswith(".go") and not path.endswith("_test.go")


def _sort_files(files: Files, choices: Choices, own: frozenset[str]) -> _Parts:
    parts = _Parts()
    opened = _opened(files)
    nested = {folder_of(path) for path in files if path.endswith("/go.mod")}
    for path in sorted(files):
        reason = _unwanted(path, files[path], nested) or _chosen_away(path, choices)
        if reason:
            parts.dropped[path] = reason
            continue
        target = _place(path, files[path], own, opened)
        if target is None:
            parts.dropped[path] = "not part of library, tests, build configuration or documentation"
        else:
            getattr(parts, target)[path] = files[path]
    parts.config["go.mod"] = File(without_neighbours(files["go.mod"].data))
    return parts


def _unwanted(path: str, file: File, nested: set[str]) -> str:
    *folders, name = path.split("/")
    above = {"/".join(folders[: count + 1]) for count in range(len(folders))}
    if above & nested:
        return "another module"
    outer = folders[: folders.index("testdata")] if "testdata" in folders else [*folders, name]
    if any(part.startswith(".") for part in outer):
        return "hidden"
    if "vendor" in folders:
        return "a copy of another module"
    if _AGENTS.fullmatch(name):
        return "addressed to coding agents"
    if "testdata" in folders:
        return ""
    if any(folder.startswith("_") for folder in folders) or name.startswith("_"):
        return "no build takes it"
    if _ASSEMBLY.fullmatch(name):
        raise Obstacle("compiled_core", f"{path}: assembly and C are not supported")
    if name.endswith(".go") and is_ignored(file.data):
        return "no build takes it"
    return ""


def _chosen_away(path: str, choices: Choices) -> str:
    for globs in (choices.exclude, choices.drop):
        for pattern, reason in globs.items():
            if fnmatch.fnmatchcase(path, pattern):
                return reason or "left out by the recipe"
    return ""


def _place(path: str, file: File, own: frozenset[str], opened: frozenset[str]) -> str | None:
    """The part that a file belongs to; None for no part."""
    folder, _, name = path.rpartition("/")
    if path in {"go.mod", "go.sum"}:
        return "config"
    if "testdata" in folder.split("/"):
        return "helpers"
    if name.endswith("_test.go"):
        runs = any(one.runs and one.name != "TestMain" for one in read(file.data).functions)
        return "tests" if runs and folder not in own else "helpers"
    if name.endswith(".go"):
        return "helpers" if folder in own else "library"
    if not folder and _CONFIG.fullmatch(name):
        return "config"
    if path in opened:
        return "config"
    if _DOCS.fullmatch(path) and len(file.data) <= _MAX_DOC:
        return "docs"
    return None


def _opened(files: Files) -> frozenset[str]:
    """Data beside or below a Go file that names it: embedded, or read while tests run."""
    names: dict[str, set[str]] = {}
    embedded: dict[str, set[str]] = {}
    for path, file in files.items():
        if path.endswith(".go"):
            folder, text = folder_of(path), file.data.decode(errors="replace")
            found = (word.rpartition("/")[2] for word in _QUOTED.findall(text))
            names.setdefault(folder, set()).update(found)
            words = (word for line in _EMBEDDED.findall(text) for word in line.split())
            embedded.setdefault(folder, set()).update(words)
    return frozenset(
        path
        for path in files
        if not path.endswith(".go")
        and any(
            PurePosixPath(path).name in names.get(folder, ())
            or any(_covers(folder, word, path) for word in embedded.get(folder, ()))
            for folder in map(str, PurePosixPath(path).parents)
        )
    )


def _covers(folder: str, word: str, path: str) -> bool:
    """Whether an embedding pattern of a folder takes a path."""
    inside = path if folder == "." else path.removeprefix(folder + "/")
    word = word.removeprefix("all:").strip('"`')
    return fnmatch.fnmatchcase(inside, word) or inside.startswith(word + "/")


def _narrow(parts: _Parts, module: str, wanted: list[str]) -> None:
    """To the packages that the recipe names and what these import of the module."""
    if wanted == ["./..."]:
        return
    tested = {folder for folder in map(folder_of, [*parts.tests, *parts.helpers]) if _matches(folder, wanted)}
    reached = {folder for folder in map(folder_of, parts.library) if _matches(folder, wanted)} | tested
    code = {**parts.library, **parts.helpers, **parts.tests}
    queue = sorted(reached)
    while queue:
        folder = queue.pop()
        for path, file in code.items():
            if folder_of(path) == folder and (not path.endswith("_test.go") or folder in tested):
                new = set(_own_imports(file, module)) - reached
                reached |= new
                queue.extend(new)
    for part in (parts.library, parts.helpers, parts.tests):
        for path in list(part):
            folder = folder_of(path)
            test = path.endswith("_test.go") or "testdata" in folder.split("/")
            if not (_matches(_package(folder), wanted) if test else folder in reached):
                parts.dropped[path] = "outside the packages of the recipe"
                del part[path]
    opened = _opened({**parts.config, **parts.library, **parts.helpers, **parts.tests})
    for path in [path for path in parts.config if "/" in path]:
        if path not in opened:
            parts.dropped[path] = "outside the packages of the recipe"
            del parts.config[path]


def _package(folder: str) -> str:
    return (
        folder.split("/testdata")[0] if "/testdata" in folder else ("." if folder == "testdata" else folder)
    )


def _own_imports(file: File, module: str) -> Iterator[str]:
    for one in read(file.data).imports:
        if one.path == module or one.path.startswith(module + "/"):
            yield one.path.removeprefix(module).lstrip("/") or "."


def _matches(folder: str, wanted: list[str]) -> bool:
    for pattern in wanted:
        top = pattern.removeprefix("./").removesuffix("/...").removesuffix("...") or "."
        if folder == top or (pattern.endswith("...") and (top == "." or folder.startswith(top + "/"))):
            return True
    return False


def _shadows(library: Files) -> Iterator[str]:
    for path, file in library.items():
        yield from (
            f"{folder_of(path)}:{name}" for name in read(file.data).declared & set(_PREDECLARED.split())
        )


def folder_of(path: str) -> str:
    """The folder of a file; `.` at the top."""
    return path.rpartition("/")[0] or "."
