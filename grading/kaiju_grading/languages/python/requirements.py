"""Requirements: the distributions that library and tests need, from declarations and real imports."""

import re
from collections.abc import Iterable, Mapping

import packaging.requirements
from packaging.utils import canonicalize_name

from kaiju_grading.languages.python.imports import Scope
from kaiju_grading.languages.python.metadata import Metadata

_DISTRIBUTIONS = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "Crypto": "pycryptodome",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "git": "GitPython",
    "google": "protobuf",
    "jose": "python-jose",
    "jwt": "PyJWT",
    "magic": "python-magic",
    "OpenSSL": "pyOpenSSL",
    "PIL": "Pillow",
    "pkg_resources": "setuptools<81",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "socks": "PySocks",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
"""Import names whose distribution has another name."""
PLUGIN_FIXTURES = {
    "mocker": "pytest-mock",
    "freezer": "pytest-freezer",
    "subtests": "",
    "httpx_mock": "pytest-httpx",
    "requests_mock": "requests-mock",
}
"""Fixtures that a plugin provides, to its distribution; empty: the runner has it itself."""
_PROVIDED = frozenset({"pytest", "_pytest", "pluggy", "iniconfig", "pygments", "conftest"})
_TEST_GROUPS = re.compile(
    r"(test|tests|testing|dev|develop|development|check|checks|ci|all)\b|.*test", re.IGNORECASE
)
_TOOLS = re.compile(
    r"bench|build|coverage|doc|format|lint|publish|release|requirements|style|typ(e|ing)", re.IGNORECASE
)


def infer_requirements(scope: Scope, metadata: Metadata, chosen: Iterable[str]) -> tuple[str, ...]:
    """Sorted requirement lines: the library's own, one for each import that needs one, and the recipe's.

    A recipe's `!name` leaves out what would be inferred.
    """
    declared = _by_name(line for name in sorted(metadata.groups) for line in metadata.groups[name])
    in_tests = _by_name(
        line for name in sorted(metadata.groups) if _TEST_GROUPS.match(name) for line in metadata.groups[name]
    )
    wanted = _by_name(metadata.requires)
    imported = scope.tests if metadata.complete else scope.tests | scope.library
    needed = {(name, True) for name in imported} | {(name, False) for name in scope.optional}
    for name, required in sorted(pair for pair in needed if pair[0] not in _PROVIDED):
        line = _requirement(name, declared if required else in_tests, guess=required)
        if line:
            wanted.setdefault(_name(line), line)
    for line in _features(scope, metadata):
        wanted.setdefault(_name(line), line)
    for plugin in plugin_distributions(scope):  # upstream's pins may be for an older runner than ours
        wanted[_name(plugin)] = plugin
    chosen = tuple(chosen)
    wanted |= _by_name(chosen)
    unwanted = {"pytest", *(_name(line.removeprefix("!")) for line in chosen if line.startswith("!"))}
    return tuple(sorted(wanted[name] for name in wanted if name not in unwanted))


def spare_requirements(
    lines: Iterable[str], scope: Scope, metadata: Metadata, chosen: Iterable[str]
) -> tuple[str, ...]:
    """Those of `lines` that only tests want: without them some tests cannot run, and the library can."""
    asked = set(_by_name([*metadata.requires, *chosen]))
    if not metadata.complete:
        declared = _by_name(line for group in metadata.groups.values() for line in group)
        asked |= {_name(_requirement(module, declared, guess=True)) for module in scope.library}
    return tuple(line for line in lines if _name(line) not in asked)


def _features(scope: Scope, metadata: Metadata) -> Iterable[str]:
    """All of an extra of which something is imported: the parts of a feature work together."""
    imported = {
        _name(_DISTRIBUTIONS.get(name, name)) for name in scope.tests | scope.optional | scope.library
    }
    for name in sorted(metadata.groups):
        group = _by_name(metadata.groups[name])
        if group.keys() & imported and not _TEST_GROUPS.match(name) and not _TOOLS.search(name):
            yield from group.values()


def plugin_distributions(scope: Scope) -> tuple[str, ...]:
    """Distributions of runner plugins that the tests use through fixtures or marks."""
    found = {PLUGIN_FIXTURES[name] for name in scope.arguments & PLUGIN_FIXTURES.keys()} - {""}
    if scope.marks & {"asyncio"}:
        found.add("pytest-asyncio")
    if scope.marks & {"trio"}:
        found.add("pytest-trio")
    return tuple(sorted(found))


def _requirement(module: str, declared: Mapping[str, str], *, guess: bool) -> str:
    """The declared line for a module, or a guess from its name; empty when neither holds."""
    line = _DISTRIBUTIONS.get(module, module)
    name = _name(line)
    if line != name and "<" in line:
        return line if guess or name in declared else ""
    for candidate in (name, f"python-{name}", f"py{name}", f"{name}-python"):
        if candidate in declared:
            return declared[candidate]
    return line if guess else ""


def _by_name(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        try:
            requirement = packaging.requirements.Requirement(line)
        except packaging.requirements.InvalidRequirement:
            continue
        if requirement.url is None:
            found.setdefault(_name(requirement.name), str(requirement))
    return found


def _name(line: str) -> str:
    plain = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", line)
    return canonicalize_name(plain.group() if plain else line)
