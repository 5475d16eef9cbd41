"""Alterations of tests: what is offered, and what never is."""

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Mapping
from io import BytesIO
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiju_grading import languages
from kaiju_grading.languages.python.surgery import cells
from kaiju_grading.preparation import Surgery
from kaiju_grading.suite import Cell, Site, SiteKind, Test
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment

PATH = "tests/test_a.py"
HEAD = "import unittest\nimport pytest\nfrom lib import f, g\n\n"


def cells_of(text: str, *units: str, ids: Mapping[str, int] | None = None) -> tuple[Cell, ...]:
    """Cells of one file; `ids` gives the number of ids of a unit (default: one each)."""
    tests: list[Test] = []
    for unit in units or ("test_a",):
        count = (ids or {}).get(unit, 0)
        full = f"{PATH}::{unit}"
        tests += [Test(f"{full}[{number}]", full, number) for number in range(count)] or [Test(full, full)]
    return cells({PATH: File((HEAD + dedent(text)).encode())}, tuple(tests))


def drawn(library: str) -> list[str]:
    """Wrong values of twenty tests of a library, as its preparation draws them."""
    text = HEAD + "".join(f"def test_{n}():\n    assert f() == {n + 1}5{n % 7}\n" for n in range(20))
    tests = tuple(Test(f"{PATH}::test_{n}", f"{PATH}::test_{n}") for n in range(20))
    files = {PATH: File(text.encode())}
    surgery = Surgery(
        {"lib/__init__.py": File(library.encode())},
        files,
        tests,
        environment=Environment("python", (), (), {}, {}),
    )
    steps = languages.preparation("python").cells(surgery)
    with pytest.raises(StopIteration) as ended:
        next(steps)
    return [site.replacement for cell in ended.value.value for site in cell.sites]


def test_a_warning_about_the_text_of_a_test_file_takes_no_alteration_away() -> None:
    """Who runs Python with warnings as errors prepares the same task."""
    assert cells_of('def test_a():\n    """Roots \\l."""\n    assert f() == "one two"\n')


def test_wrong_values_cannot_be_drawn_again_by_code_that_reads_the_tests() -> None:
    """It would see which of two versions it has before it. The bodies that were taken out decide."""
    first = drawn("def f(): return 1\n")
    assert first == drawn("def f(): return 1\n")
    assert first != drawn("def f(): return 2\n")


def altered(text: str, site: Site) -> str:
    data = (HEAD + dedent(text)).encode()
    result = (data[: site.start] + site.replacement.encode() + data[site.end :]).decode()
    ast.parse(result)
    return result.removeprefix(HEAD)


def variants(body: str, head: str = "def test_a():") -> list[tuple[str, Site]]:
    """The altered bodies of one test, and their sites."""
    text = head + "\n" + "".join(f"    {line}\n" for line in dedent(body).strip("\n").split("\n"))
    return [
        (dedent(altered(text, site).partition("\n")[2]).rstrip("\n"), site)
        for cell in cells_of(text)
        for site in cell.sites
    ]


VALUES = [
    "assert f() == 7",
    "assert 7 == f()",
    "assert f() == -125",
    "assert f() == 0.25",
    "assert f() == 1_000",
    "assert f() == 'a text'",
    "assert f() == b'bytes'",
    'assert f() == r"raw\\d"',
    "assert f() == 'two ' 'parts'",
    "assert f() == [1, g(), {'k': 3}]",
    "assert f() == {'k': g(), 'v': 'w'}",
    "assert f() == (1, (2, 3))",
    "assert f() == {1, 2}",
    "assert f() == set([1, 2])",
    "assert f() == dict(a=1)",
    "assert f() == ' '.join(['a', 'b'])",
    "assert f() == 'x%s' % g()",
    "assert f() == 'value {}'.format(g())",
    "assert f() == g() == 12",
    "assert f() and g() == 31",
    "assert f() == pytest.approx(3.14)",
    "self.assertEqual(f(), 12)",
    "self.assertEqual(12, f())",
    "self.assertListEqual(f(), [1, 2])",
    "self.assertAlmostEqual(f(), 2.5)",
    "self.assertAlmostEqual(f(), 25, delta=1)",
    "self.assertTrue(f() == 3)",
    "m.assert_called_once_with(1, key='v')",
    "expected = [1, 2]\nassert f() == expected",
    "for x in (1, 2):\n    assert f(x) == 4",
    "with open(p) as h:\n    assert h.read() == 'abc'",
    "with self.subTest():\n    assert f() == 4",
]


