"""Recipes: read, refused, written again."""

import re
from pathlib import Path

import pytest

from kaiju_tasks import recipe as recipes
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.recipe import Recipe

CRATES = "registry+https://github.com/rust-lang/crates.io-index"
"""What Cargo.lock calls the public registry, wherever the crates come from."""


@pytest.mark.parametrize("name", recipes.shipped())
def test_a_shipped_recipe_pins_what_it_is_made_from(name: str) -> None:
    recipe = recipes.load_shipped(name)
    assert recipe.content.path or recipe.content.sha256
    assert recipe.lock is not None
    assert recipe.content.language != "python" or "--hash=sha256:" in recipe.lock.text
    # A checksum of Go may begin with two slashes: `h1://`.
    assert not re.search("[a-z]{3,}://", recipe.lock.text.replace(CRATES, ""))


@pytest.mark.parametrize("name", recipes.shipped())
def test_a_recipe_survives_being_written(name: str, tmp_path: Path) -> None:
    recipe = recipes.load_shipped(name)
    again = recipes.load(recipes.write(recipe, tmp_path))
    unmoved = again.content.model_copy(update={"path": recipe.content.path})
    assert (unmoved, again.lock_text) == (recipe.content, recipe.lock_text)


def test_a_recipe_of_a_folder_still_finds_it_when_it_is_written_elsewhere(tmp_path: Path) -> None:
    recipe = recipes.load_shipped("tally")
    again = recipes.load(recipes.write(recipe, tmp_path / "other"))
    assert Path(again.purl.removeprefix("path:")).samefile(recipe.purl.removeprefix("path:"))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('language = "python"', ""),
        ('language = "python"\npurl = "pkg:pypi/x@1"\npath = "x"', ""),
        ('purl = "pkg:pypi/x@1"', "language"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\nsha256 = "12"', "sha256"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\ncanary_floor = 2', "canary_floor"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\nrepeats = 0', "repeats"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\nvisible = []', "visible"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\n[choices]\nmodules_by = "size"', "choices.modules_by"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\n[choices]\nmodules_by = "group"', "choices"),
        ('language = "python"\npurl = "pkg:pypi/x@1"\n[choices]\nroots = ["/etc"]', "choices.roots.0"),
        (
            'language = "python"\npurl = "pkg:pypi/x@1"\n'
            '[environment]\nlanguage_version = "3.11"\nlock = "../../etc/passwd"',
            "environment.lock",
        ),
        ("not toml", ""),
    ],
)
def test_a_fault_in_a_recipe_names_file_and_key(text: str, key: str) -> None:
    with pytest.raises(TaskFormatError) as caught:
        recipes.parse("mine", text.encode())
    assert (caught.value.file, caught.value.key) == ("mine.toml", key)


def test_a_recipe_without_its_lock_file_is_refused(tmp_path: Path) -> None:
    recipe = recipes.load_shipped("tinydb")
    path = recipes.write(Recipe("tinydb", recipe.content), tmp_path)
    with pytest.raises(TaskFormatError, match=r"tinydb\.lock"):
        recipes.load(path)


@pytest.mark.parametrize("purl", ["tinydb", "pkg:", "pkg:gem/rails@1.0", "pkg:pypi", ""])
def test_a_package_url_that_is_none_is_refused(purl: str) -> None:
    with pytest.raises(TaskFormatError):
        recipes.from_purl(purl)


def test_a_package_url_gives_a_recipe_that_decides_nothing_else() -> None:
    recipe = recipes.from_purl("pkg:pypi/My.Library@1.0")
    assert recipe.name == "my.library"
    assert recipe.content.language == "python"
    assert recipe.lock is None


def test_a_folder_gives_a_recipe_that_finds_it(tmp_path: Path) -> None:
    folder = tmp_path / "my lib"
    folder.mkdir()
    with pytest.raises(TaskFormatError, match=r"one of .*pyproject\.toml.* \(python\)"):
        recipes.from_purl(f"path:{folder}")
    (folder / "pyproject.toml").touch()
    recipe = recipes.from_purl(f"path:{folder}")
    assert (recipe.name, recipe.purl) == ("my-lib", f"path:{folder}")
    assert recipe.content.language == "python"
    for nothing in (tmp_path / "nothing", ""):
        with pytest.raises(TaskFormatError, match="a folder that exists"):
            recipes.from_purl(f"path:{nothing}")
