"""Alterations are proven on the reference: what does not fail its own tests alone is taken out."""

from dataclasses import replace

import anyio
import pytest
from pydantic import ValidationError

from kaiju_grading import languages
from kaiju_grading.plain import encode
from kaiju_grading.preparation import Lock
from kaiju_grading.suite import Cell, Question, Site, SiteKind, Test
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.canaries import CellEntry
from kaiju_tasks.prepare.asking import answered
from kaiju_tasks.prepare.proving import Alteration, Proof, Verdicts, mixes, without
from kaiju_tasks.prepare.thinning import affordable, thinned
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
    return Proof(workshop, PATH, TESTS, library, library, {PATH: File(TEXT.encode())})


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


HOOKS = """from mini import HOOKS, add


def test_early():
    HOOKS.append("early")
    assert add(1, 2) == 3
    HOOKS.clear()
    assert add(2, 2) == 4


def test_half():
    HOOKS.append(1)
    assert add(1, 3) == 4
    HOOKS.remove(1)


def test_other_half():
    HOOKS.append(2)
    assert add(1, 4) == 5
    HOOKS.remove(2)


def test_alone():
    assert "early" not in HOOKS


def test_room():
    assert len(HOOKS) < 2


def test_vague():
    assert add(1, 1) in (2, 99)


def test_crowd():
    assert set(HOOKS) <= {1, 2, "early"}

"""
CROWD = 6
for number in range(CROWD):
    HOOKS += f"def test_one_of_{number}():\n    HOOKS.append({number + 50})\n"
    HOOKS += f"    assert add({number}, 100) == {number + 100}\n    HOOKS.remove({number + 50})\n\n\n"
HOOKS += "def test_after_the_crowd():\n    assert not [hook for hook in HOOKS if hook in range(50, 60)]\n"


@pytest.fixture(scope="module")
def hooked(proof: Proof) -> Proof:
    """Tests that leave something behind when they fail before their end."""
    names = [line[4:-3] for line in HOOKS.splitlines() if line.startswith("def ")]
    return replace(
        proof,
        tests=tuple(Test(f"{PATH}::{name}", f"{PATH}::{name}") for name in names),
        library={"mini/__init__.py": File(b"HOOKS = []\n\n\ndef add(a, b):\n    return a + b\n")},
        heldout={PATH: File(HOOKS.encode())},
    )


def hook(name: str, old: str, new: str) -> Alteration:
    start = HOOKS.encode().index(old.encode())
    site = Site(PATH, start, start + len(old), new, SiteKind.EQUAL)
    return Alteration((f"{PATH}::test_{name}",), site)


EARLY = hook("early", "add(1, 2) == 3", "add(1, 2) == 7")
LATE = hook("early", "add(2, 2) == 4", "add(2, 2) == 6")
HALVES = (hook("half", "add(1, 3) == 4", "add(1, 3) == 6"), hook("other_half", "== 5", "== 7"))
AIMLESS = hook("vague", "99", "98")


def test_an_alteration_whose_test_does_not_clean_up_is_refuted_and_its_victim_stays(hooked: Proof) -> None:
    assert judged(hooked, EARLY, HALVES[0]) == Verdicts(frozenset({EARLY}))
    assert judged(hooked, LATE, HALVES[0]) == Verdicts()


def test_a_test_that_alterations_disturb_only_together_is_given_up_whatever_else_is_refuted(
    hooked: Proof,
) -> None:
    expected = Verdicts(frozenset({AIMLESS}), frozenset({f"{PATH}::test_room"}))
    assert judged(hooked, *HALVES, AIMLESS) == expected


def test_a_test_that_many_alterations_disturb_is_given_up_for_them(hooked: Proof) -> None:
    crowd = [hook(f"one_of_{number}", f"== {number + 100}", f"== {number + 300}") for number in range(CROWD)]
    found = judged(replace(hooked, tests=hooked.tests[:3] + hooked.tests[7:]), *crowd)
    assert found == Verdicts(disturbed=frozenset({f"{PATH}::test_after_the_crowd"}))


