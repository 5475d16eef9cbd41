"""Every obstacle: what provokes it, and that page, source and tests agree on the list."""

import ast
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner

import kaiju_grading
import kaiju_tasks
from kaiju_grading import languages
from kaiju_grading.preparation import Lock, Obstacle, Release, Source, Split
from kaiju_grading.suite import Cell, Site, SiteKind, Test
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.commands import tasks
from kaiju_tasks.prepare.cut import make_cut
from kaiju_tasks.prepare.material import Material
from kaiju_tasks.prepare.modules import divide
from kaiju_tasks.prepare.pipeline import Alterable, settle_modules
from kaiju_tasks.prepare.trials import Trials
from kaiju_tasks.prepare.workshop import Workshop
from kaiju_tasks.recipe import RecipeFile

WriteRecipe = Callable[..., Path]
TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "obstacles.md"
NO_LICENCE = {"pyproject.toml": '[project]\nname = "mini"\nversion = "1.0"\n'}
BUSY = """
def table():
    found = {}
    for number in range(9):
        found[number] = number * number
    return found

TABLE = table()
"""
SWALLOWED = """
def size():
    return 3

try:
    SIZE = size()
except Exception:
    SIZE = 0
SHARE = 1 // SIZE
"""


def found(recipe: Path, settings: Settings) -> str:
    """The code that `kaiju tasks prepare` ends with."""
    arguments = ["--state-dir", str(settings.state_dir), "prepare", str(recipe), "--json"]
    result = CliRunner().invoke(tasks, arguments)
    assert result.exit_code == 3, result.output
    return str(json.loads(result.stdout)["error"]["code"])


@pytest.mark.parametrize(
    ("code", "library", "lines"),
    [
        ("no_licence", NO_LICENCE, ""),
        ("kept_limit", {"mini/table.py": BUSY}, ""),
        ("stub_build", {"mini/size.py": SWALLOWED}, ""),
        ("unreadable_source", {"mini/broken.py": "def f(:\n"}, ""),
        (
            "no_passing_tests",
            {"mini/__init__.py": "def add(a, b):\n    return b\n\ndef join(a):\n    return a\n"},
            "",
        ),
        ("recipe", {}, '[choices]\nvisible = ["tests/test_nowhere.py"]\n'),
    ],
)
def test_a_library_ends_with_the_code_of_what_is_in_its_way(
    code: str,
    library: dict[str, str],
    lines: str,
    write_recipe: WriteRecipe,
    settings: Settings,
    five_modules: dict[str, str],
) -> None:
    recipe = write_recipe(five_modules, lines)
    for path, text in library.items():
        (recipe.with_suffix("") / path).write_text(text)
    assert found(recipe, settings) == code


def test_a_linter_that_does_not_answer_is_told_from_a_bad_library(
    write_recipe: WriteRecipe, five_modules: dict[str, str]
) -> None:
    recipe = write_recipe(five_modules)
    with tempfile.TemporaryDirectory(prefix="kaiju-test-") as folder:
        Path(folder).chmod(0o755)
        settings = Settings(state_dir=Path(folder))
        languages.preparation("python").provision(shipped_lock(), settings)
        (linter,) = settings.layers_dir.glob("python-lint-*/bin/ruff")
        linter.chmod(0o755)
        linter.write_text("#!/bin/sh\n[ $1 = --version ] && echo ruff 0.17.6\n")
        assert found(recipe, settings) == "stub_lint"


def shipped_lock() -> Lock:
    lock = recipes.load_shipped("tinydb").lock
    assert isinstance(lock, Lock)
    return lock


def test_a_lock_of_another_language_version_is_refused(settings: Settings) -> None:
    with pytest.raises(Obstacle) as caught:
        languages.preparation("python").provision(replace(shipped_lock(), language_version="3.2"), settings)
    assert caught.value.code == "other_language_version"


CHAIN = """from mini import add

done = set()


def test_0():
    pass
""" + "".join(
    f"""

def test_{number}():
    ran = {number - 1} in done
    done.add({number})
    assert add({number}, 0) == {number} and ran
"""
    for number in range(1, 9)
)


def a_chain(count: int, *paths: str) -> tuple[Split, Trials, tuple[Cell, ...]]:
    """Tests that need those before them; the first of each file is none that can be pinned."""
    library = {"mini/__init__.py": File(b"def add(a, b):\n    return a + b\n")}
    texts = {path: File(CHAIN.encode()) for path in paths}
    split = Split(("mini",), ("mini",), library, texts, {}, {}, {})
    names = {path: [f"{path}::test_{number}" for number in range(1, count)] for path in paths}
    trials = {path: tuple(Test(name, name) for name in names[path]) for path in paths}
    cells = tuple(
        Cell((name,), (Site(path, 0, 1, "x", SiteKind.EQUAL),)) for path in paths for name in names[path]
    )
    return split, Trials(trials, {}), cells


def test_tests_that_fail_again_and_again_in_their_module_end_with_a_code(settings: Settings) -> None:
    preparation = languages.preparation("python")
    split, trials, cells = a_chain(9, *(f"tests/test_{name}.py" for name in "abcd"))
    release = Release("pkg:pypi/mini@1.0", "mini", "1.0")
    recipe = recipes.from_purl(release.purl)
    environment = preparation.provision(shipped_lock(), settings)
    material = Material(recipe, Source(release, {}, "MIT"), split, shipped_lock(), environment)
    workshop = Workshop(backends.create(settings), languages.get("python"), environment, settings.slots)
    cut = make_cut(preparation, split, trials, frozenset(), data=False)

    async def main() -> None:
        with anyio.fail_after(200):
            await settle_modules(workshop, material, Alterable(cut, cells, {}), frozenset())

    with pytest.raises(Obstacle) as caught:
        anyio.run(main)
    assert caught.value.code == "unstable_tests"
    assert "test_3" in caught.value.detail


@pytest.mark.parametrize(("count", "code"), [(70, "too_many_modules"), (4, "too_few_modules")])
def test_a_division_outside_of_the_limits_says_which(count: int, code: str) -> None:
    split, trials, cells = a_chain(count, "tests/test_a.py")
    cut = make_cut(languages.preparation("python"), split, trials, frozenset(), data=False)
    recipe = RecipeFile.model_validate(
        {"purl": "pkg:pypi/mini@1", "language": "python", "choices": {"modules_by": "function"}}
    )
    with pytest.raises(Obstacle) as caught:
        divide(cut, cells, frozenset(), recipe)
    assert caught.value.code == code


def codes() -> Iterator[str]:
    """First arguments of every `Obstacle(...)` in the source; a choice between two counts as both."""
    folders = [Path(str(package.__file__)).parent for package in (kaiju_grading, kaiju_tasks)]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Obstacle":
                constants = (item for item in ast.walk(node.args[0]) if isinstance(item, ast.Constant))
                yield from (str(item.value) for item in constants)


def test_page_and_source_have_the_same_codes_and_each_has_a_test() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    documented = {code for row in rows for code in re.findall(r"`(\w+)`", row)}
    assert documented == set(codes())
    texts = "".join(path.read_text() for path in TESTS.rglob("test_*.py") if path.name != "test_strangers.py")
    assert [code for code in sorted(documented) if f'"{code}"' not in texts] == []