@pytest.mark.parametrize("body", VALUES)
def test_an_expected_value_is_changed_in_place_in_its_own_form(body: str) -> None:
    found = [(text, site) for text, site in variants(body, "def test_a(self):") if not site.weak]

    assert found
    for text, site in found:
        assert shape(text) == shape(body)
        assert text != body
        assert site.kind in {SiteKind.EQUAL, SiteKind.HELPER}


def shape(text: str) -> list[tuple[int, str]]:
    """Tokens with their kinds; words and numbers in literals are all alike."""
    tokens = tokenize.tokenize(BytesIO(text.encode()).readline)
    literal = {tokenize.NUMBER, tokenize.STRING}
    return [
        (item.type, re.sub("[a-zA-Z]+", "a", re.sub("[0-9]+", "0", item.string)))
        if item.type in literal
        else (item.type, item.string)
        for item in tokens
    ]


COMPLEMENTS = {
    "assert f()": "assert not f()",
    "assert not f()": "assert f()",
    "assert not(f() or g())": "assert (f() or g())",
    "assert f() == g()": "assert f() != g()",
    "assert (f()) == (g())": "assert (f()) != (g())",
    "assert f() != 3": "assert f() == 3",
    "assert f() < 3": "assert f() >= 3",
    "assert f() <= 3": "assert f() > 3",
    "assert f() > g(1 < 2)": "assert f() <= g(1 < 2)",
    "assert f() >= 3": "assert f() < 3",
    "assert 1 < f() < 3": "assert not 1 < f() < 3",
    "assert 'a' in f()": "assert 'a' not in f()",
    "assert 'a' not in f()": "assert 'a' in f()",
    "assert f() is None": "assert f() is not None",
    "assert f() is not None": "assert f() is None",
    "assert f() is True": "assert f() is False",
    "assert f() == True": "assert f() == False",
    "assert f() == ''": "assert f() != ''",
    "self.assertTrue(f())": "self.assertFalse(f())",
    "self.assertIn(1, f())": "self.assertNotIn(1, f())",
    "self.assertIsNone(f())": "self.assertIsNotNone(f())",
    "self.assertIsInstance(f(), int)": "self.assertNotIsInstance(f(), int)",
    "self.assertEqual(f(), g())": "self.assertNotEqual(f(), g())",
    "self.assertNotEqual(f(), 3)": "self.assertEqual(f(), 3)",
    "self.assertGreater(f(), 3)": "self.assertLessEqual(f(), 3)",
    "self.assertLess(f(), 3, 'text')": "self.assertGreaterEqual(f(), 3, 'text')",
}


@pytest.mark.parametrize(("body", "complement"), COMPLEMENTS.items())
def test_where_there_is_no_value_the_exact_complement_is_offered_as_weak(body: str, complement: str) -> None:
    found = variants(body, "def test_a(self):")

    assert [text for text, _ in found] == [complement]
    assert all(site.weak for _, site in found)


@pytest.mark.parametrize("body", COMPLEMENTS)
def test_a_complement_that_a_class_may_answer_by_itself_accuses_nobody(body: str) -> None:
    two_answers = re.search(r"[^=]==|!=|[<>]|Equal|Greater|Less", body) and "True" not in body

    assert all(
        site.conditional is bool(two_answers) or site.replacement == "not "
        for _, site in variants(body, "def test_a(self):")
    )