def test_nobody_is_blamed_for_a_test_that_fails_with_nothing_altered(proof: Proof) -> None:
    text = TEXT.replace("add(3, 4) == SEVEN", "add(3, 4) == 8")
    found = judged(replace(proof, heldout={PATH: File(text.encode())}), GOOD_FIVE, GOOD_SIX)
    assert found == Verdicts(disturbed=frozenset({SEVEN}))


def test_mixes_try_every_site_and_leave_every_test_real_as_often_as_altered(proof: Proof) -> None:
    cells = (
        Cell((FIVE,), (GOOD_FIVE.site,)),
        Cell((SIX,), (GOOD_SIX.site, BROKEN.site, FAR.site)),
        Cell((VAGUE,), (IDLE.site,)),
    )
    for count in (0, 20):
        made = mixes(proof, cells, count)
        assert len(made) == max(count, 12)
        assert {one for mix in made for one in mix} == {GOOD_FIVE, GOOD_SIX, BROKEN, FAR, IDLE}
        assert all(sum(one.tests == (FIVE,) for one in mix) <= 1 for mix in made)
        assert sum(any(one.tests == (SIX,) for one in mix) for mix in made) == len(made) / 2


@pytest.mark.parametrize(
    ("cells", "most"), [(1, 8), (2, 8), (7, 24), (20, 24), (21, 32), (70, 32), (200, 40)]
)
def test_every_test_is_real_beside_every_altered_other(cells: int, most: int, proof: Proof) -> None:
    sites = [
        [Site(PATH, 9 * n + s, 9 * n + s + 1, "x", SiteKind.EQUAL) for s in range(4)] for n in range(cells)
    ]
    rich = tuple(
        Cell((f"t{n}",), tuple(sites[n][: 1 + n % 4] if cells > 3 else sites[n])) for n in range(cells)
    )
    made = mixes(proof, rich, 0)
    assert len(made) == most
    for cell in rich:
        for one in (Alteration(cell.tests, each) for each in cell.sites):
            beside = [{test for other in mix for test in other.tests} for mix in made if one in mix]
            assert set.intersection(*beside) == {cell.tests[0]}


@pytest.mark.parametrize(
    ("tests", "cells", "most"),
    [(20, 20, 6), (41, 41, 6), (60, 60, 4), (250, 250, 4), (424, 100, 2), (320, 100, 3), (2000, 2000, 2)],
)
def test_each_alteration_more_of_a_large_file_is_one_that_its_runs_can_afford(
    tests: int, cells: int, most: int
) -> None:
    assert affordable(tests, cells) == most


def several(place: int, values: int, *, conditional: bool = False) -> tuple[Site, ...]:
    made = Site(PATH, place, place + 1, "", SiteKind.EQUAL, conditional=conditional)
    return tuple(replace(made, replacement=str(value)) for value in range(values))


def test_in_a_small_file_one_place_of_a_test_keeps_several_wrong_values() -> None:
    kept = thinned((*several(1, 1), *several(2, 5), *several(3, 2), *several(4, 1), *several(5, 1)), 6)
    assert [site.start for site in kept].count(2) == 3
    assert len({site.start for site in kept}) == 4


def test_what_honest_code_may_pass_is_not_proven_where_a_test_has_something_else() -> None:
    lenient = several(1, 3, conditional=True)
    assert [site.start for site in thinned((*lenient, *several(2, 2)), 6)] == [2, 2]
    assert thinned(lenient, 6) == lenient


def test_in_a_large_file_a_place_has_one_wrong_value() -> None:
    kept = thinned((*several(1, 3), *several(2, 3), *several(3, 3)), 2)
    assert len({site.start for site in kept}) == len(kept) == 2
    assert len(thinned(several(1, 3), 2)) == 2, "where a test has no other place"


