"""Splitting: a source taken apart into library, tests, helpers, build configuration and documentation."""

import ast
import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kaiju_grading.files import Files, under
from kaiju_grading.languages.python.compiled import check_pure
from kaiju_grading.languages.python.imports import Scope, imports_of, missing_helpers, parse
from kaiju_grading.languages.python.layout import (
    find_roots,
    in_test_folder,
    is_test_file,
    package_of,
    unwanted,
)
from kaiju_grading.languages.python.metadata import read_metadata
from kaiju_grading.languages.python.requirements import infer_requirements, spare_requirements
from kaiju_grading.languages.python.runner import infer_options
from kaiju_grading.preparation import Choices, Obstacle, Source, Split
from kaiju_sandbox.command import File

_CONFIG = re.compile(
    r"(pyproject\.toml|setup\.(py|cfg)|MANIFEST\.in|VERSION|version\.txt"
    r"|(README|LICEN[CS]E|COPYING|NOTICE|AUTHORS)[\w.-]*|LICEN[CS]ES/[\w./-]+)",
    re.IGNORECASE,
)
_DOCS = re.compile(
    r"((CHANGE|CHANGES|CHANGELOG|HISTORY|NEWS|UPGRADING|MIGRATION)([._-][\w.-]*)?|docs?/.+\.(rst|md|txt))",
    re.IGNORECASE,
)
_MAX_DOC = 512 * 1024
"""Bytes of a page of documentation; longer ones are data."""


@dataclass(slots=True)
class _Parts:
    library: dict[str, File] = field(default_factory=dict)
    tests: dict[str, File] = field(default_factory=dict)
    helpers: dict[str, File] = field(default_factory=dict)
    config: dict[str, File] = field(default_factory=dict)
    docs: dict[str, File] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)


def split_source(source: Source, choices: Choices) -> Split:
    """Raises Obstacle: `namespace_package`, `no_python_source`, `compiled_core`, `no_tests`, ..."""
    metadata = read_metadata(source.files)
    roots = _chosen_roots(source.files, choices) or find_roots(source.files, metadata, source.release.name)
    packages = tuple(sorted({package_of(root) for root in roots}))
    parts = _sort_files(source.files, roots, choices)
    if not any(path.endswith(".py") for path in parts.library):
        raise Obstacle("no_python_source", f"{source.release.name}: nothing of the library is left")
    check_pure(source.files, parts.library)
    _drop_broken_tests(parts, packages, explicit=bool(choices.tests))
    if not parts.tests:
        raise Obstacle("no_tests", f"{source.release.name}: the archive has no test file that can run")
    scope = Scope.of(parts.library, {**parts.tests, **parts.helpers}, packages)
    requirements = infer_requirements(scope, metadata, choices.requirements)
    return Split(
        roots=roots,
        packages=packages,
        library=parts.library,
        tests=parts.tests,
        helpers=parts.helpers,
        config=parts.config,
        docs=parts.docs,
        requirements=requirements,
        spare=spare_requirements(requirements, scope, metadata, choices.requirements),
        options=infer_options(scope, metadata, roots) | dict(choices.options),
        dropped=dict(sorted(parts.dropped.items())),
    )


def _chosen_roots(files: Files, choices: Choices) -> tuple[str, ...]:
    for root in choices.roots:
        if not any(under(path, [root]) for path in files):
            raise Obstacle(
                "missing_root", f"the recipe names the root {root!r}, the archive has no such path"
            )
    return tuple(sorted(choices.roots))


def _sort_files(files: Files, roots: tuple[str, ...], choices: Choices) -> _Parts:
    parts = _Parts()
    for path in sorted(files):
        reason = unwanted(path) or _chosen_away(path, choices)
        if reason:
            parts.dropped[path] = reason
            continue
        target = _place(path, files[path], roots, choices.tests)
        if target is None:
            parts.dropped[path] = "not part of library, tests, build configuration or documentation"
        else:
            getattr(parts, target)[path] = files[path]
    return parts


def _chosen_away(path: str, choices: Choices) -> str:
    for globs in (choices.exclude, choices.drop):
        for pattern, reason in globs.items():
            if fnmatch.fnmatchcase(path, pattern):
                return reason or "left out by the recipe"
    return ""


def _place(path: str, file: File, roots: tuple[str, ...], tests: tuple[str, ...]) -> str | None:
    """The part that a file belongs to; None for no part."""
    if tests:
        is_test = any(fnmatch.fnmatchcase(path, pattern) for pattern in tests)
    else:
        is_test = is_test_file(path, roots)
    if is_test:
        return "tests"
    if in_test_folder(path):
        return "helpers"
    if path.rsplit("/", 1)[-1] == "conftest.py":
        return "helpers" if under(path, roots) or ("/" not in path and _conftest_needed(file)) else None
    if under(path, roots):
        return "library"
    if _CONFIG.fullmatch(path):
        return "config"
    return "docs" if _DOCS.fullmatch(path) and _is_page(path, file) else None


def _is_page(path: str, file: File) -> bool:
    return len(file.data) <= _MAX_DOC and not any(part.startswith("_") for part in path.split("/"))


def _conftest_needed(file: File) -> bool:
    """A root conftest that only says what to collect is not needed: files are named when tests run."""
    tree = parse(file.data)
    return tree is not None and any(_matters(node) for node in tree.body)


def _matters(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return not node.name.startswith(("pytest_ignore_collect", "pytest_collection", "pytest_addoption"))
    if isinstance(node, ast.Assign):
        return "pytest_plugins" in {ast.unparse(target) for target in node.targets}
    return isinstance(node, ast.ClassDef)


def _drop_broken_tests(parts: _Parts, packages: tuple[str, ...], *, explicit: bool) -> None:
    """Test files that do not parse or whose helpers the archive lacks cannot run anywhere."""
    available = {**parts.tests, **parts.helpers, **parts.library}
    for path, reason in _broken_tests(parts.tests, available, packages).items():
        if explicit:
            raise Obstacle("missing_test_file", f"{path}: {reason}")
        parts.dropped[path] = reason
        del parts.tests[path]


def _broken_tests(tests: Mapping[str, File], available: Files, packages: Iterable[str]) -> dict[str, str]:
    broken: dict[str, str] = {}
    for path, file in tests.items():
        found = imports_of(file.data)
        if found is None:
            broken[path] = "does not parse"
            continue
        missing = missing_helpers(path, found, available)
        if missing:
            broken[path] = f"imports {missing[0]}, which the archive does not have"
    return broken
