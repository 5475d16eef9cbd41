"""Preparation and validation, on small libraries, in real sandboxes."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner, Result

from kaiju_grading.files import digest
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.commands import tasks
from kaiju_tasks.prepare.pinning import pinned
from kaiju_tasks.prepare.pipeline import Prepared, prepare
from kaiju_tasks.prepare.trials import Trials
from kaiju_tasks.recipe import Recipe
from kaiju_tasks.solution import half
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of
from kaiju_tasks.task import Task
from kaiju_tasks.traces import find_traces
from kaiju_tasks.tree import read_tree
from kaiju_tasks.validate import Effort, validate

WriteRecipe = Callable[..., Path]
FEW = "\ndef test_sum():\n    assert add(20, 22) == 42\n"


def quiet(_: str) -> None:
    """Progress that nobody reads."""


def run(work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work gives
    async def bounded() -> Any:  # noqa: ANN401
        with anyio.fail_after(280):
            return await work()

    return anyio.run(bounded)


def make(recipe: Recipe, settings: Settings) -> Prepared:
    found: Prepared = run(lambda: prepare(recipe, settings, quiet))
    return found


def call(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(tasks, ["--state-dir", str(settings.state_dir), *arguments])


@pytest.fixture(scope="module")
def tally(settings: Settings) -> Task:
    """The first-party task, proven with less effort than the shipped recipe asks for."""
    shipped = recipes.load_shipped("tally")
    lighter = shipped.content.model_copy(update={"repeats": 2, "mixes": 4})
    prepared = make(replace(shipped, content=lighter), settings)
    return Store(settings.tasks_dir).task(prepared.path.name)


def test_the_first_party_task_proves_itself(tally: Task, settings: Settings) -> None:
    proof = run(lambda: validate(tally, settings, Effort(repeats=1), quiet))
    assert [claim for claim in proof.claims if not claim.holds] == []
    assert proof.task_digest == tally.view.digest


def test_the_first_party_task_is_large_enough_to_mean_something(tally: Task, settings: Settings) -> None:
    suite = suite_of(tally, environment_of(tally, settings))
    assert len(suite.modules) >= 4
    assert sum(len(module.tests) for module in suite.modules) >= 40
    altered = {test_id for cell in suite.cells for test_id in cell.tests}
    assert len(altered) >= 0.6 * sum(len(module.tests) for module in suite.modules)


def test_visible_tests_are_in_no_module(tally: Task, settings: Settings) -> None:
    suite = suite_of(tally, environment_of(tally, settings))
    graded = {test.id for module in suite.modules for test in module.tests}
    assert suite.visible_tests
    assert graded.isdisjoint(test.id for test in suite.visible_tests)


def test_helpers_and_data_of_held_out_tests_are_held_out(tally: Task) -> None:
    files = read_tree(tally.path)
    assert "tests/heldout/tests/bookkeeping.py" in files
    assert "tests/heldout/tests/data/household.journal" in files
    assert not any(
        "bookkeeping" in path for path in files if path.startswith(("tests/shared", "tests/visible"))
    )


def test_what_an_agent_sees_names_no_held_out_test(tally: Task, settings: Settings) -> None:
    suite = suite_of(tally, environment_of(tally, settings))
    view = tally.view
    seen = "\n".join([view.instruction, *view.pages.values()])
    units = {test.unit.rpartition("::")[2] for module in suite.modules for test in module.tests}
    assert not [unit for unit in units if unit in seen]
    assert not set(suite.heldout) & set(view.workspace)


def test_a_trace_of_the_solution_is_found_wherever_it_lies(tally: Task, settings: Settings) -> None:
    suite = suite_of(tally, environment_of(tally, settings))
    stub = {path: file for path, file in suite.workspace.items() if path.startswith("src/")}
    assert find_traces(suite, stub, tally.view.pages) == ()
    copied = max(suite.reference.values(), key=lambda file: len(file.data))
    leaky = replace(suite, workspace={**suite.workspace, "old/copy.txt": copied})
    assert [trace.where for trace in find_traces(leaky, stub, {})] == ["workspace/old/copy.txt"]
    pages = {"api.md": copied.data.decode()}
    assert [trace.where for trace in find_traces(suite, stub, pages)] == ["spec/api.md"]


def test_a_reference_that_is_not_the_recorded_one_fails_the_proof(tally: Task, settings: Settings) -> None:
    suite = suite_of(tally, environment_of(tally, settings))
    changed = {**suite.reference, "src/tally/extra.py": File(b"")}
    assert digest(changed) != digest(suite.reference)
    spoiled = tally.path / "solution" / "reference" / "src" / "tally" / "extra.py"
    spoiled.write_text("")
    try:
        result = call(settings, "validate", tally.view.id, "--json")
    finally:
        spoiled.unlink()
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["code"] == "NotCalibrated"


def test_unreliable_tests_are_dropped_with_their_reasons(
    write_recipe: WriteRecipe, five_modules: dict[str, str], settings: Settings
) -> None:
    odd = """import time