SKIPPABLE = [
    "for x in f():\n    assert x == 1",
    "for x in (1, 2):\n    if f(x):\n        break\n    assert g(x) == 1",
    "while f():\n    assert g() == 1",
    "with f():\n    assert g() == 1",
    "async with f() as h:\n    assert await h.g() == 1",
    "try:\n    f()\n    pytest.fail('no error')\nexcept ValueError as error:\n    assert error.code == 1",
    "try:\n    f()\nexcept ValueError as error:\n    assert error.code == 1\nelse:\n    assert False",
    "def inner():\n    assert g() == 1\nf(inner)",
    "def inner(env):\n    yield env\n    with env.h():\n        assert g() == 1\nf(inner)",
    "class A:\n    def m(self):\n        assert g() == 1",
]


@pytest.mark.parametrize("body", SKIPPABLE)
def test_what_another_implementation_could_skip_is_altered_so_that_it_accuses_nobody(body: str) -> None:
    found = variants(body, "async def test_a(self):")

    assert found
    assert all(site.conditional and site.kind is SiteKind.EQUAL and not site.weak for _, site in found)


@pytest.mark.parametrize("body", SKIPPABLE)
def test_what_runs_in_any_case_is_altered_before_what_could_be_skipped(body: str) -> None:
    found = variants(f"{body}\nassert f(2)", "async def test_a(self):")

    assert [site.replacement for _, site in found] == ["not "]
    assert not any(site.conditional for _, site in found)


NEVER = [
    "pass",
    "assert f() or g()",
    "assert f() if g() else f()",
    "assert (lambda: 1)",
    "if f():\n    assert g() == 1",
    "for x in f():\n    if x:\n        assert x == 1",
    "match f():\n    case 1:\n        assert g() == 1",
    "try:\n    assert f() == 1\nexcept Exception:\n    pass",
    "try:\n    f()\nexcept ValueError as error:\n    assert error.code == 1",
    "try:\n    assert f() == 1\nfinally:\n    return",
    "if f():\n    return\nassert g() == 1",
    "def inner():\n    if f():\n        return\n    assert g() == 1\nf(inner)",
    "f(lambda: self.assertEqual(g(), 1))",
    "with pytest.raises(BaseException):\n    assert f() == 1",
    "with contextlib.suppress(KeyError):\n    assert f() == 1",
    "with pytest.raises((ValueError, KeyError)):\n    f()",
    "with pytest.warns(UserWarning):\n    f()",
    "self.assertRegex(f(), 'a+')",
    "self.assertAlmostEqual(f(), 2.5, delta=g())",
    "other.assertEqual(f(), 3)",
    "m.assert_any_call(1)",
    "yield\nassert f() == 1",
]


@pytest.mark.parametrize("body", NEVER)
def test_what_another_implementation_could_pass_or_skip_is_never_altered(body: str) -> None:
    assert variants(body, "def test_a(self):") == []


@pytest.mark.parametrize(
    "body",
    [
        "'''The answer is 42.'''\nassert f() == 42",
        "assert f() == 42  # not 41 but 42",
        "assert f() == 42, 'expected 42'",
        "assert f() == 'word'  # the word",
        "assert f() == pytest.approx(3.1, abs=5)",
        "assert f() == pytest.approx(3.1, rel=tolerance)",
        "self.assertAlmostEqual(f(), 2.5, delta=9)",
        "assert f() == Other(1)",
        "assert f() == {g(): 1, **h}",
        "assert f() == [1, *g()]",
        "expected = [1]\nexpected.append(g())\nassert f() == expected",
        "expected = 3\nassert f(expected) == expected",
        "assert f() == '%s'",
        "assert f() == '\\n\\t'",
    ],
)
def test_a_value_that_is_told_or_not_certain_is_not_altered(body: str) -> None:
    assert all(
        site.weak or site.kind is not SiteKind.EQUAL for _, site in variants(body, "def test_a(self):")
    ) or ("'%s'" in body)


@pytest.mark.parametrize(
    "body",
    [
        "with pytest.raises(ValueError):\n    f()",
        "self.assertRaises(KeyError, f, 1)",
        "pytest.raises(TypeError, f)",
    ],
)
def test_an_expected_exception_becomes_another_that_tests_expect(body: str) -> None:
    found = variants(body, "def test_a(self):")

    assert found
    for text, site in found:
        old = eval(re.findall(r"[A-Z]\w+Error", body)[0])
        new = eval(re.findall(r"[A-Z]\w+Error", text)[0])
        assert not issubclass(old, new)
        assert not issubclass(new, old)
        assert new in {AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError}
        assert site.kind is SiteKind.RAISES
        assert site.conditional


