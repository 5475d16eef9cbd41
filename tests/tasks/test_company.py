"""Proofs that share their runs: the verdicts are those that each file gets by itself."""

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.preparation import Lock
from kaiju_grading.suite import Cell, Site, SiteKind, Test
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.prepare.company import Candidate, Mix, companies, judge
from kaiju_tasks.prepare.proving import Alteration, Proof, Verdicts
from kaiju_tasks.prepare.workshop import Workshop

TEXT = """from mini import add

def test_five():
    assert add(2, 3) == 5

def test_six():
    assert add(3, 3) in (6, 99)
"""


def altered(path: str, test: str, old: str, new: str) -> Alteration:
    start = TEXT.encode().index(old.encode())
    return Alteration((f"{path}::{test}",), Site(path, start, start + len(old), new, SiteKind.EQUAL))


@pytest.fixture(scope="module")
def workshop(settings: Settings) -> Workshop:
    pinned = recipes.load_shipped("tinydb").lock
    assert isinstance(pinned, Lock)
    environment = languages.preparation("python").provision(pinned, settings)
    return Workshop(backends.create(settings), languages.get("python"), environment, settings.slots)


def proof(workshop: Workshop, path: str, *helpers: str) -> Proof:
    tests = tuple(Test(f"{path}::test_{name}", f"{path}::test_{name}") for name in ("five", "six"))
    library = {"mini/__init__.py": File(b"def add(a, b):\n    return a + b\n")}
    heldout = {path: File(TEXT.encode()), **{helper: File(b"") for helper in helpers}}
    return Proof(workshop, path, tests, library, library, heldout)


def test_a_file_that_is_broken_by_its_own_alteration_leaves_its_company_alone(workshop: Workshop) -> None:
    one, two = "tests/test_one.py", "tests/test_two.py"
    good, idle = altered(one, "test_five", "5\n", "8\n"), altered(one, "test_six", "99", "98")
    broken = altered(two, "test_five", "5\n", "(\n")
    mix = Mix(
        (
            (proof(workshop, one), frozenset({good, idle})),
            (proof(workshop, two), frozenset({broken})),
        )
    )

    async def main() -> Verdicts:
        with anyio.fail_after(120):
            return await judge(workshop, [mix, mix])

    assert anyio.run(main) == Verdicts(frozenset({idle, broken}))


def test_files_that_change_or_hide_each_other_do_not_share_a_run(workshop: Workshop) -> None:
    helper = Site("tests/common.py", 0, 0, "#", SiteKind.HELPER)
    changes = (Cell(("tests/test_a.py::test_five",), (helper,)),)
    made = [
        Candidate.of(proof(workshop, "tests/test_a.py", "tests/common.py"), changes, 2),
        Candidate.of(proof(workshop, "tests/test_b.py", "tests/common.py"), (), 2),
        Candidate.of(proof(workshop, "tests/test_c.py"), (), 2),
        Candidate.of(proof(workshop, "more/test_c.py"), (), 2),
    ]
    paths = [[member.proof.path for member in company] for company in companies(made)]
    assert paths == [["tests/test_a.py", "tests/test_c.py"], ["tests/test_b.py", "more/test_c.py"]]


def test_a_company_has_room_for_a_few_files_only(workshop: Workshop) -> None:
    made = [Candidate.of(proof(workshop, f"tests/test_{number}.py"), (), 2) for number in range(10)]
    assert [len(company) for company in companies(made)] == [8, 2]
