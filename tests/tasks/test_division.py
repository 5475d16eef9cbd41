"""How tests are cut and divided, on suites small enough to see."""

from dataclasses import replace

import pytest

from kaiju_grading import languages
from kaiju_grading.preparation import Obstacle, Split
from kaiju_grading.suite import Cell, Site, SiteKind, Test
from kaiju_sandbox.command import File
from kaiju_tasks.prepare.cut import Cut, choose_visible, make_cut
from kaiju_tasks.prepare.links import closure, find_links
from kaiju_tasks.prepare.modules import divide
from kaiju_tasks.prepare.trials import Trials
from kaiju_tasks.recipe import RecipeFile

TREE = {
    "tests/__init__.py": "",
    "tests/conftest.py": "import pytest\nDATA = 'fixed.txt'\n",
    "tests/fixed.txt": "x",
    "tests/secret.txt": "y",
    "tests/cases/one.bin": "1",
    "tests/base.py": "class Base: pass\n",
    "tests/test_a.py": "from .base import Base\nopen('secret.txt')\n",
    "tests/test_b.py": "from .test_a import A\n",
    "tests/test_c.py": "import lib\nlist('cases')\n",
    "tests/test_d.py": "import lib\n",
    "tests/test_e.py": "import lib\n",
    "tests/test_f.py": "import lib\n",
}
FILES = {path: File(text.encode()) for path, text in TREE.items()}


def a_split() -> Split:
    tests = {path: file for path, file in FILES.items() if "/test_" in path}
    helpers = {path: file for path, file in FILES.items() if path not in tests}
    return Split(("lib",), ("lib",), {}, tests, helpers, {}, {})


def some_trials(easy: frozenset[str] = frozenset(), count: int = 5) -> Trials:
    tests = {
        path: tuple(Test(f"{path}::test_{n}", f"{path}::test_{n}") for n in range(count))
        for path in a_split().tests
    }
    return Trials(tests, {}, easy=easy)


def a_cut(visible: frozenset[str]) -> Cut:
    return make_cut(languages.preparation("python"), a_split(), some_trials(), visible, data=False)


def ids_of(*paths: str) -> frozenset[str]:
    return frozenset(test.id for path in paths for test in some_trials().tests[path])


def cells_for(cut: Cut) -> tuple[Cell, ...]:
    site = Site("tests/test_a.py", 0, 1, "x", SiteKind.EQUAL)
    return tuple(Cell((test.id,), (site,)) for tests in cut.heldout_tests.values() for test in tests)


def test_files_are_linked_by_what_they_import_open_and_list() -> None:
    links = find_links(FILES, a_split().tests)
    assert closure(["tests/test_b.py"], links) == {
        "tests/test_b.py",
        "tests/test_a.py",
        "tests/base.py",
        "tests/secret.txt",
    }
    assert links["tests/test_c.py"] == {"tests/cases/one.bin"}
    assert links["tests/conftest.py"] == {"tests/fixed.txt"}


def test_what_only_held_out_tests_use_is_held_out() -> None:
    cut = a_cut(ids_of("tests/test_d.py"))
    assert set(cut.visible) == {"tests/test_d.py"}
    assert set(cut.shared) == {"tests/__init__.py", "tests/conftest.py"}
    assert {"tests/base.py", "tests/secret.txt", "tests/cases/one.bin"} <= set(cut.heldout)


def test_data_of_fixtures_is_held_out_unless_visible_tests_need_it() -> None:
    visible = ids_of("tests/test_d.py")
    assert "tests/fixed.txt" in a_cut(visible).heldout
    assert "tests/fixed.txt" in a_cut(visible).mounted("tests/test_e.py")
    shared = make_cut(languages.preparation("python"), a_split(), some_trials(), visible, data=True).shared
    assert "tests/fixed.txt" in shared


def test_a_visible_test_that_needs_a_held_out_file_is_an_obstacle() -> None:
    with pytest.raises(Obstacle, match=r"tests/test_a\.py") as caught:
        a_cut(ids_of("tests/test_b.py"))
    assert caught.value.code == "visible_needs_heldout"


def test_the_rule_never_makes_a_file_visible_that_serves_another() -> None:
    visible = choose_visible(a_split(), some_trials(), ())
    assert visible == ids_of("tests/test_c.py")


