"""Another language is another folder: the toy language makes, proves and plays a task like any other."""

from pathlib import Path

import anyio
import pytest

from kaiju_grading import languages
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.store import Store
from kaiju_tasks.validate import Effort, validate

TOY_LANGUAGES = Path(__file__).parents[1] / "grading" / "toy_languages"
SHAPES = ("line", "square", "cube", "box", "ring", "star")
LIBRARY = """def sides(count):
    return count * {0}

def corners(count):
    return count + {0}
"""
TESTS = """from lib import {1}

def test_sides():
    assert {1}.sides(3) == {2}

def test_no_sides():
    assert {1}.sides(0) == 0

def test_corners():
    assert {1}.corners(1) == {3}
"""


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of a library in the toy language, which is known now."""
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, str(TOY_LANGUAGES)])
    files = {"toy.cfg": "", "lib/__init__.py": ""}
    for number, name in enumerate(SHAPES, 2):
        files[f"lib/{name}.py"] = LIBRARY.format(number)
        files[f"check/{name}.py"] = TESTS.format(number, name, 3 * number, 1 + number)
    for path, text in files.items():
        (tmp_path / "shapes" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shapes" / path).write_text(text)
    return tmp_path / "shapes"


def test_a_language_that_nothing_else_knows_makes_a_task_that_proves_itself(
    library: Path, settings: Settings
) -> None:
    async def main() -> None:
        with anyio.fail_after(120):
            prepared = await prepare(recipes.from_purl(f"path:{library}"), settings, lambda _: None)
            task = Store(settings.tasks_dir).task(prepared.path.name)
            assert (task.view.id, task.view.language) == ("toy-shapes-1.0", "toy")
            assert "of this Toy library" in task.view.instruction
            assert (task.view.modules, task.view.visible_tests) == (5, 3)
            proof = await validate(task, settings, Effort(repeats=1), lambda _: None)
            assert [claim for claim in proof.claims if not claim.holds] == []

    anyio.run(main)


@pytest.mark.usefixtures("library")
def test_a_package_url_finds_the_language_that_says_it_is_its_own() -> None:
    assert recipes.from_purl("pkg:toy/shapes@1.0").content.language == "toy"
