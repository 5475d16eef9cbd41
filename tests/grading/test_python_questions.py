"""Which assertions of Python tests are asked: the expected literal leaves the file, all else stays."""

import ast
from textwrap import dedent

import pytest

from kaiju_grading import plain
from kaiju_grading.languages.python.surgery import cells
from kaiju_grading.languages.python.surgery_questions import MAX_QUESTIONS
from kaiju_grading.suite import Cell, Site, Test
from kaiju_sandbox.command import File

PATH = "tests/test_a.py"
HEAD = "import unittest\nimport pytest\nfrom lib import f, g\n\n"


def cells_of(text: str, unit: str = "test_a", ids: int = 0) -> tuple[Cell, ...]:
    full = f"{PATH}::{unit}"
    tests = [Test(f"{full}[{number}]", full, number) for number in range(ids)] or [Test(full, full)]
    return cells({PATH: File((HEAD + dedent(text)).encode())}, tuple(tests))


def asking(text: str, sites: tuple[Site, ...]) -> str:
    """The text with these questions in place, keys left out."""
    data = (HEAD + dedent(text)).encode()
    for site in sorted(sites, key=lambda site: -site.start):
        replacement = site.replacement
        if site.question:
            replacement = replacement.replace(repr(site.question.key), "0")
        data = data[: site.start] + replacement.encode() + data[site.end :]
    ast.parse(data)
    return data.decode().removeprefix(HEAD)


def body(text: str) -> tuple[str, list[object]]:
    """What becomes of a test's body, and what the grader keeps."""
    written = "def test_a(self):\n" + "".join(
        f"    {line}\n" for line in dedent(text).strip("\n").split("\n")
    )
    asked = tuple(site for cell in cells_of(written) for site in cell.asked)
    kept = [plain.decode(site.question.expected) for site in asked if site.question]
    return dedent(asking(written, asked).partition("\n")[2]).rstrip("\n"), kept


@pytest.mark.parametrize(
    ("written", "asked", "expected"),
    [
        ("assert f(2) == 7", "assert __kaiju_ask__(__kaiju_key__(0), f(2))", 7),
        ("assert 'b' == f('a')", "assert __kaiju_ask__(__kaiju_key__(0), f('a'))", "b"),
        ("assert f() == -0.5, g()", "assert __kaiju_ask__(__kaiju_key__(0), f()), g()", -0.5),
        (
            "assert f() == [1, (2,), {'k': {3}}]",
            "assert __kaiju_ask__(__kaiju_key__(0), f())",
            [1, (2,), {"k": {3}}],
        ),
        (
            "assert (f() ==\n    'one '\n    'text')",
            "assert (__kaiju_ask__(__kaiju_key__(0), f()))",
            "one text",
        ),
        (
            "assert f(\n    1,  # why\n) == None",
            "assert __kaiju_ask__(__kaiju_key__(0), f(\n    1,  # why\n))",
            None,
        ),
        ("self.assertEqual(f(1), 7)", "assert __kaiju_ask__(__kaiju_key__(0), f(1))", 7),
        ("self.assertEqual({}, f(1))", "assert __kaiju_ask__(__kaiju_key__(0), f(1))", {}),
        ("self.assertListEqual(f(1), [2])", "assert __kaiju_ask__(__kaiju_key__(0), f(1))", [2]),
        ("assert (x := f()) == 7", "assert __kaiju_ask__(__kaiju_key__(0), x := f())", 7),
        (
            "for x in [1, 2]:\n    assert f(x) == b'y'",
            "for x in [1, 2]:\n    assert __kaiju_ask__(__kaiju_key__(0), f(x))",
            b"y",
        ),
    ],
)
def test_the_literal_goes_and_what_is_computed_stays(written: str, asked: str, expected: object) -> None:
    assert body(written) == (asked, [expected])


def test_every_operand_and_every_assertion_of_a_test_is_asked() -> None:
    asked, expected = body("assert f(1) == 3 and g()\nassert f(2) == 4\nassert f(3) != 5")
    assert asked == (
        "assert __kaiju_ask__(__kaiju_key__(0), f(1)) and g()\n"
        "assert __kaiju_ask__(__kaiju_key__(0), f(2))\n"
        "assert f(3) != 5"
    )
    assert expected == [3, 4]


