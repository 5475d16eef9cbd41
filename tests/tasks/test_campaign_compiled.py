"""Attacks and odd but honest trees in Go and Rust: what they change, and what they earn."""

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import anyio
import pytest

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import attacks, honest
from kaiju_tasks import recipe as recipes
from kaiju_tasks.attacks.attack import Family, Layout, NotApplicable
from kaiju_tasks.campaign.attacking import attack
from kaiju_tasks.campaign.ground import Ground, ground_of
from kaiju_tasks.campaign.honesty import play
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.store import Store

LIBRARIES = {"go": "parcel", "rust": "burrow"}
PROGRAMS = {"go": "go", "rust": "rustc"}
LAYOUTS = {"go": Layout((".",), ("example.com/toy",)), "rust": Layout(("src",), ("toy",))}
STUBS: dict[str, dict[str, str]] = {
    "go": {
        "go.mod": "module example.com/toy\n\ngo 1.24\n",
        "toy.go": 'package toy\n\nfunc Add(a, b int) int { panic("not implemented") }\n',
        "inner/inner.go": "package inner\n",
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "toy"\nbuild = false\n\n[lib]\npath = "src/lib.rs"\n',
        "src/lib.rs": (
            "//! A toy.\n#![no_std]\n\n"
            "/// Adds.\npub fn add(a: i32, b: i32) -> i32 {\n    unimplemented!()\n}\n"
            "/// Nothing.\n#[derive(Debug, PartialEq)]\npub struct Nothing;\n"
        ),
    },
}
CHANCES = {name for language in LIBRARIES for name, one in attacks.of(language).items() if "coin" in name}

each = pytest.mark.parametrize("language", LIBRARIES)


def stub(language: str) -> Files:
    return {path: File(text.encode()) for path, text in STUBS[language].items()}


def quiet(_: str) -> None:
    """Progress that nobody reads."""


@cache
def ground(language: str) -> Ground:
    """The two cheapest modules of a task that was prepared with less effort than the shipped recipe asks for.
    Layers stay from one session to the next: they are named by their content."""
    state = Path(tempfile.gettempdir()) / f"kaiju-test-{language}-{os.geteuid()}"
    state.mkdir(mode=0o755, exist_ok=True)
    settings = Settings(state_dir=state, slots=2)
    shipped = recipes.load_shipped(LIBRARIES[language])
    lighter = replace(shipped, content=shipped.content.model_copy(update={"repeats": 1, "mixes": 2}))

    async def make() -> Ground:
        with anyio.fail_after(900):
            folder = (await prepare(lighter, settings, quiet)).path
            return await ground_of(Store(settings.tasks_dir).task(folder.name), settings, full=False)

    return anyio.run(make)


@pytest.fixture(scope="module")
def prepared() -> Callable[[str], Ground]:
    """A ground by language."""

    def find(language: str) -> Ground:
        program = PROGRAMS[language]
        if shutil.which(program) is None:
            if os.environ.get("KAIJU_REQUIRE_ALL"):
                pytest.fail(f"no {program} on PATH")
            pytest.skip(f"no {program} on PATH")
        return ground(language)

    return find


@each
def test_every_family_of_attacks_is_there(language: str) -> None:
    assert {one.family for one in attacks.of(language).values()} == set(Family)


@each
def test_odd_but_honest_cases_are_many(language: str) -> None:
    assert len(honest.of(language)) >= 10


@each
def test_an_attack_changes_the_stub_of_any_library_and_leaves_its_input_alone(language: str) -> None:
    tree, layout = stub(language), LAYOUTS[language]
    before = dict(tree)
    for name, one in attacks.of(language).items():
        changed = one.apply(tree, layout)
        assert tree == before, name
        assert not isinstance(changed, NotApplicable), name
        assert changed != before, name


@each
def test_a_case_changes_the_reference_or_says_why_not(language: str) -> None:
    tree, layout = stub(language), LAYOUTS[language]
    before = dict(tree)
    for name, one in honest.of(language).items():
        changed = one.apply(tree, layout)
        assert tree == before, name
        assert (
            changed.reason
            if isinstance(changed, NotApplicable)
            else name == "25-folders" or changed != before
        )


def test_code_in_front_of_a_rust_library_stands_behind_its_documentation() -> None:
    changed = attacks.get("rust", "01-init-exit").apply(stub("rust"), LAYOUTS["rust"])
    assert not isinstance(changed, NotApplicable)
    text = changed["src/lib.rs"].data.decode()
    assert (
        text.index("//! A toy.")
        < text.index("fn kaiju_start")
        < text.index("/// Adds.")
        < text.index("fn add")
    )
    assert "no_std" not in text


@pytest.mark.slow
@each
def test_the_careless_grader_pays_the_reference_and_not_the_stub(
    prepared: Callable[[str], Ground], language: str
) -> None:
    found = prepared(language)

    async def statuses(tree: Files) -> set[int | None]:
        with anyio.fail_after(600):
            commands = [attacks.naive(language)(found.suite, tree, module) for module in found.suite.modules]
            limits = replace(found.suite.limits, wall=200.0, cpu=400.0)
            return {(await found.backend.run(command, limits)).exit_code for command in commands}

    assert anyio.run(statuses, found.reference) == {0}
    assert 0 not in anyio.run(statuses, found.stub)


@pytest.mark.slow
@each
def test_no_attack_on_a_first_party_task_is_paid_and_many_fool_the_careless_grader(
    prepared: Callable[[str], Ground], language: str
) -> None:
    found = prepared(language)

    async def run() -> None:
        with anyio.fail_after(3600):
            rows = await attack(found, attacks.of(language).values(), quiet)
        assert [row for row in rows if not row.stopped] == []
        assert len([row for row in rows if row.naive and row.name not in CHANCES]) >= 12

    anyio.run(run)


@pytest.mark.slow
@each
def test_no_odd_but_honest_tree_of_a_first_party_task_is_hurt(
    prepared: Callable[[str], Ground], language: str
) -> None:
    found = prepared(language)

    async def run() -> None:
        with anyio.fail_after(3600):
            rows = await play(found, honest.of(language).values(), quiet)
        assert [row for row in rows if not row.unharmed] == []
        assert len([row for row in rows if not row.not_applicable]) >= 10

    anyio.run(run)
