"""Splitting small sources: what goes where, and what ends with which obstacle."""

from collections.abc import Mapping

import pytest

from kaiju_grading.languages.python.prepare import PREPARATION
from kaiju_grading.preparation import Choices, Obstacle, Release, Source, Split
from kaiju_sandbox.command import File

TEST = "import lib\n\ndef test_a():\n    assert lib.a == 1\n"
FLAT = {"lib/__init__.py": "a = 1\n", "tests/test_a.py": TEST}


def split(files: Mapping[str, str], choices: Choices | None = None, name: str = "lib") -> Split:
    release = Release(f"pkg:pypi/{name}@1.0", name, "1.0", "0" * 64)
    tree = {path: File(text.encode()) for path, text in files.items()}
    return PREPARATION.split(Source(release, tree, "MIT"), choices or Choices())


def obstacle(files: Mapping[str, str], choices: Choices | None = None) -> str:
    with pytest.raises(Obstacle) as caught:
        split(files, choices)
    return caught.value.code


@pytest.mark.parametrize(
    ("files", "root", "package"),
    [
        ({"lib/__init__.py": ""}, "lib", "lib"),
        ({"src/lib/__init__.py": "", "tools/__init__.py": ""}, "src/lib", "lib"),
        ({"lib.py": "", "setup.py": "", "conftest.py": ""}, "lib.py", "lib"),
        ({"lib/__init__.py": "", "other/__init__.py": ""}, "lib", "lib"),
        ({"other/__init__.py": "", "docs/__init__.py": ""}, "other", "other"),
        ({"py_other.py": "", "lib.egg-info/top_level.txt": "py_other\n"}, "py_other.py", "py_other"),
        (
            {"code/lib/__init__.py": "", "pyproject.toml": "[tool.setuptools.packages.find]\nwhere=['code']"},
            "code/lib",
            "lib",
        ),
    ],
)
def test_the_root_is_found(files: dict[str, str], root: str, package: str) -> None:
    found = split({**files, "tests/test_a.py": TEST})
    assert (found.roots, found.packages) == ((root,), (package,))


def test_every_path_is_in_one_part_or_dropped() -> None:
    files = {
        **FLAT,
        "lib/tests/test_in.py": TEST,
        "lib/tests/data.json": "{}",
        "lib/data.json": "{}",
        "lib/_fast.c": "",
        "lib/__pycache__/a.pyc": "",
        "tests/conftest.py": "import pytest\n",
        "tests/data/page.html": "",
        "README.md": "read",
        "LICENSE": "MIT",
        "docs/guide.rst": "Guide",
        "docs/conf.py": "",
        "CHANGES.txt": "",
        "CLAUDE.md": "",
        "benchmarks/b.py": "",
        ".github/workflows/a.yml": "",
    }
    found = split(files)
    assert set(found.library) == {"lib/__init__.py", "lib/data.json"}
    assert set(found.tests) == {"tests/test_a.py", "lib/tests/test_in.py"}
    assert set(found.helpers) == {"tests/conftest.py", "tests/data/page.html", "lib/tests/data.json"}
    assert set(found.config) == {"README.md", "LICENSE"}
    assert set(found.docs) == {"docs/guide.rst", "CHANGES.txt"}
    parts = [found.library, found.tests, found.helpers, found.config, found.docs, found.dropped]
    assert sorted(path for part in parts for path in part) == sorted(files)


def test_a_root_conftest_is_a_helper_only_when_it_does_something() -> None:
    fixture = "import pytest\n\n@pytest.fixture\ndef a():\n    return 1\n"
    assert "conftest.py" in split({**FLAT, "conftest.py": fixture}).helpers
    assert "conftest.py" not in split({**FLAT, "conftest.py": "collect_ignore = ['setup.py']\n"}).helpers


def test_a_recipe_leaves_out_tests_and_library_files() -> None:
    files = {**FLAT, "tests/test_b.py": TEST, "lib/extra.py": ""}
    found = split(files, Choices(exclude={"tests/test_b.py": "slow"}, drop={"lib/extra.py": "not used"}))
    assert set(found.tests) == {"tests/test_a.py"}
    assert found.dropped["tests/test_b.py"] == "slow"
    assert found.dropped["lib/extra.py"] == "not used"


@pytest.mark.parametrize(
    "text",
    [
        "from tests.helper import x\n",
        "from tests import gone\n",
        "from . import gone\n",
        "import common_tests\n",
    ],
)
def test_a_test_whose_helper_is_missing_is_dropped_and_named(text: str) -> None:
    found = split({**FLAT, "tests/__init__.py": "", "tests/test_b.py": text})
    assert set(found.tests) == {"tests/test_a.py"}
    assert (
        text.split()[-1] in found.dropped["tests/test_b.py"] or "helper" in found.dropped["tests/test_b.py"]
    )
    assert (
        obstacle({**FLAT, "tests/test_b.py": text}, Choices(tests=("tests/test_*.py",)))
        == "missing_test_file"
    )


def test_helpers_that_are_there_are_not_missing() -> None:
    files = {
        "tests/__init__.py": "from tests.values import *\n",
        "tests/values.py": "x = 1\n",
        "tests/more/__init__.py": "def given(): pass\n",
        "tests/test_b.py": "from tests import values, x\nfrom .more import given\nfrom . import more\n",
    }
    assert set(split({**FLAT, **files}).tests) == {"tests/test_a.py", "tests/test_b.py"}