def test_an_expected_exception_becomes_one_that_the_file_expects_elsewhere() -> None:
    rare = "def test_b():\n    with pytest.raises(OverflowError):\n        f()\n"
    text = f"def test_a():\n    with pytest.raises(ValueError):\n        f()\n\n{rare}"

    assert "OverflowError" in {site.replacement for cell in cells_of(text) for site in cell.sites}


@pytest.mark.parametrize("error", ["LibError", "lib.LibError"])
def test_the_librarys_own_exception_is_altered_where_nothing_else_can_be(error: str) -> None:
    body = f"with pytest.raises({error}) as caught:\n    f()"

    assert {site.kind for _, site in variants(body)} == {SiteKind.RAISES}
    assert all(site.conditional for _, site in variants(body))
    assert {site.kind for _, site in variants(f"{body}\nassert caught.value.code == 7")} == {SiteKind.EQUAL}


@pytest.mark.parametrize(
    ("text", "altered"),
    [
        ("'no such thing'", True),
        ("'expected 2, got 1'", True),
        (r"r'missing -0\.01 EUR'", True),
        ("'why'", False),
        (r"r'\d thing'", False),
        ("'one|two'", False),
        ("'(one) thing'", False),
        ("'no thing' + f(1)", False),
        ("f(1)", False),
    ],
)
@pytest.mark.parametrize(
    "form", ["pytest.raises(LibError, match=%s)", "self.assertRaisesRegex(LibError, %s)"]
)
def test_an_expected_message_is_changed_in_place_where_it_is_plain_text(
    form: str, text: str, altered: bool
) -> None:
    found = variants(f"with {form % text}:\n    f()", "def test_a(self):")

    assert found
    assert all(("LibError" in changed) is altered for changed, _ in found)
    assert all(site.conditional and site.kind is SiteKind.RAISES for _, site in found)
    if altered:
        assert {changed[changed.index("LibError") + 8 :][:3] for changed, _ in found} <= {", '", ", r", ", m"}
        assert all(r"\." in changed for changed, _ in found if "." in text)


@pytest.mark.parametrize("variable", ["ErrorType = f(2)\n", "for ErrorType in f():\n    pass\n", ""])
def test_a_variable_is_no_exception_that_could_be_another(variable: str) -> None:
    body = f"{variable}with pytest.raises(ErrorType):\n    f()"

    assert variants(body, f"def test_a(self{'' if variable else ', ErrorType'}):") == []


ROWS = """
    @pytest.mark.parametrize("x, expected", [
        (1, 10),
        pytest.param(2, "text", id="two"),
        (3, None),
        (4, [5, 6]),
    ])
    def test_a(x, expected):
        assert f(x) == expected
"""


def test_rows_with_an_expected_value_are_altered_one_by_one() -> None:
    found = cells_of(ROWS, ids={"test_a": 4})

    assert [cell.tests for cell in found] == [(f"{PATH}::test_a[{number}]",) for number in (0, 1, 3)]
    for cell in found:
        for site in cell.sites:
            changed = [
                number
                for number, (old, new) in enumerate(
                    zip(dedent(ROWS).split("\n"), altered(ROWS, site).split("\n"), strict=True)
                )
                if old != new
            ]
            assert changed == [2 + int(cell.tests[0][-2])]


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("@pytest", '@pytest.mark.parametrize("y", [1])\n    @pytest'),
        ("== expected", "== expected or expected"),
        ("f(x)", "f(x, expected)"),
        ("])\n", "], indirect=True)\n"),
        ("assert f", "if x: assert f"),
    ],
)
def test_rows_are_left_alone_when_ids_or_uses_are_not_certain(change: str, to: str) -> None:
    found = cells_of(ROWS.replace(change, to), ids={"test_a": 4})

    assert all(len(cell.tests) == 4 and all(site.weak for site in cell.sites) for cell in found)


