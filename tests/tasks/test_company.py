"""Proofs that share their runs: the verdicts are those that each file gets by itself."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.preparation import Lock, Preparation, Surgery
from kaiju_grading.steps import Steps, done
from kaiju_grading.suite import Cell, Choice, Site, SiteKind, Test
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.prepare import company
from kaiju_tasks.prepare.company import Candidate, Mix, companies, compiled, judge, propose
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


HOOKED = """from mini import HOOKS, add

def test_five():
    HOOKS.append(5)
    assert add(2, 3) == 5
    HOOKS.clear()

def test_six():
    assert add(3, 3) in (6, 99)

def test_empty():
    assert not HOOKS
"""


@pytest.mark.parametrize("most", [16, 0])
def test_a_test_that_one_alteration_disturbs_stays_and_one_that_too_many_may_disturb_does_not(
    most: int, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company, "MAX_SUSPECTS", most)
    path = "tests/test_one.py"
    hooked = replace(
        proof(workshop, path),
        tests=tuple(
            Test(f"{path}::test_{name}", f"{path}::test_{name}") for name in ("five", "six", "empty")
        ),
        library={"mini/__init__.py": File(b"HOOKS = []\n\n\ndef add(a, b):\n    return a + b\n")},
        heldout={path: File(HOOKED.encode())},
    )
    culprit, idle = (
        Alteration((f"{path}::test_{name}",), Site(path, start, start + len(old), new, SiteKind.EQUAL))
        for name, old, new in (("five", "== 5", "== 8"), ("six", "99", "98"))
        for start in [HOOKED.index(old)]
    )
    made = [Mix(((hooked, frozenset({one})),)) for one in (culprit, idle)]

    async def main() -> Verdicts:
        with anyio.fail_after(120):
            return await judge(workshop, made)

    given_up = Verdicts(frozenset({idle}), frozenset({f"{path}::test_empty"}))
    assert anyio.run(main) == (Verdicts(frozenset({culprit, idle})) if most else given_up)


WAITING = """from mini import add

def test_five():
    while add(2, 3) != 5:
        pass
    assert add(1, 4) == 5

def test_six():
    assert add(3, 3) == 6
"""


def test_a_test_that_an_alteration_leaves_waiting_is_altered_nowhere_and_costs_one_limit(
    workshop: Workshop,
) -> None:
    path = "tests/test_one.py"
    patient = replace(
        proof(replace(workshop, limits=replace(workshop.limits, wall=6)), path),
        heldout={path: File(WAITING.encode())},
    )
    endless, ends, good = (
        Alteration((f"{path}::test_{name}",), Site(path, start, start + len(old), new, SiteKind.EQUAL))
        for name, old, new in (("five", "!= 5", "!= 8"), ("five", "== 5", "== 8"), ("six", "== 6", "== 9"))
        for start in [WAITING.index(old)]
    )
    made = [Mix(((patient, mixed),)) for mixed in (frozenset({endless, good}), frozenset({ends}))]

    async def main() -> Verdicts:
        with anyio.fail_after(120):
            return await judge(workshop, made)

    assert anyio.run(main) == Verdicts(frozenset({endless, ends}))


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


def asked(cells: Callable[[Surgery], Steps[tuple[Cell, ...]]]) -> Preparation:
    """A preparing half of which only this is wanted."""
    return cast("Preparation", type("OnlyCells", (), {"cells": staticmethod(cells)}))


@pytest.mark.parametrize("copes", [True, False])
def test_files_of_compiled_tests_are_asked_about_together_and_else_one_by_one(
    workshop: Workshop, copes: bool
) -> None:
    compiled = replace(workshop, language=languages.get("rust"))
    proofs = [proof(compiled, path) for path in ("tests/test_one.py", "tests/test_two.py")]
    surgeries = []

    def cells(surgery: Surgery) -> Steps[tuple[Cell, ...]]:
        surgeries.append(sorted(surgery.files))
        found = [altered(path, "test_five", "5\n", "8\n") for path in sorted(surgery.files)]
        cells = tuple(Cell(one.tests, (one.site,)) for one in found)
        return done(cells if copes or len(cells) == 1 else ())

    proposed = anyio.run(propose, asked(cells), proofs)

    assert [[cell.tests for cell in cells] for cells in proposed] == [
        [("tests/test_one.py::test_five",)],
        [("tests/test_two.py::test_five",)],
    ]
    assert surgeries[0] == ["tests/test_one.py", "tests/test_two.py"]
    assert len(surgeries) == (1 if copes else 3)


def test_nothing_is_asked_in_a_file_that_runs_of_another_file_mount(workshop: Workshop) -> None:
    base, heir, other = "tests/test_base.py", "tests/test_heir.py", "tests/test_other.py"
    proofs = [proof(workshop, base), proof(workshop, heir, base), proof(workshop, other)]

    def cells(surgery: Surgery) -> Steps[tuple[Cell, ...]]:
        path = surgery.tests[0].unit.partition("::")[0]
        one = altered(path, "test_five", "5\n", "8\n")
        asking = replace(one.site, path=base if path == heir else path, replacement="ask()")
        return done((Cell(one.tests, (replace(one.site, path=asking.path),), (asking,)),))

    proposed = anyio.run(propose, asked(cells), proofs)

    assert [[bool(cell.asked) for cell in found] for found in proposed] == [[False], [False], [True]]
    assert all(cell.sites for found in proposed for cell in found)


def test_companies_of_compiled_tests_share_one_program_that_looks_up_every_value(workshop: Workshop) -> None:
    members = []
    for path in ("tests/test_one.py", "tests/test_two.py"):
        site = replace(altered(path, "test_five", "5\n", "look()\n").site, choice=Choice(path, "5", "8"))
        cells = (Cell((f"{path}::test_five",), (site,)),)
        members.append(Candidate.of(proof(workshop, path).with_lookups(cells), cells, 2))

    shared = compiled([[member] for member in members])

    proofs = [member.proof for company in shared for member in company]
    program = proofs[0].program
    assert program is not None
    assert all(one.program is program for one in proofs)
    assert {one.part: program.parts[one.part] for one in proofs} == {
        "0": ("tests/test_one.py",),
        "1": ("tests/test_two.py",),
    }
    for one in proofs:
        assert b"look()" in program.work[one.path].data
        assert {site.choice.slot for site in one.lookups if site.choice} == {one.path for one in proofs}
