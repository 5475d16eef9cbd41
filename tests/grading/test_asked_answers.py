"""Questions in whole gradings: who computes the right answers earns everything, whatever types they come in;
who does not know them earns nothing, whatever is forged."""

import re
from textwrap import dedent, indent

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.compose import module_tree
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.languages.python.surgery import cells
from kaiju_grading.plan import Draw, ModulePlan, plan_module
from kaiju_grading.stage import Stage
from kaiju_grading.strength import FLIPPING_RUNS
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits

PATH = "tests/test_give.py"
ANSWERS: dict[str, list[object]] = {
    "text": ["alpha", "Beta x", "gamma\n", "d\u00e9lta"],
    "number": [7, 1200, -3, 41],
    "items": [[1, "two"], [], [[3], None], ["z"]],
    "pair": [(3, 4), ("a",), (True, 0.5), (9, 8)],
    "table": [{"k": 1, "l": 2}, {}, {3: [4]}, {"m": {"n": b"o"}}],
}
LIBRARY = (
    f"ANSWERS = {ANSWERS!r}\n\n\n"
    + """def give(kind, number):
    return dressed(ANSWERS[kind][number])


def dressed(value):
    return value
"""
)


def _heldout() -> str:
    text = "import lib\n"
    for kind, values in ANSWERS.items():
        for number, value in enumerate(values):
            # The number of the answer is computed, so that no test says its own expected value.
            body = f'assert lib.give("{kind}", len("{"x" * number}")) == {value!r}'
            text += f"\n\ndef test_{kind}_{number}():\n    {body}\n"
    return text


HELDOUT = _heldout()
DRESSED = {
    "as they are": "return value",
    "subclasses that compare as their base": """
        class Text(str): pass
        class Number(int): pass
        class Items(list):
            def __iter__(self): return iter("not this")
        class Pair(tuple): pass
        from collections import OrderedDict
        kinds = {str: Text, int: Number, list: Items, tuple: Pair, dict: OrderedDict}
        return kinds[type(value)](value)
    """,
    "enumerations and floats": """
        from enum import IntEnum
        if type(value) is int and value == 7:
            return IntEnum("Seven", {"IT": 7}).IT
        return float(value) if type(value) is int else value
    """,
    "types with an equality of their own": """
        class Own:
            def __eq__(self, other):
                return type(other) is type(value) and value == other
            __hash__ = None
        return Own()
    """,
    "subclasses with a loose equality": """
        class Loose(str):
            def __eq__(self, other):
                return isinstance(other, str) and self.casefold() == other.casefold()
            __hash__ = str.__hash__
        return Loose(value.upper()) if type(value) is str else value
    """,
    "other types that are equal": """
        from collections import UserDict, UserList, UserString
        from fractions import Fraction
        kinds = {str: UserString, int: Fraction, list: UserList, tuple: tuple, dict: UserDict}
        return kinds[type(value)](value)
    """,
}
OPAQUE = {
    "types with an equality of their own",
    "subclasses with a loose equality",
    "other types that are equal",
}
EVERYTHING = """
    class Everything:
        def __eq__(self, other):
            return True
        def __ne__(self, other):
            return False
        __hash__ = None
    return Everything()
"""
LYING = """
    import builtins
    ask = builtins.__kaiju_ask__
    builtins.__kaiju_ask__ = lambda expected, given: ask(
        expected, 12345 if type(given).__name__ == "Everything" else given
    )
    class Everything:
        def __eq__(self, other):
            return True
        __hash__ = None
    return Everything() if value in ("alpha", [1, "two"]) else value
"""


def dressed(body: str) -> str:
    """The library with another last step."""
    lines = dedent(body).strip("\n")
    return LIBRARY.replace("    return value\n", indent(lines, "    ") + "\n")


def encoded(files: dict[str, str]) -> Files:
    return {path: File(text.encode()) for path, text in files.items()}


def a_suite(environment: Environment, library: str, heldout: str) -> Suite:
    """One module, altered by the real surgery."""
    units = [f"{PATH}::{name}" for name in re.findall(r"def (test_\w+)", heldout)]
    tests = tuple(Test(unit, unit) for unit in units)
    return Suite(
        language="python",
        task_digest="sha256:asked",
        environment=environment,
        roots=("lib",),
        workspace=encoded({"lib/__init__.py": ""}),
        reference=encoded({"lib/__init__.py": library}),
        shared={},
        heldout=encoded({PATH: heldout}),
        visible={},
        modules=(Module("m", (PATH,), tests),),
        visible_tests=(),
        cells=cells(encoded({PATH: heldout}), tests),
        limits=Limits(wall=120),
    )


@pytest.fixture
def suite(python_environment: Environment) -> Suite:
    return a_suite(python_environment, LIBRARY, HELDOUT)


def graded(suite: Suite, backend: Backend, library: str, key: bytes = b"key") -> Grade:
    language = languages.get("python")
    submission = submission_of(encoded({"lib/__init__.py": library}), suite.roots, language, suite.reserved)

    async def run() -> Grade:
        with anyio.fail_after(280):
            return await grade(GradeJob(suite, submission, Stage.TEST, key), backend)

    found = anyio.run(run)
    assert found.status is GradeStatus.GRADED, found.cause
    return found


def accused(found: Grade) -> list[str]:
    return [finding.detail for finding in found.findings if finding.kind == "integrity"]


def planned(suite: Suite, key: bytes = b"key") -> ModulePlan:
    return plan_module(suite, suite.modules[0], Draw(key, suite.task_digest, "", Stage.TEST))


