"""Which paths a Python submission may hold."""

import re

import pytest

from kaiju_grading import languages

ROOTS = ("tinydb", "src/simpy", "six.py", "src")


def refusal(path: str, roots: tuple[str, ...] = ROOTS) -> str | None:
    return languages.get("python").admits(path, roots)


@pytest.mark.parametrize(
    "path",
    [
        *("tinydb/__init__.py", "tinydb/storages/json.py", "tinydb/py.typed", "tinydb/new/deep/file.pyi"),
        *("src/simpy/core.py", "six.py", "tinydb/data/table.json", "tinydb/grammar.lark", "src/other/a.py"),
        *("tinydb/testing.py", "tinydb/latest.py", "tinydb/contest/a.py", "tinydb/attestation.py"),
    ],
)
def test_sources_and_data_of_the_library_are_admitted(path: str) -> None:
    assert refusal(path) is None


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("setup.py", "outside the library"),
        ("tinydbx/a.py", "outside the library"),
        ("tinydb/conftest.py", "conftest.py steers"),
        ("tinydb/CONFTEST.py", "steers"),
        ("tinydb/sitecustomize.py", "steers"),
        ("tinydb/setup.py", "steers"),
        ("tinydb/setup.cfg", "suffix '.cfg' is not taken; allowed: "),
        ("tinydb/pytest.ini", "suffix '.ini'"),
        ("tinydb/pyproject.toml", "suffix '.toml'"),
        ("tinydb/evil.pth", "suffix '.pth'"),
        ("tinydb/Makefile", r"suffix '\(none\)'"),
        ("tinydb/A.PY", "suffix '.PY'"),
        ("tinydb/core.so", "compiled"),
        ("tinydb/core.cpython-311-x86_64-linux-gnu.so", "compiled"),
        ("tinydb/core.PYD", "compiled"),
        ("tinydb/core.pyc", "compiled"),
        ("tinydb/__pycache__/core.py", "compiled"),
        ("tinydb/x.dist-info/entry_points.txt", "package metadata"),
        ("tinydb/x.egg-info/PKG-INFO.txt", "package metadata"),
        ("tinydb/tests/a.py", "test folder tests/"),
        ("tinydb/test_core.py", "test file test_core.py"),
        ("tinydb/core_test.py", "test file core_test.py"),
        ("tinydb/.hidden/a.py", "hidden folder"),
        ("tinydb/.a.py", "hidden files"),
    ],
)
def test_what_steers_a_tool_is_refused_with_a_reason(path: str, words: str) -> None:
    reason = refusal(path)

    assert reason is not None
    assert re.search(words, reason)


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("src/pytest.py", "src"),
        ("src/json/__init__.py", "src"),
        ("pluggy/__init__.py", "pluggy"),
        ("unittest.py", "unittest.py"),
        ("lib/_pytest/a.py", "lib"),
    ],
)
def test_a_name_that_the_runner_needs_is_refused_at_the_top(path: str, root: str) -> None:
    reason = refusal(path, (root,))

    assert reason is not None
    assert "would replace a module" in reason


def test_such_a_name_inside_a_package_is_admitted() -> None:
    assert refusal("tinydb/json.py") is None
    assert refusal("tinydb/pytest.py") is None