def test_rows_are_left_alone_when_there_are_more_ids_than_rows() -> None:
    found = cells_of(ROWS, ids={"test_a": 8})

    assert [len(cell.tests) for cell in found] == [8]


def test_a_table_of_the_module_is_altered_when_one_test_uses_it() -> None:
    decorator = "@pytest.mark.parametrize('x,e', CASES)"
    text = f"CASES = [(1, 20), (2, 31)]\n\n{decorator}\ndef test_a(x, e):\n    assert f(x) == e\n"
    other = text + "\ndef test_b():\n    assert f(CASES[0][0]) == 1\n"

    assert len(cells_of(text, ids={"test_a": 2})) == 2
    assert all(site.weak for cell in cells_of(other, ids={"test_a": 2}) for site in cell.sites)


def test_expected_exceptions_and_booleans_in_rows_are_altered() -> None:
    raising = """
        @pytest.mark.parametrize("x, error", [(1, ValueError), (2, LibError)])
        def test_a(x, error):
            with pytest.raises(error):
                f(x)
    """
    boolean = """
        @pytest.mark.parametrize("x, expected", [(1, True), (2, False)])
        def test_a(x, expected):
            assert f(x) is expected
    """

    assert [site.kind for cell in cells_of(raising, ids={"test_a": 1}) for site in cell.sites] == [
        SiteKind.RAISES
    ] * 2
    assert [site.replacement for cell in cells_of(boolean, ids={"test_a": 2}) for site in cell.sites] == [
        *("False", "True")
    ]


INHERITED = """
    class Base(unittest.TestCase):
        def test_a(self):
            self.assertEqual(f(), 12)

    class Derived(Base):
        def test_b(self):
            self.assertEqual(g(), 34)
"""


def test_tests_that_share_their_code_share_a_cell() -> None:
    found = cells_of(INHERITED, "Base::test_a", "Derived::test_a", "Derived::test_b")

    assert [cell.tests for cell in found] == [
        (f"{PATH}::Base::test_a", f"{PATH}::Derived::test_a"),
        (f"{PATH}::Derived::test_b",),
    ]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("from .test_base import Base as B\n\nclass TestMore(B):\n    pass\n", "TestMore::test_a"),
        ("from tests.test_base import Base\n\nclass TestMore(Base):\n    pass\n", "TestMore::test_a"),
        ("from . import test_base\n\nclass TestMore(test_base.Base):\n    pass\n", "TestMore::test_a"),
        ("import test_base as b\n\nclass TestMore(b.Base):\n    pass\n", "TestMore::test_a"),
        ("try:\n    from .test_base import Base\nexcept ImportError:\n    pass\n", "Base::test_a"),
        ("from test_base import Base as TestOther\n", "TestOther::test_a"),
    ],
)
def test_code_of_another_file_is_followed_through_imports_and_bases(text: str, unit: str) -> None:
    base = "class Base:\n    def test_a(self):\n        assert f() == 12\n"
    files = {"tests/test_base.py": base, "tests/test_more.py": text}
    units = ("tests/test_base.py::Base::test_a", f"tests/test_more.py::{unit}")

    found = cells(
        {path: File(text.encode()) for path, text in files.items()}, tuple(Test(unit, unit) for unit in units)
    )

    assert [cell.tests for cell in found] == [units]
    assert {site.path for site in found[0].sites} == {"tests/test_base.py"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_more.py", "from . import Mixin"),
        ("tests/test_more.py", "from tests import Mixin"),
        ("tests/sub/test_more.py", "from .. import Mixin"),
        ("test_more.py", "from tests import Mixin"),
    ],
)
def test_a_mixin_of_the_tests_package_is_found(path: str, text: str) -> None:
    files = {
        "tests/__init__.py": "class Mixin:\n    def test_a(self):\n        assert f() == 12\n",
        path: f"import unittest\n{text}\n\nclass A(unittest.TestCase, Mixin):\n    pass\n",
    }
    unit = f"{path}::A::test_a"

    found = cells({path: File(text.encode()) for path, text in files.items()}, (Test(unit, unit),))

    assert {site.path for cell in found for site in cell.sites} == {"tests/__init__.py"}