def test_python_that_no_test_imports_is_data() -> None:
    files = {
        "tests/cases/broken.py": "import nowhere_at_all\ndef f(:\n",
        "tests/cases/odd.py": "import foo, bar\n",
    }
    assert split({**FLAT, **files}).requirements == ()


def test_imports_for_other_systems_are_not_required() -> None:
    text = "import sys\nif sys.version_info < (3, 11):\n    import tomli\nelse:\n    import tomllib\n" + TEST
    assert split({**FLAT, "tests/test_a.py": text}).requirements == ()


def test_a_namespace_package_needs_a_recipe() -> None:
    files = {"space/lib/__init__.py": "", "tests/test_a.py": "import space.lib\n\ndef test_a(): pass\n"}
    assert obstacle(files) == "namespace_package"


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"lib/__init__.py": ""}, "no_tests"),
        ({"lib/__init__.py": "", "tests/data.json": ""}, "no_tests"),
        ({"README.md": "", "tests/test_a.py": TEST}, "no_python_source"),
        ({**FLAT, "lib/core.pyx": "", "lib/b.py": "from lib import core\n"}, "compiled_core"),
        ({**FLAT, "pyproject.toml": '[build-system]\nbuild-backend = "maturin"\n'}, "compiled_core"),
    ],
)
def test_what_cannot_be_a_task_says_why(files: dict[str, str], code: str) -> None:
    assert obstacle(files) == code


def test_an_optional_accelerator_is_dropped_and_no_obstacle() -> None:
    guarded = "try:\n    from lib import _speed\nexcept ImportError:\n    _speed = None\n"
    found = split({**FLAT, "lib/_speed.c": "", "lib/b.py": guarded})
    assert "lib/_speed.c" in found.dropped


def test_a_root_that_the_archive_lacks_is_told() -> None:
    assert obstacle(FLAT, Choices(roots=("library",))) == "missing_root"


INFO = """Metadata-Version: 2.4
Name: lib
Version: 1.0
Requires-Dist: attrs>=22
Requires-Dist: colorama; sys_platform == "win32"
Provides-Extra: test
Requires-Dist: simplejson>=3; extra == "test"
Requires-Dist: hypothesis; extra == "test"

"""


def test_requirements_are_the_declared_ones_that_are_used() -> None:
    imports = "import os, yaml, simplejson, pytest\nimport lib\ndef test_a(mocker): pass\n"
    found = split({**FLAT, "PKG-INFO": INFO, "tests/test_a.py": imports})
    assert found.requirements == (
        "PyYAML",
        "attrs>=22",
        'colorama; sys_platform == "win32"',
        "pytest-mock",
        "simplejson>=3",
    )
    assert found.options["plugins"] == "pytest_mock"


def test_guarded_imports_are_required_only_when_declared_for_tests() -> None:
    guarded = "try:\n    import simplejson, ujson\nexcept ImportError:\n    pass\ndef test_a(): pass\n"
    found = split({**FLAT, "PKG-INFO": INFO, "tests/test_a.py": guarded})
    assert "simplejson>=3" in found.requirements
    assert "ujson" not in found.requirements


def test_recipe_requirements_win() -> None:
    found = split({**FLAT, "PKG-INFO": INFO}, Choices(requirements=("attrs==23.1", "graphviz")))
    assert "attrs==23.1" in found.requirements
    assert "graphviz" in found.requirements
    assert "attrs>=22" not in found.requirements
    assert not any(
        "attrs" in line
        for line in split({**FLAT, "PKG-INFO": INFO}, Choices(requirements=("!attrs",))).requirements
    )


FEATURE = INFO.replace(
    "\n\n",
    """
Provides-Extra: signed
Requires-Dist: pyjwt; extra == "signed"
Requires-Dist: cryptography; extra == "signed"
Provides-Extra: docs
Requires-Dist: sphinx; extra == "docs"
Requires-Dist: pyjwt; extra == "docs"

""",
)


def test_a_feature_is_required_as_a_whole_and_can_be_spared_for_tests_only() -> None:
    lazy = "def f():\n    import jwt, attr\n"
    found = split({**FLAT, "PKG-INFO": FEATURE, "lib/b.py": lazy})
    assert {"pyjwt", "cryptography", "attrs>=22"} <= set(found.requirements)
    assert not any("sphinx" in line for line in found.requirements)
    assert found.spare == ("cryptography", "pyjwt")
    chosen = split({**FLAT, "PKG-INFO": FEATURE, "lib/b.py": lazy}, Choices(requirements=("pyjwt",)))
    assert chosen.spare == ("cryptography",)


def test_a_helper_imported_by_bare_name_changes_the_import_mode() -> None:
    bare = {"tests/common.py": "", "tests/test_a.py": "import common\n" + TEST}
    assert split({**FLAT, **bare}).options["import_mode"] == "prepend"
    assert "import_mode" not in split(FLAT).options
    assert "common" not in split({**FLAT, **bare}).requirements


def test_asyncio_tests_bring_their_plugin_and_its_mode() -> None:
    files = {
        **FLAT,
        "tests/test_a.py": "import pytest\n\n@pytest.mark.asyncio\nasync def test_a(): pass\n",
        "setup.cfg": "[tool:pytest]\nasyncio_mode = auto\naddopts = -x\n",
    }
    found = split(files)
    assert "pytest-asyncio" in found.requirements
    assert found.options["plugins"] == "pytest_asyncio.plugin"
    assert found.options["ini"] == "asyncio_mode=auto"