def test_every_test_whose_literal_can_be_altered_is_asked_and_its_literal_is_out_of_the_file(
    suite: Suite,
) -> None:
    first = planned(suite).series.runs[0]
    tree = module_tree(suite, suite.reference, suite.modules[0], first.sites)
    told = tree[PATH].data.decode()
    empty = {f"{PATH}::test_items_1", f"{PATH}::test_table_1"}
    assert set(first.asked) == {test.id for test in suite.modules[0].tests} - empty
    assert told.count("__kaiju_ask__") == 18
    for values in ANSWERS.values():
        assert not any(repr(value) in told for value in values if len(repr(value)) > 2)


@pytest.mark.parametrize("how", DRESSED)
def test_right_answers_of_any_type_earn_everything(suite: Suite, backend: Backend, how: str) -> None:
    found = graded(suite, backend, dressed(DRESSED[how]))
    assert found.reward == 1.0, found.cause
    assert not accused(found)
    more = FLIPPING_RUNS if how in OPAQUE else 0
    assert found.modules[0].runs == found.modules[0].planned + more


@pytest.mark.parametrize(
    "body",
    [
        "return None",
        "return 0",
        "return ''",
        "raise NotImplementedError",
        "return [value]",
        "return str(value)",
    ],
)
def test_wrong_answers_earn_nothing_and_accuse_nobody(suite: Suite, backend: Backend, body: str) -> None:
    found = graded(suite, backend, dressed(body))
    assert (found.reward, accused(found)) == (0.0, [])


def test_one_wrong_answer_of_honest_code_fails_its_module_and_no_more(suite: Suite, backend: Backend) -> None:
    found = graded(suite, backend, dressed('return "Beta  x" if value == "Beta x" else value'))
    assert (found.reward, accused(found)) == (0.0, [])
    assert found.modules[0].verdict is ModuleVerdict.FAILED
    assert "asked" in found.cause


def test_what_equals_everything_earns_nothing(suite: Suite, backend: Backend) -> None:
    found = graded(suite, backend, dressed(EVERYTHING))
    assert (found.reward, accused(found)) == (0.0, [])


def test_who_passes_as_written_with_answers_that_are_wrong_contradicts_itself(
    suite: Suite, backend: Backend
) -> None:
    found = graded(suite, backend, dressed(LYING))
    assert found.reward == 0.0
    assert found.modules[0].verdict is ModuleVerdict.VOID
    (detail,) = accused(found)
    assert "test_text_0" in detail
    assert "test_items_0" in detail


CROWDED = """
ITEMS = []


def push(item):
    ITEMS.append(item)


def full():
    return len(ITEMS) > 9


def sized(number):
    return number + len(ITEMS)
"""
CROWDED_TESTS = """import lib


def test_early():
    lib.push(1)
    assert lib.full() is False
    lib.ITEMS.clear()
"""
for number in (20, 33, 47):
    CROWDED_TESTS += (
        f"\n\ndef test_size_{number}():\n    assert lib.sized(len('{'x' * number}')) == {number}\n"
    )


def test_answers_that_an_altered_neighbour_disturbs_are_asked_again_without_it(
    python_environment: Environment, backend: Backend
) -> None:
    """It fails before it cleans up, in the run in which the others are asked."""
    suite = a_suite(python_environment, CROWDED, CROWDED_TESTS)
    found = []
    for number in range(6):
        graded_once = graded(suite, backend, CROWDED, bytes([number]))
        assert graded_once.reward == 1.0, graded_once.cause
        found.append(graded_once.modules[0].runs > graded_once.modules[0].planned)
    assert True in found, "disturbed under no key"


STATEFUL = """
STATE = []


def size(text):
    return len(text) + (1 if text == "bad" else 0)


def touch():
    STATE.append(1)


def width(text):
    return len(text) + len(STATE)
"""
STATEFUL_TESTS = """import lib


def test_bad():
    assert lib.size("bad") == 3
    lib.touch()


def test_width():
    assert lib.width("abcdefg") == 7
"""
for number in (20, 33, 47, 58, 61, 72, 85, 94, 116):
    STATEFUL_TESTS += f"\n\ndef test_size_{number}():\n    assert lib.size('{'x' * number}') == {number}\n"


def test_honest_code_that_answers_by_what_a_failing_neighbour_left_is_not_accused(
    python_environment: Environment, backend: Backend
) -> None:
    """Asked, the first test goes on where it fails as written, and spoils the answer of the second."""
    suite = a_suite(python_environment, STATEFUL, STATEFUL_TESTS)
    found = graded(suite, backend, STATEFUL)
    assert found.reward == 0.0
    assert found.modules[0].verdict is ModuleVerdict.VOID
    assert not accused(found)


LOOPED = """import lib


def test_loop():
    for _ in range(3000):
        assert lib.long("ab") == "ba" * 4000
"""
for number in (20, 33, 47, 58, 61, 72, 85, 94, 116):
    LOOPED += (
        f"\n\ndef test_size_{number}():\n    assert len(lib.long('{'x' * number}')) == {number * 4000}\n"
    )
for number, word in enumerate(["drow", "pool", "tab", "gnirts"]):
    LOOPED += f"\n\ndef test_word_{number}():\n    assert lib.back('{word}') == '{word[::-1]}'\n"
LONG = """
def back(text):
    return text[::-1]


def long(text):
    return back(text) * 4000
"""


def test_what_an_assertion_in_a_loop_says_again_and_again_is_handed_over_once(
    python_environment: Environment, backend: Backend
) -> None:
    text = LOOPED.replace('"ba" * 4000', repr("ba" * 4000))
    suite = a_suite(python_environment, LONG, text)
    assert f"{PATH}::test_loop" in planned(suite).series.runs[0].asked
    found = graded(suite, backend, LONG)
    assert (found.reward, found.modules[0].runs) == (1.0, found.modules[0].planned), found.cause
