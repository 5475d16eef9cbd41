"""Alterations are proven on the reference: what does not fail its own tests alone is taken out."""

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.preparation import Lock
from kaiju_grading.suite import Cell, Site, SiteKind, Test
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.prepare.proving import Alteration, Proof, Verdicts, mixes, without
from kaiju_tasks.prepare.workshop import Workshop

PATH = "tests/test_add.py"
TEXT = """from mini import add

SEVEN = 7


def test_five():
    assert add(2, 3) == 5


def test_six():
    assert add(3, 3) == 6


def test_seven():
    assert add(3, 4) == SEVEN


def test_vague():
    assert add(1, 1) in (2, 99)
"""
TESTS = tuple(
    Test(f"{PATH}::test_{name}", f"{PATH}::test_{name}") for name in ("five", "six", "seven", "vague")
)
FIVE, SIX, SEVEN, VAGUE = (test.id for test in TESTS)


def site(old: str, new: str) -> Site:
    start = TEXT.encode().index(old.encode())
    return Site(PATH, start, start + len(old.encode()), new, SiteKind.EQUAL)


GOOD_FIVE = Alteration((FIVE,), site("5\n", "8\n"))
GOOD_SIX = Alteration((SIX,), site("6\n", "9\n"))
IDLE = Alteration((VAGUE,), site("99", "98"))
FAR = Alteration((SIX,), site("= 7", "= 8"))
BROKEN = Alteration((SIX,), site("6\n", "(\n"))


@pytest.fixture(scope="module")
def proof(settings: Settings) -> Proof:
    pinned = recipes.load_shipped("tinydb").lock
    assert isinstance(pinned, Lock)
    environment = languages.preparation("python").provision(pinned, settings)
    workshop = Workshop(backends.create(settings), languages.get("python"), environment, settings.slots)
    library = {"mini/__init__.py": File(b"def add(a, b):\n    return a + b\n")}
    return Proof(workshop, PATH, TESTS, library, {PATH: File(TEXT.encode())})


def judged(proof: Proof, *altered: Alteration) -> Verdicts:
    async def main() -> Verdicts:
        with anyio.fail_after(120):
            return await proof.judge(frozenset(altered))

    return anyio.run(main)


def test_alterations_that_fail_their_own_tests_hold(proof: Proof) -> None:
    assert judged(proof, GOOD_FIVE, GOOD_SIX) == Verdicts()


def test_an_alteration_that_its_test_survives_is_refuted_alone(proof: Proof) -> None:
    assert judged(proof, GOOD_FIVE, IDLE).refuted == {IDLE}


def test_an_alteration_that_fails_another_test_is_refuted_alone(proof: Proof) -> None:
    assert judged(proof, GOOD_FIVE, FAR).refuted == {FAR}


def test_an_alteration_that_breaks_the_whole_file_is_refuted_alone(proof: Proof) -> None:
    assert judged(proof, GOOD_FIVE, BROKEN).refuted == {BROKEN}


def test_mixes_try_every_site_and_leave_every_test_real_as_often_as_altered(proof: Proof) -> None:
    cells = (
        Cell((FIVE,), (GOOD_FIVE.site,)),
        Cell((SIX,), (GOOD_SIX.site, BROKEN.site, FAR.site)),
        Cell((VAGUE,), (IDLE.site,)),
    )
    for count in (0, 20):
        made = mixes(proof, cells, count)
        assert len(made) == max(count, 6)
        assert {one for mix in made for one in mix} == {GOOD_FIVE, GOOD_SIX, BROKEN, FAR, IDLE}
        assert all(sum(one.tests == (FIVE,) for one in mix) <= 1 for mix in made)
        assert sum(any(one.tests == (SIX,) for one in mix) for mix in made) == len(made) / 2


def test_cells_keep_the_sites_that_hold_and_go_when_none_does() -> None:
    cells = (
        Cell((FIVE,), (GOOD_FIVE.site,)),
        Cell((SIX,), (GOOD_SIX.site, BROKEN.site)),
        Cell((VAGUE,), (IDLE.site,)),
    )
    left = without(cells, frozenset({BROKEN, IDLE}))
    assert left == (Cell((FIVE,), (GOOD_FIVE.site,)), Cell((SIX,), (GOOD_SIX.site,)))
