"""Cuts of test files: what goes, and what stays as it was."""

import ast
from textwrap import dedent

import pytest

from kaiju_grading.languages.python.surgery import cut

PATH = "tests/test_a.py"
INHERITED = """
    class Base(unittest.TestCase):
        def test_a(self):
            self.assertEqual(f(), 12)

    class Derived(Base):
        def test_b(self):
            self.assertEqual(g(), 34)
"""
FILE = '''"""Tests."""
import unittest

import pytest

KEPT = [1, 2]
SECRET = {"a": "expected of test_two"}


@pytest.fixture
def thing():
    return KEPT


# about one
@pytest.mark.parametrize("x", KEPT)
def test_one(x,
             thing):
    assert x  # yes


# about two,
# in two lines
def test_two():
    assert SECRET["a"]


class TestThings(unittest.TestCase):
    """Things."""

    def setUp(self):
        self.x = 1

    def test_three(self):
        pass

    # about four

    def test_four(self):
        pass


class TestOther:
    def test_five(self):
        pass


def helper():
    return 1


if KEPT:

    def test_six():
        pass
'''


def cut_to(*names: str) -> str:
    return cut(PATH, FILE.encode(), frozenset(f"{PATH}::{name}" for name in names)).decode()


def test_a_cut_file_is_the_file_without_other_tests_and_otherwise_unchanged() -> None:
    text = cut_to("test_one", "TestThings::test_four")

    removed = ("# about two,\n# in two lines\n", 'def test_two():\n    assert SECRET["a"]\n')
    assert all(part not in text for part in removed)
    assert "SECRET" not in text
    assert "TestOther" not in text
    assert "test_three" not in text
    assert '# about one\n@pytest.mark.parametrize("x", KEPT)\ndef test_one(x,\n             thing):\n' in text
    assert "    # about four\n\n    def test_four(self):\n        pass\n" in text
    assert "def helper():\n    return 1\n" in text
    assert "if KEPT:\n    pass\n" in text
    ast.parse(text)


def test_everything_kept_is_the_file_itself() -> None:
    names = ("test_one", "test_two", "TestThings::test_three", "TestThings::test_four")

    assert cut_to(*names, "TestOther::test_five", "test_six") == FILE


def test_nothing_kept_leaves_fixtures_and_helpers() -> None:
    text = cut_to()

    assert "def thing" in text
    assert "def helper" in text
    assert "test_" not in text.replace("expected of test_two", "")


def test_a_base_class_keeps_what_a_kept_test_inherits() -> None:
    text = dedent(INHERITED)

    result = cut(PATH, text.encode(), frozenset({f"{PATH}::Derived::test_a"})).decode()

    assert "def test_a" in result
    assert "def test_b" not in result
    assert "class Derived(Base):\n    pass\n" in result


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_stay(end: str) -> None:
    text = "def test_a():\n    pass\n\n\ndef test_b():\n    pass\n".replace("\n", end)

    result = cut(PATH, text.encode(), frozenset({f"{PATH}::test_b"})).decode()

    assert result.split(end)[-3:] == ["def test_b():", "    pass", ""]
    assert "test_a" not in result


def test_a_file_that_is_not_python_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match="is not a Python file"):
        cut(PATH, b"def f(:\n", frozenset())