def test_a_recipe_that_names_no_test_is_an_obstacle() -> None:
    with pytest.raises(Obstacle, match="no_such"):
        choose_visible(a_split(), some_trials(), ("tests/no_such.py",))


def test_a_module_mounts_the_files_that_it_is_derived_from() -> None:
    cut = a_cut(ids_of("tests/test_d.py"))
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    modules = {module.name: module for module in divide(cut, cells_for(cut), frozenset(), recipe).modules}
    assert set(modules) == {f"tests/test_{letter}.py" for letter in "abcef"}
    assert modules["tests/test_b.py"].files == ("tests/test_b.py",)
    assert modules["tests/test_b.py"].helpers == (
        "tests/base.py",
        "tests/fixed.txt",
        "tests/secret.txt",
        "tests/test_a.py",
    )


def test_a_module_that_the_stub_passes_is_none() -> None:
    cut = a_cut(ids_of("tests/test_d.py"))
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    division = divide(cut, cells_for(cut), ids_of("tests/test_e.py"), recipe)
    assert "tests/test_e.py" not in {module.name for module in division.modules}
    assert "pass on the stub" in division.dropped["tests/test_e.py"]


def test_a_module_below_the_canary_floor_is_dropped_and_listed() -> None:
    cut = a_cut(ids_of("tests/test_d.py"))
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    cells = tuple(cell for cell in cells_for(cut) if cell.tests[0] not in list(ids_of("tests/test_f.py"))[:3])
    division = divide(cut, cells, frozenset(), recipe)
    assert "40% of 5 tests" in division.dropped["tests/test_f.py"]


def test_a_module_that_visible_tests_tell_is_dropped_and_listed() -> None:
    cut = a_cut(ids_of("tests/test_d.py"))
    line, path = "assert lib.f(3) == 4\n", "tests/test_e.py"
    cut = replace(
        cut,
        heldout={**cut.heldout, path: File(line.encode())},
        visible={**cut.visible, "tests/test_d.py": File(line.encode())},
    )
    site = Site(path, line.index("4"), line.index("4") + 1, "5", SiteKind.EQUAL)
    told = tuple(Cell((test.id,), (site,)) for test in cut.heldout_tests[path][:3])
    others = tuple(cell for cell in cells_for(cut) if cell.tests[0] not in {one.tests[0] for one in told})
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    assert path not in {module.name for module in divide(cut, (*told, *others), frozenset(), recipe).modules}
    assert "3 of 5" in divide(cut, (*told, *others), frozenset(), recipe).dropped[path]


def test_too_few_files_are_divided_into_functions() -> None:
    cut = a_cut(ids_of("tests/test_c.py", "tests/test_d.py", "tests/test_e.py"))
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    division = divide(cut, cells_for(cut), frozenset(), recipe)
    assert (division.by, len(division.modules)) == ("function", 15)


def test_a_large_file_is_divided_into_parts_of_neighbours() -> None:
    cut = make_cut(
        languages.preparation("python"),
        a_split(),
        some_trials(count=17),
        frozenset(
            test.id for path in "cdef" for test in some_trials(count=17).tests[f"tests/test_{path}.py"]
        ),
        data=False,
    )
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    large = RecipeFile.model_validate({**recipe.model_dump(), "choices": {"modules_by": "part"}})
    with pytest.raises(Obstacle, match="2 by part"):
        divide(cut, cells_for(cut), frozenset(), large)
    wide = replace(
        cut, heldout_tests={"tests/test_a.py": tuple(Test(f"t::{n}", f"t::{n}") for n in range(65))}
    )
    division = divide(wide, cells_for(wide), frozenset(), recipe)
    assert [(module.name, len(module.tests)) for module in division.modules] == [
        ("tests/test_a.py:1", 10),
        ("tests/test_a.py:2", 10),
        ("tests/test_a.py:3", 10),
        ("tests/test_a.py:4", 10),
        ("tests/test_a.py:5", 10),
        ("tests/test_a.py:6", 15),
    ]


def test_too_few_of_everything_is_an_obstacle() -> None:
    cut = a_cut(ids_of("tests/test_d.py"))
    recipe = RecipeFile(language="python", purl="pkg:pypi/x@1")
    with pytest.raises(Obstacle) as caught:
        divide(cut, (), frozenset(), recipe)
    assert caught.value.code == "too_few_modules"
