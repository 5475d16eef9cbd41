"""Altered files against real ones, told apart by fixed forms alone: little better than a coin."""

import ast
import builtins
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import kaiju_tasks
from kaiju_grading.compose import apply_sites
from kaiju_grading.files import Files
from kaiju_grading.languages.python.surgery import cells
from kaiju_grading.suite import Cell, Test
from kaiju_sandbox.command import File

TALLY = Path(kaiju_tasks.__file__).parent / "library" / "tally"
USUAL = {
    *("AssertionError", "AttributeError", "Exception", "FileNotFoundError", "ImportError", "IndexError"),
    *("KeyError", "LookupError", "NotImplementedError", "OSError", "RuntimeError", "StopIteration"),
    *("TypeError", "ValueError"),
}
"""Built-in exceptions that tests of many libraries expect."""
MIXES = 40


def tells(tree: ast.Module) -> int:
    """How often a file shows a form that people rarely write."""
    return sum(map(_is_tell, ast.walk(tree)))


def _is_tell(node: ast.AST) -> bool:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare()):
            return True
        case ast.Call(func=ast.Attribute(attr="assertFalse"), args=[ast.Compare(), *_]):
            return True
        case ast.Call(func=ast.Attribute(attr="raises" | "assertRaises" | "assertRaisesRegex")):
            return any(isinstance(name, ast.Name) and _is_rare(name.id) for name in node.args[:1])
        case ast.Constant(value=str() as text):
            return any(map(_looks_made, re.findall("[a-z]{4,}", text.lower())))
        case _:
            return False


def _is_rare(name: str) -> bool:
    return hasattr(builtins, name) and name not in USUAL


def _looks_made(word: str) -> bool:
    """No vowel, or no end of consonants."""
    return not re.search("[aeiouy]", word) or re.search("[^aeiouy]{5}", word) is not None


def parsed(files: Files) -> list[ast.Module]:
    return [ast.parse(files[path].data) for path in sorted(files)]


def right(real: int, altered: int) -> float:
    """What a guess at the altered one of two earns: the one with more tells, a coin when there is none."""
    return 0.5 if real == altered else float(altered > real)


@pytest.fixture(scope="module")
def files() -> Files:
    return {path.name: File(path.read_bytes()) for path in sorted((TALLY / "tests").glob("test_*.py"))}


@pytest.fixture(scope="module")
def alterable(files: Files) -> tuple[Cell, ...]:
    """The alterations of all of tally's tests, as pytest collects these."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "--rootdir=."],
        cwd=TALLY / "tests",
        env={**os.environ, "PYTHONPATH": "../src", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    ids = [line for line in listed.stdout.splitlines() if "::" in line]
    counted: Counter[str] = Counter()
    tests = []
    for id in ids:
        unit = id.partition("[")[0]
        tests.append(Test(id, unit, counted[unit]))
        counted[unit] += 1
    found = cells(files, tuple(tests))
    assert len(tests) > 200
    assert sum(len(cell.tests) for cell in found) > 0.9 * len(tests)
    return found


def test_one_altered_test_is_told_from_the_real_one_hardly_better_than_by_a_coin(
    files: Files, alterable: tuple[Cell, ...]
) -> None:
    real = {path: tells(ast.parse(file.data)) for path, file in files.items()}
    shares = []
    for cell in alterable:
        path = cell.sites[0].path
        altered = [apply_sites({path: files[path]}, [site]) for site in cell.sites]
        guesses = [right(real[path], tells(*parsed(one))) for one in altered]
        shares.append(sum(guesses) / len(guesses))

    assert sum(shares) / len(shares) < 0.52


def test_a_half_altered_file_is_told_from_the_real_one_hardly_better_than_by_a_coin(
    files: Files, alterable: tuple[Cell, ...]
) -> None:
    chance = random.Random(1)
    guesses = []
    for _ in range(MIXES):
        half = [cell for cell in alterable if chance.random() < 0.5]
        altered = apply_sites(files, [chance.choice(cell.sites) for cell in half])
        guesses += [
            right(tells(ast.parse(file.data)), tells(ast.parse(altered[path].data)))
            for path, file in files.items()
        ]

    assert sum(guesses) / len(guesses) < 0.55


WORDS = (
    *("apple", "fig", "cherry", "plum", "banana", "kiwi", "orange", "lime", "grapefruit", "pear"),
    *("apricot", "date", "blackberry", "nut", "mango", "quince", "melon", "papaya", "lychee", "olive"),
    *("tomato", "leek", "pumpkin", "bean", "radish", "cabbage", "fennel", "beet", "artichoke", "okra"),
)
APART = "    pass\n" * 10
"""So that what one test says does not stand near another."""


def altered_tests(bodies: list[str]) -> list[list[str]]:
    """By test of a file: how it reads with each of its wrong values."""
    text = "".join(f"def test_{n}():\n{body}{APART}" for n, body in enumerate(bodies))
    files = {"test_a.py": File(text.encode())}
    ids = [f"test_a.py::test_{n}" for n in range(len(bodies))]
    found = {cell.tests[0]: cell.sites for cell in cells(files, tuple(Test(id, id) for id in ids), "secret")}
    return [
        [
            apply_sites(files, [site])["test_a.py"].data.decode().split("def test_")[n + 1]
            for site in found[id]
        ]
        for n, id in enumerate(ids)
    ]


def expected(test: str) -> str:
    return test.partition(" == ")[2].split()[0]


def test_where_tests_expect_what_they_were_given_altered_ones_do_so_too() -> None:
    threes = zip(WORDS[::3], WORDS[1::3], WORDS[2::3], strict=True)
    lines = "    s = g('{0}')\n    s.add('{1}')\n    s.add('{2}')\n    assert s.first() == '{0}'\n"
    found = [test for tests in altered_tests([lines.format(*words) for words in threes]) for test in tests]

    given = [expected(test) in test.partition(" == ")[0] for test in found]
    assert len(found) == 20
    assert sum(given) >= 18


@pytest.mark.parametrize(
    "line",
    [
        "assert not f() == 3",
        "self.assertFalse(f() == 3)",
        "pytest.raises(ZeroDivisionError)",
        "self.assertRaises(EOFError, f)",
        "assert f() == 'xkqvz text'",
    ],
)
def test_forms_that_are_told_are_told(line: str) -> None:
    assert right(tells(ast.parse("assert f() == 'some text'")), tells(ast.parse(line))) == 1