def test_bytes_are_counted_not_characters() -> None:
    body = "s = 'äöü€𝄞'; assert f(s) == 'é7é'"
    found = [text for text, site in variants(body) if not site.weak]

    assert found
    assert all(re.fullmatch(r"s = 'äöü€𝄞'; assert f\(s\) == 'é\dé'", text) for text in found)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"# coding: latin-1\nx = '\xff'\n", b"def f(:\n", b"\0"])
def test_files_that_are_not_python_in_utf8_have_no_cells(data: bytes) -> None:
    assert cells({PATH: File(data)}, (Test(f"{PATH}::test_a", f"{PATH}::test_a"),)) == ()


def test_a_form_that_the_file_never_writes_is_altered_only_where_nothing_else_is_certain() -> None:
    beside_a_value = cells_of("def test_a():\n    assert isinstance(f(), A)\n    assert f() == 3\n")
    alone = cells_of("def test_a():\n    assert isinstance(f(), A)\n")
    at_home = cells_of(
        """def test_a():
            assert isinstance(f(), A)
            assert f() == 3
            assert not isinstance(g(), A)
        """
    )

    def negations(found: tuple[Cell, ...]) -> int:
        return sum(site.weak for cell in found for site in cell.sites)

    assert (negations(beside_a_value), negations(alone), negations(at_home)) == (0, 1, 2)


def test_cells_are_the_same_every_time_and_hold_a_few_sites() -> None:
    body = "".join(f"    assert f({number}) == {number}{number}\n" for number in range(1, 30))
    negated = "    assert not g()\n    assert 'a' not in g()\n    assert g() is not None\n"
    text = f"def test_a():\n{body}    assert f()\n    assert 'a' in f()\n    assert f() is None\n{negated}"

    first, second = cells_of(text), cells_of(text)

    assert first == second
    assert len(first[0].sites) == 6
    assert sum(site.weak for site in first[0].sites) == 2


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.integers(0, 10**12),
        st.floats(0, 1e9, allow_nan=False),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
        st.binary(max_size=20),
        st.lists(st.one_of(st.integers(), st.text("abc01 \n'\"\\", max_size=6)), max_size=4),
    )
)
def test_no_value_equals_both_versions(value: object) -> None:
    """Compared after folding case and white space, as a lenient implementation might."""
    body = f"assert f() == {value!r}"

    for text, site in variants(body):
        if not site.weak:
            new = ast.literal_eval(text.partition(" == ")[2])
            assert type(new) is type(value)
            assert folded(new) != folded(value)


def folded(value: object) -> object:
    return "".join(value.split()).casefold() if isinstance(value, str) else value


def test_an_altered_digit_gives_no_hint_of_what_stood_there() -> None:
    """Every digit that can be seen has equally many origins, so that none can be ruled out."""
    seen = Counter(
        re.findall(r"== (\d)", text)[0]
        for origin in range(10)
        for text, _ in variants(f"assert f() == {origin}")
    )

    assert len(seen) == 10
    assert len(set(seen.values())) == 1


HELPER = "def assert_equal(expected, result):\n    print(result)\n    assert expected == result\n"
LOOSE = "def assert_equal(expected, result):\n    assert expected.lower() == result.lower()\n"
EARLY = (
    "def assert_equal(expected, result):\n    if not result:\n        return\n    assert expected == result\n"
)
CALLER = """from common import assert_equal

def test_a():
    expected = 'word'
    assert_equal(expected, f())
"""


@pytest.mark.parametrize(("helper", "count"), [(HELPER, 2), (LOOSE, 0), (EARLY, 0)])
def test_a_helper_is_an_assertion_when_it_always_compares_what_it_is_given(helper: str, count: int) -> None:
    files = {"tests/common.py": File(helper.encode()), "tests/test_c.py": File(CALLER.encode())}
    found = cells(files, (Test("tests/test_c.py::test_a", "tests/test_c.py::test_a"),))
    sites = [site for cell in found for site in cell.sites]
    assert len(sites) == count
    assert all(site.path == "tests/test_c.py" for site in sites)
