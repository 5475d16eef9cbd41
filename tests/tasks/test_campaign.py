"""Attacks and odd but honest trees, as `kaiju tasks attack` and `kaiju tasks honest` play them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.suites import bare_suite

from kaiju_grading import languages
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Test
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import attacks, honest
from kaiju_tasks.attacks.attack import Layout, Lures, NotApplicable
from kaiju_tasks.attacks.python.planting import payload
from kaiju_tasks.campaign.forgers import Forger, simulate
from kaiju_tasks.campaign.watch import Watch, watching
from kaiju_tasks.commands import tasks

LANGUAGES = tuple(language for language in languages.names() if attacks.names(language))
LAYOUT = Layout(roots=("src/tally",), packages=("tally",))


def call(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(tasks, ["--state-dir", str(settings.state_dir), *arguments])


@pytest.fixture
def watch() -> Iterator[Watch]:
    with watching() as laid:
        yield laid


def rows(result: Result) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(result.stdout)}


def test_an_attack_is_paid_by_the_careless_grader_and_not_by_ours(tally: str, settings: Settings) -> None:
    result = call(settings, "attack", tally, "--only", "05-patch-report", "--only", "01-conftest", "--json")
    assert result.exit_code == 0, result.output
    found = rows(result)
    assert [found[name]["naive"] for name in ("01-conftest", "05-patch-report")] == [1.0, 1.0]
    assert [found[name]["reward"] for name in ("01-conftest", "05-patch-report")] == [0.0, 0.0]
    assert found["01-conftest"]["noticed"] == ["files not taken"]


def test_who_looks_outside_of_the_sandbox_finds_nothing(tally: str, settings: Settings) -> None:
    result = call(settings, "attack", tally, "--only", "27-look-outside", "--json")
    assert result.exit_code == 0, result.output
    assert rows(result)["27-look-outside"]["escaped"] == []


def test_odd_but_honest_trees_earn_what_the_reference_earns(tally: str, settings: Settings) -> None:
    names = ("01-prints", "16-crlf", "20-own-tests", "24-other-algorithm")
    chosen = [word for name in names for word in ("--only", name)]
    result = call(settings, "honest", tally, *chosen, "--json")
    assert result.exit_code == 0, result.output
    found = rows(result)
    assert [(row["reward"], row["not_applicable"]) for row in found.values()] == [(1.0, "")] * len(names)
    assert "conftest.py" in found["20-own-tests"]["not_taken"]


def test_an_attack_that_does_not_exist_is_named(tally: str, settings: Settings) -> None:
    result = call(settings, "attack", tally, "--only", "99-none")
    assert result.exit_code == 2
    assert "'99-none' of 'python': expected one of 01-conftest" in result.output


def test_outside_of_a_sandbox_every_lure_is_found(watch: Watch) -> None:
    code = watch.lures.named_in(payload("look_outside"))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert watch.secret in ran.stdout
    assert f"{watch.lures.variable}=".encode() + watch.secret in ran.stdout
    assert watch.escapes() == (
        "the port was reached",
        "the socket was reached",
        "the abstract socket was reached",
        "the file was changed",
    )
    assert watch.escapes() == ()
    assert Path(watch.lures.file).read_bytes() == watch.secret


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_attacks_of_a_language_are_many_and_different(language: str) -> None:
    known = attacks.of(language)
    assert len(known) >= 12
    assert len({attack.summary for attack in known.values()}) == len(known)


def test_a_case_is_python_and_leaves_its_input_alone() -> None:
    entry = File(b"from __future__ import annotations\n")
    tree = {"src/tally/__init__.py": entry, "src/tally/a.py": File(b"a = 1\n")}
    before = dict(tree)
    for case in honest.of("python").values():
        changed = case.apply(tree, LAYOUT)
        assert tree == before
        for path, file in {} if isinstance(changed, NotApplicable) else changed.items():
            if path.startswith("src/") and path.endswith(".py"):
                compile(file.data, f"{case.name}/{path}", "exec")


def test_classes_of_modules_that_have_moved_say_the_old_name(tmp_path: Path) -> None:
    """Representations show it: tests may compare with it."""
    tree = {
        "src/tally/__init__.py": File(b"from tally.a import A\n"),
        "src/tally/a.py": File(b"class A: ...\n"),
    }
    changed = honest.of("python")["23-other-modules"].apply(tree, LAYOUT)
    assert not isinstance(changed, NotApplicable)
    for path, file in changed.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(file.data)
    code = "import tally.a; print(tally.A)"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "src", capture_output=True, text=True, check=True
    )
    assert ran.stdout == "<class 'tally.a.A'>\n"


def test_a_lure_that_nobody_laid_out_is_nowhere() -> None:
    assert "{" not in Lures().named_in("{file} {socket} {port} {variable}")


def test_forgers_win_nothing_of_a_module_whose_tests_are_altered(tally: str, settings: Settings) -> None:
    result = call(settings, "forge", tally, "--draws", "20", "--json")
    assert result.exit_code == 0, result.output
    modules = json.loads(result.stdout)
    assert len(modules) >= 4
    won = [name for module in modules for name, chance in module["chances"].items() if chance]
    assert set(won) <= {Forger.TELL}
    assert all(module["runs"] == 2 and module["bits"] >= 10 for module in modules)
    (shown,) = json.loads(call(settings, "show", tally, "--json").stdout)["strength"].values()
    told = {(one["module"], one["runs"], one["bits"], one["weak"]) for one in shown}
    assert told == {(module["module"], module["runs"], module["bits"], False) for module in modules}


def test_forgers_win_what_has_no_alteration() -> None:
    tests = tuple(Test(f"t.py::test_{number}", f"t.py::test_{number}") for number in range(3))
    site = Site("t.py", 0, 1, "2", SiteKind.EQUAL)
    bare = bare_suite((Module("bare", ("t.py",), tests),), ())
    half = bare_suite((Module("half", ("t.py",), tests),), (Cell((tests[0].id,), (site,)),))
    (found,) = simulate(bare, 50, lambda _: None)
    assert set(found.chances.values()) == {1.0}
    (found,) = simulate(half, 200, lambda _: None)
    assert found.altered == 1
    assert found.chances[Forger.BLIND] == 0.0
    assert 0.2 < found.chances[Forger.COMPARE] < 0.8
    assert 0.0 < found.chances[Forger.COIN_PER_TEST] < 0.3