def test_an_expected_value_with_a_name_gives_way_where_it_stands() -> None:
    asked, expected = body("wanted = [1, 2]\nassert f(1) == wanted\nassert wanted == f(2)")
    assert asked == (
        "wanted = __kaiju_key__(0)\nassert __kaiju_ask__(wanted, f(1))\nassert __kaiju_ask__(wanted, f(2))"
    )
    assert expected == [[1, 2]]


@pytest.mark.parametrize(
    "written",
    [
        "assert f(1) != 7",
        "assert f(1) is None",
        "assert f(1) == g(1)",
        "assert f(1) == [g(1)]",
        "assert 7 == 7",
        "assert 1 < f() == 7",
        "assert f() == f'{1}'",
        "assert f() == 1j",
        "assert f() == pytest.approx(0.5)",
        "assert not f() == 7",
        "assert f() == 7 or g()",
        "if g():\n    assert f() == 7",
        "try:\n    assert f() == 7\nexcept Exception:\n    pass",
        "with g():\n    assert f() == 7",
        "def inner():\n    assert f() == 7\ng(inner)",
        "self.assertEqual(f(1), 7, 'seven')",
        "self.assertCountEqual(f(1), [7])",
        "self.assertSequenceEqual(f(1), [7])",
        "self.assertAlmostEqual(f(1), 7)",
        "other.assertEqual(f(1), 7)",
        "self.assertEqual(*f(), 7)",
        "wanted = [1]\nwanted.append(2)\nassert f() == wanted",
        "assert f() == 'said here'  # what is said here",
        "yield\nassert f() == 7",
        "self.assertListEqual(f(1), [])",
    ],
)
def test_what_need_not_run_or_has_no_literal_of_its_own_is_not_asked(written: str) -> None:
    assert body(written)[1] == []


@pytest.mark.parametrize(
    ("written", "echoed"),
    [
        ("assert f('a') == 'a'", True),
        ("f([1, 2])\nassert g() == [1, 2]", True),
        ("assert f(2) == 2", True),
        ("assert f('a') == 'b'", False),
        ("f([1, 2])\nassert g() == [2, 1]", False),
        ("assert f(1) == 'b'\nassert f(2) == 'b'", False),
    ],
)
def test_a_value_that_the_rest_of_the_test_says_is_known_as_such(written: str, echoed: bool) -> None:
    text = "def test_a():\n" + "".join(f"    {line}\n" for line in written.split("\n"))
    questions = [site.question for cell in cells_of(text) for site in cell.asked if site.question]
    assert questions
    assert {question.echoed for question in questions} == {echoed}


def test_a_test_is_asked_so_much_and_no_more() -> None:
    many = "\n".join(f"assert f({number}) == {number + 500}" for number in range(MAX_QUESTIONS + 9))
    assert len(body(many)[1]) == MAX_QUESTIONS


ROWS = """
    @pytest.mark.parametrize("x, wanted", [
        (1, 10),
        pytest.param(2, "text", id="two"),
        (3, None),
        (4, [g()]),
        (5, 5),
    ])
    def test_a(x, wanted):
        assert f(x) == wanted
"""


def test_rows_are_asked_one_by_one_and_others_still_compare() -> None:
    found = {cell.tests[0][-2]: cell for cell in cells_of(ROWS, ids=5)}
    assert {place for place, cell in found.items() if cell.asked} == {"0", "1", "4"}
    told = asking(ROWS, found["1"].asked)
    assert 'pytest.param(2, __kaiju_key__(0), id="two")' in told
    assert "(1, 10)" in told
    assert "assert __kaiju_ask__(wanted, f(x))" in told
    assert [cell.asked[-1].question.echoed for cell in found.values() if cell.asked[-1].question] == [
        *(False, False, True)
    ]


def test_rows_asked_together_share_the_edit_of_the_body() -> None:
    found = cells_of(ROWS, ids=5)
    together = tuple(dict.fromkeys(site for cell in found for site in cell.asked))
    told = asking(ROWS, together)
    assert told.count("__kaiju_ask__") == 1
    assert told.count("__kaiju_key__") == 3


def test_tests_that_share_their_code_are_asked_together() -> None:
    text = "@pytest.mark.parametrize('x', [1, 2])\ndef test_a(x):\n    assert f(x) == 7\n"
    (cell,) = cells_of(text, ids=2)
    assert len(cell.tests) == 2
    assert len(cell.asked) == 1