def test_what_a_large_file_proposes_is_thinned_to_what_can_be_afforded(proof: Proof) -> None:
    body = "".join(f"    assert add({number}, 1) == {number + 1}\n" for number in range(4))
    small, large = (
        "from mini import add\n\n\n" + "".join(f"def test_{n}():\n{body}\n\n" for n in range(count))
        for count in (5, 400)
    )
    for text, some in ((small, {4, 5, 6}), (large, {2})):
        names = [line[4:-3] for line in text.splitlines() if line.startswith("def ")]
        tests = tuple(Test(f"{PATH}::{name}", f"{PATH}::{name}") for name in names)
        made = anyio.run(
            replace(proof, tests=tests, heldout={PATH: File(text.encode())}).candidates,
            languages.preparation("python"),
        )
        assert {len(cell.sites) for cell in made} <= some
        assert {len(cell.asked) for cell in made} == {4}


def asking(name: str, old: str, expected: object) -> Cell:
    """A test whose literal, at the end of a line, is asked for."""
    start = TEXT.encode().index(old.encode())
    end = TEXT.encode().index(b"\n", start)
    question = Question(f"{PATH}:{start}", encode(expected))
    text = f"__kaiju_ask__(__kaiju_key__({question.key!r}), {old.partition(' == ')[0]})"
    return Cell((name,), (), (Site(PATH, start, end, text, SiteKind.EQUAL, question=question),))


ASKED = (
    asking(FIVE, "add(2, 3) == 5", 5),
    asking(SIX, "add(3, 3) == 6", 7),
)


def test_what_the_reference_does_not_answer_as_expected_is_not_asked(proof: Proof) -> None:
    async def main() -> tuple[Cell, ...]:
        with anyio.fail_after(120):
            return await answered(proof, (*ASKED, Cell((SEVEN,), (GOOD_SIX.site,))))

    assert anyio.run(main) == (ASKED[0], replace(ASKED[1], asked=()), Cell((SEVEN,), (GOOD_SIX.site,)))


def test_a_question_is_proven_by_a_right_answer_beside_other_alterations(proof: Proof) -> None:
    five, six = Alteration.asking(ASKED[0]), Alteration.asking(ASKED[1])
    assert judged(proof, five, GOOD_SIX) == Verdicts()
    assert judged(proof, five, six).refuted == {six}


def test_cells_keep_their_flips_when_their_questions_are_refuted_and_nothing_without_flips() -> None:
    cell = replace(ASKED[0], sites=(GOOD_FIVE.site,))
    assert without((cell,), frozenset({Alteration.asking(cell)})) == (replace(cell, asked=()),)
    assert without((cell,), frozenset({GOOD_FIVE})) == ()


def test_a_cell_is_asked_in_a_round_of_its_own(proof: Proof) -> None:
    cell = replace(ASKED[0], sites=(GOOD_FIVE.site,))
    tried = frozenset[Alteration]().union(*mixes(proof, (cell,), 0))
    assert tried == {GOOD_FIVE, Alteration.asking(cell)}


def test_a_file_without_alterations_is_tried_once(proof: Proof) -> None:
    assert mixes(proof, (), 20) == (frozenset(),)


def test_cells_keep_the_sites_that_hold_and_go_when_none_does() -> None:
    cells = (
        Cell((FIVE,), (GOOD_FIVE.site,)),
        Cell((SIX,), (GOOD_SIX.site, BROKEN.site)),
        Cell((VAGUE,), (IDLE.site,)),
    )
    left = without(cells, frozenset({BROKEN, IDLE}))
    assert left == (Cell((FIVE,), (GOOD_FIVE.site,)), Cell((SIX,), (GOOD_SIX.site,)))


def test_what_a_cell_is_asked_is_read_as_it_was_written() -> None:
    cell = replace(ASKED[0], sites=(GOOD_FIVE.site,))
    text = CellEntry.of(cell).model_dump_json()
    assert CellEntry.model_validate_json(text).as_cell() == cell
    with pytest.raises(ValidationError, match="is not JSON"):
        CellEntry.model_validate_json(text.replace('"expected":"5"', '"expected":"five"'))
    old = CellEntry.of(replace(cell, asked=())).model_dump(exclude={"asked"})
    assert CellEntry.model_validate(old).as_cell() == replace(cell, asked=())