import pytest
from mini import add

def test_good():
    assert add(1, 2) == 3

def test_depends_on_hash_order():
    assert add(hash("c") % 2, 0) == 0

def test_wrong():
    assert add(1, 2) == 4

@pytest.mark.xfail
def test_expected():
    assert add(1, 2) == 4

@pytest.mark.skip
def test_skipped():
    assert add(1, 2) == 3

@pytest.mark.parametrize("moment", [1, time.time_ns()])
def test_named_after_now(moment):
    assert add(moment, 0) == moment
"""
    easy = "def test_nothing():\n    assert 1 + 1 == 2\n"
    recipe = write_recipe(
        {**five_modules, "test_odd.py": odd, "test_easy.py": easy},
        '[choices]\nvisible = ["tests/test_3.py"]\nexclude = {"tests/test_4.py::test_join" = "asked for"}\n',
    )
    draft = make(recipes.load(recipe), settings).draft
    assert draft.trials.dropped["tests/test_odd.py::test_wrong"] == "on the reference: failed"
    assert draft.trials.dropped["tests/test_odd.py::test_expected"] == "on the reference: expected_failure"
    assert draft.trials.dropped["tests/test_odd.py::test_skipped"] == "on the reference: skipped"
    assert "tests/test_odd.py::test_depends_on_hash_order" in draft.trials.dropped
    assert (
        "changes from run to run" in draft.trials.dropped["tests/test_odd.py::test_named_after_now (test 1)"]
    )
    assert draft.trials.excluded == {"tests/test_4.py::test_join": "asked for"}
    assert "pass on the stub" in draft.division.dropped["tests/test_easy.py"]
    names = {module.name: len(module.tests) for module in draft.division.modules}
    assert names["tests/test_odd.py"] == 2
    assert names["tests/test_4.py"] == 1
    assert "tests/test_3.py" not in names


def test_one_test_file_is_cut_and_divided_inside(write_recipe: WriteRecipe, settings: Settings) -> None:
    lines = ["from mini import add\n"]
    lines += [
        f"\ndef test_{number}():\n    assert add({number}, 7) == {number + 7}\n" for number in range(10)
    ]
    prepared = make(recipes.load(write_recipe({"test_all.py": "".join(lines)})), settings)
    task = Store(settings.tasks_dir).task(prepared.path.name)
    suite = suite_of(task, environment_of(task, settings))
    assert [test.unit for test in suite.visible_tests] == [
        "tests/test_all.py::test_2",
        "tests/test_all.py::test_7",
    ]
    assert len(suite.modules) == 8
    assert b"test_3" not in suite.visible["tests/test_all.py"].data
    assert b"test_2" not in suite.heldout["tests/test_all.py"].data


def test_tests_that_another_file_inherits_are_altered_there_and_asked_nowhere(
    write_recipe: WriteRecipe, five_modules: dict[str, str], settings: Settings
) -> None:
    words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"]
    lines = ["from mini import join\n\nclass TestJoin:\n    more = []\n"]
    lines += [
        f"\n    def test_{word}(self):\n        assert join(['{word}', *self.more, 'end']) == '{word}-end'\n"
        for word in words
    ]
    files = {
        "test_base.py": "".join(lines),
        "test_heir.py": "from test_base import TestJoin as Base\n\nclass TestHeir(Base):\n    more = []\n",
        "test_alone.py": "".join(lines).replace("TestJoin", "TestAlone").replace("-end", "-stop"),
    }
    files["test_alone.py"] = files["test_alone.py"].replace("'end'", "'stop'")
    recipe = write_recipe({**five_modules, **files}, '[choices]\nvisible = ["tests/test_3.py"]\n')
    prepared = make(recipes.load(recipe), settings)

    cells = prepared.draft.kept_cells
    found = {unit: [cell for cell in cells if unit in cell.tests[0]] for unit in ("Join", "Heir", "Alone")}
    assert {unit: len(cells) for unit, cells in found.items()} == dict.fromkeys(found, len(words))
    assert all(cell.sites for cells in found.values() for cell in cells)
    assert {site.path for cell in found["Heir"] for site in cell.sites} == {"tests/test_base.py"}
    assert {unit: any(cell.asked for cell in cells) for unit, cells in found.items()} == {
        "Join": False,
        "Heir": False,
        "Alone": True,
    }


def test_a_library_of_one_file_has_a_half_that_lacks_one_body(
    write_recipe: WriteRecipe, settings: Settings
) -> None:
    lines = ["from mini import add, join\n"]
    for number in range(5):
        lines.append(f"\ndef test_sum_{number}():\n    assert add({number}, 7) == {number + 7}\n")
        lines.append(f"\ndef test_join_{number}():\n    assert join(['a', '{number}']) == 'a-{number}'\n")
    prepared = make(recipes.load(write_recipe({"test_all.py": "".join(lines)})), settings)
    task = Store(settings.tasks_dir).task(prepared.path.name)
    found = half(task)
    assert prepared.draft.half.record.restore == ("*", "!mini/__init__.py:add")
    assert found.modules
    assert all("::test_join_" in name for name in found.modules)
    assert b'"-".join(parts)' in found.files["mini/__init__.py"].data
    assert b"a + b" not in found.files["mini/__init__.py"].data


def test_the_recipe_that_preparation_writes_gives_the_same_bytes(
    write_recipe: WriteRecipe, five_modules: dict[str, str], settings: Settings
) -> None:
    recipe = recipes.load(write_recipe({**five_modules, "test_8.py": "from mini import add\n" + FEW}))
    folders = []
    for _ in range(2):
        prepared = make(recipe, settings)
        folders.append(read_tree(prepared.path))
        recipe = recipes.load(recipes.write(pinned(prepared.draft), recipe.folder or Path()))
    assert recipe.lock is not None
    assert recipe.content.choices.visible
    changed = {path for path in folders[0] | folders[1] if folders[0].get(path) != folders[1].get(path)}
    assert changed <= {"calibration.json"}


def test_a_library_that_cannot_be_a_task_ends_with_a_code(
    write_recipe: WriteRecipe, settings: Settings
) -> None:
    recipe = write_recipe(
        {"test_one.py": "from mini import add\n\ndef test_add():\n    assert add(1, 1) == 2\n"}
    )
    result = call(settings, "prepare", str(recipe), "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["error"]["code"] == "too_few_modules"


def test_bad_input_is_told_and_changes_nothing(settings: Settings) -> None:
    for arguments in (["prepare", "no-such-recipe"], ["validate", "no-such-task"], ["show", "../etc"]):
        result = call(settings, *arguments)
        assert result.exit_code == 2
        assert arguments[1] in result.stderr


def test_runs_of_preparation_are_bounded_by_what_the_reference_took() -> None:
    quick, slow = Trials({}, {}, seconds={"a.py": 0.5, "b.py": 1.0}), Trials({}, {}, seconds={"a.py": 12.0})
    many = Trials({}, {}, seconds={f"{number}.py": 9.0 for number in range(20)})
    assert (quick.wall, slow.wall, many.wall) == (30.0, 60.0, 180.0)
