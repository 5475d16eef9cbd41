"""Which paths a Python submission may hold: sources and data of the library, nothing that steers a tool."""

import sys

from kaiju_grading.files import under

SOURCE_SUFFIXES = frozenset({".py", ".pyi"})
DATA_SUFFIXES = frozenset(
    {
        *(".csv", ".gram", ".html", ".j2", ".jinja", ".json", ".lark", ".md", ".peg", ".po", ".rst"),
        *(".sql", ".template", ".tmpl", ".tsv", ".txt", ".typed", ".xml", ".xsd", ".yaml", ".yml"),
    }
)
COMPILED_SUFFIXES = frozenset({".a", ".dll", ".dylib", ".o", ".pyc", ".pyd", ".pyo", ".so"})

CONTROL_FILES = frozenset(
    {"conftest.py", "noxfile.py", "setup.py", "sitecustomize.py", "toxfile.py", "usercustomize.py"}
)
"""File names that Python, pytest or a build tool runs or obeys wherever they find them."""

TEST_FOLDERS = frozenset({"test", "tests", "testsuite", "unit_tests", "unittests"})
METADATA_SUFFIXES = (".dist-info", ".egg-info", ".data")

RUNNER_NAMES = frozenset(
    {"_pytest", "iniconfig", "kaiju_main", "kaiju_report", "packaging", "pluggy", "py", "pygments", "pytest"}
)
"""Top-level modules of the test runner: a library of that name would take its place."""

SOURCE_FOLDERS = frozenset({"lib", "python", "source", "src"})
"""Roots of these names hold packages; any other root is itself what is imported."""


def admits(path: str, roots: tuple[str, ...]) -> str | None:
    """None if a submission may hold this path, else the reason in words an agent can act on."""
    root = next((root for root in roots if under(path, (root,))), None)
    if root is None:
        return f"lies outside the library; put sources below {' or '.join(roots)}"
    inside = path[len(root) :].lstrip("/").split("/") if path != root else []
    return _shadows(root, inside) or _refused_folder(inside[:-1]) or _refused_name(path.rsplit("/", 1)[-1])


def is_test(path: str) -> bool:
    """Whether pytest's usual patterns, or its folder, make this path a test."""
    *folders, name = path.split("/")
    if not TEST_FOLDERS.isdisjoint(folders):
        return True
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix == ".py" and (stem.startswith("test_") or stem.endswith("_test"))


def is_source(path: str) -> bool:
    """Whether Python compiles this path."""
    return path.endswith(".py")


def _shadows(root: str, inside: list[str]) -> str | None:
    last = root.rsplit("/", 1)[-1]
    top = inside[0] if last in SOURCE_FOLDERS and inside else last
    name = top.partition(".")[0]
    if name in RUNNER_NAMES or name in sys.stdlib_module_names:
        return f"top-level name {name!r} would replace a module that Python or its test runner needs"
    return None


def _refused_folder(folders: list[str]) -> str | None:
    for folder in folders:
        if folder == "__pycache__":
            return "compiled files are not taken; send the .py source"
        if folder.endswith(METADATA_SUFFIXES):
            return f"package metadata ({folder}) is not taken"
        if folder.startswith("."):
            return f"hidden folder {folder} is not taken"
        if folder in TEST_FOLDERS:
            return f"test folder {folder}/ is not taken; the tests are the task's own"
    return None


def _refused_name(name: str) -> str | None:
    suffix = "." + name.rpartition(".")[2] if "." in name else ""
    if name.lower() in CONTROL_FILES:
        return f"{name} steers Python or its tools; it is the task's own"
    if name.startswith("."):
        return "hidden files are not taken"
    if suffix.lower() in COMPILED_SUFFIXES:
        return "compiled files are not taken; send the .py source"
    if suffix not in SOURCE_SUFFIXES and suffix not in DATA_SUFFIXES:
        allowed = ", ".join(sorted(SOURCE_SUFFIXES | DATA_SUFFIXES))
        return f"suffix {suffix or '(none)'!r} is not taken; allowed: {allowed}"
    if suffix == ".py" and is_test(name):
        return f"test file {name} is not taken; the tests are the task's own"
    return None
