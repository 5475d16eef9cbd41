"""Own builds: the ecosystem's own build of an agent's whole tree, which no verdict looks at."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.building import UNTOUCHED, build_itself
from kaiju_grading.disk import write_tree
from kaiju_grading.grade import Grade, GradeStatus
from kaiju_grading.languages.python.own_build import BACKEND
from kaiju_grading.own_build import BuildsItself, OwnBuild
from kaiju_grading.submission import Submission, snapshot
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File, Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.settings import Settings

pytestmark = pytest.mark.anyio
YES, NO, NOT_MEASURED = BuildsItself.YES, BuildsItself.NO, BuildsItself.NOT_MEASURED


def encoded(files: Mapping[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


async def own_build(suite: Suite, backend: Backend, submission: Submission) -> OwnBuild:
    with anyio.fail_after(120):
        return await build_itself(suite, submission, backend)


def tree(suite: Suite, changes: Mapping[str, str | None]) -> Submission:
    """A workspace of an agent: the task's, with the reference and these changes (None: removed)."""
    whole = dict(suite.workspace) | dict(suite.reference) | encoded({k: v for k, v in changes.items() if v})
    beside = {path: file for path, file in whole.items() if changes.get(path, "") is not None}
    files = {path: beside.pop(path) for path in suite.reference if path in beside}
    return Submission("sha256:tree", files, beside=beside)


# What holds for every language.


async def test_the_build_sees_the_whole_tree_and_nothing_that_is_held_out(
    suite: Suite, backend: Backend
) -> None:
    script = "import pathlib, sys; sys.exit('\\n'.join(map(str, sorted(pathlib.Path('/kaiju').rglob('*')))))"
    suite = replace(suite, workspace={**suite.workspace, "build.py": File(b"")})
    found = await own_build(suite, backend, tree(suite, {"build.py": script, "mine.txt": "m"}))
    assert found.outcome is NO
    seen = {
        line.removeprefix("/kaiju/work/")
        for line in found.cause.splitlines()
        if line.endswith((".py", ".txt", ".md"))
    }
    assert seen == {"README.md", "build.py", "mine.txt", *suite.reference}
    assert not seen & suite.reserved


async def test_what_the_untouched_workspace_cannot_do_either_is_not_measured(
    suite: Suite, backend: Backend
) -> None:
    suite = replace(suite, workspace={**suite.workspace, "build.py": File(b"raise SystemExit('secret')")})
    found = await own_build(suite, backend, tree(suite, {}))
    assert (found.outcome, found.cause) == (NOT_MEASURED, UNTOUCHED)


async def test_a_library_without_a_tree_is_built_in_the_workspace_of_the_task(
    suite: Suite, backend: Backend
) -> None:
    looks = b"from lib import sums; assert sums.add(1, 1) == 2"
    suite = replace(suite, workspace={**suite.workspace, "build.py": File(looks)})
    assert (await own_build(suite, backend, Submission("", suite.reference))).outcome is YES


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
        ("import os; os.close(2); raise SystemExit(3)", "status 3"),
        ("print('x' * 40_000_000)", "limit on output"),
    ],
)
async def test_a_build_that_ends_badly_says_how(
    suite: Suite, backend: Backend, script: str, said: str
) -> None:
    suite = replace(suite, workspace={**suite.workspace, "build.py": File(b"")})
    found = await own_build(suite, backend, tree(suite, {"build.py": script}))
    assert found.outcome is NO
    assert said in found.cause


def test_a_grade_from_before_own_builds_can_still_be_read() -> None:
    old = {"status": "graded", "stage": "test", "reward": 1.0, "modules_total": 1}
    names = ("task_digest", "environment_digest", "submission_digest", "backend")
    found = Grade.model_validate(old | dict.fromkeys(names, "x"))
    assert (found.status, found.builds_itself) == (GradeStatus.GRADED, None)


def test_a_snapshot_keeps_what_lies_beside_the_library_for_the_own_build(tmp_path: Path) -> None:
    files = {"lib/a.py": "A", "lib/a.bin": "b", "build.py": "c", "check/secret.py": "d"}
    write_tree(tmp_path, encoded(files))
    (tmp_path / "link").symlink_to("/etc/passwd")
    found = snapshot(tmp_path, ("lib",), languages.get("toy"), frozenset({"check/secret.py"}))
    assert sorted(found.files) == ["lib/a.py"]
    assert sorted(found.beside or {}) == ["build.py", "check/secret.py", "lib/a.bin"]


# Python.

PROJECT = """[build-system]
requires = []
build-backend = "maker"
backend-path = ["tools"]
"""
MAKER = """import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(folder + "/calc-1-py3-none-any.whl", "w") as wheel:
        wheel.write("src/calc.py", "calc.py")
    return "calc-1-py3-none-any.whl"
"""
PYTHON = {
    "pyproject.toml": PROJECT,
    "tools/maker.py": MAKER,
    "src/calc.py": "def one():\n    raise Exception\n",
}


@pytest.fixture
def calc(suite: Suite, python_environment: Environment) -> Suite:
    return replace(
        suite,
        language="python",
        environment=python_environment,
        roots=("src",),
        workspace=encoded(PYTHON),
        reference=encoded({"src/calc.py": "def one():\n    return 1\n"}),
    )


async def test_a_python_tree_is_built_by_the_backend_that_it_declares(calc: Suite, backend: Backend) -> None:
    found = await own_build(calc, backend, tree(calc, {}))
    assert (found.outcome, found.cause) == (YES, "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pyproject.toml": "[build-system\n"}, "pyproject.toml: "),
        ({"pyproject.toml": "[build-system]\nrequires = 3\n"}, "build-system.requires"),
        ({"pyproject.toml": None}, "the tree has none of pyproject.toml"),
        ({"tools/maker.py": "raise SystemExit('no maker')"}, "no maker"),
        (
            {
                "tools/maker.py": MAKER.replace('"src/calc.py"', '"pyproject.toml"', 1).replace(
                    '"calc.py"', '"x.toml"'
                )
            },
            "no module",
        ),
        ({"tools/maker.py": "def build_wheel(*_):\n    return 'nothing.whl'"}, "made no wheel"),
        (
            {"tools/maker.py": MAKER + "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"},
            "signal 9",
        ),
    ],
)
async def test_a_python_tree_whose_build_files_are_broken_does_not_build_itself(
    calc: Suite, backend: Backend, changes: dict[str, str | None], said: str
) -> None:
    found = await own_build(calc, backend, tree(calc, changes))
    assert found.outcome is NO
    assert said in found.cause


@pytest.mark.parametrize(
    ("project", "lacks"),
    [
        (
            '[build-system]\nrequires = ["hatchling>=1.27"]\nbuild-backend = "hatchling.build"\n',
            "lacks hatchling",
        ),
        (
            '[build-system]\nrequires = []\nbuild-backend = "flit_core.api"\n',
            "lacks the build backend flit_core.api",
        ),
        ('[build-system]\nrequires = ["pytest; python_version < \'3\'", "absent-one"]\n', "lacks absent-one"),
        ("[project]\nname = 'calc'\n", "lacks setuptools"),
    ],
)
async def test_a_backend_that_the_environment_lacks_is_not_measured(
    calc: Suite, backend: Backend, project: str, lacks: str
) -> None:
    found = await own_build(calc, backend, tree(calc, {"pyproject.toml": project}))
    assert found.outcome is NOT_MEASURED
    assert lacks in found.cause


@pytest.mark.parametrize(
    ("wanted", "outcome", "said"),
    [("maker>=2", YES, ""), ("maker>=3", NOT_MEASURED, "has maker 2.5, the tree asks for maker>=3")],
)
async def test_a_backend_of_the_environment_is_used_where_its_version_fits(
    calc: Suite, backend: Backend, settings: Settings, wanted: str, outcome: BuildsItself, said: str
) -> None:
    installed = {"maker.py": MAKER, "maker-2.5.dist-info/METADATA": "Name: maker\nVersion: 2.5\n"}
    layer = LayerStore(settings.layers_dir).build(
        "maker", lambda folder: write_tree(folder, encoded(installed))
    )
    given = calc.environment
    layered = replace(given, layers=(*given.layers, Layer(BACKEND, layer)), keys=(*given.keys, "maker"))
    project = f'[build-system]\nrequires = ["{wanted}"]\nbuild-backend = "maker"\n'
    suite = replace(calc, environment=layered)
    found = await own_build(suite, backend, tree(suite, {"pyproject.toml": project, "tools/maker.py": None}))
    assert found.outcome is outcome, found.cause
    assert said in found.cause


async def test_what_a_backend_asks_for_besides_is_looked_for_too(calc: Suite, backend: Backend) -> None:
    asks = MAKER + "\ndef get_requires_for_build_wheel(config_settings=None):\n    return ['absent-one']\n"
    found = await own_build(calc, backend, tree(calc, {"tools/maker.py": asks}))
    assert (found.outcome, found.cause) == (NOT_MEASURED, "the environment lacks absent-one")


# Rust.

CARGO = '[package]\nname = "toy"\nversion = "0.1.0"\nedition = "2021"\n'
RUST = {"Cargo.toml": CARGO, "src/lib.rs": "pub fn one() -> u32 { unimplemented!() }\n"}


@pytest.fixture
def crate(suite: Suite, rust_environment: Environment) -> Suite:
    return replace(
        suite,
        language="rust",
        environment=rust_environment,
        roots=("src",),
        workspace=encoded(RUST),
        reference=encoded({"src/lib.rs": "pub fn one() -> u32 { 1 }\n"}),
    )


@pytest.mark.parametrize(
    ("changes", "outcome", "said"),
    [
        ({}, YES, ""),
        ({"build.rs": 'fn main() { std::fs::write("made", b"x").unwrap(); }'}, YES, ""),
        ({"Cargo.toml": "[package\n"}, NO, "Cargo.toml"),
        ({"Cargo.toml": CARGO + '[features]\ndefault = ["absent"]\n'}, NO, "absent"),
        ({"Cargo.toml": None}, NO, "Cargo.toml"),
        ({"build.rs": 'fn main() { panic!("no luck"); }'}, NO, "no luck"),
        ({"Cargo.toml": CARGO + '[dependencies]\nabsent = "1"\n'}, NOT_MEASURED, "absent"),
    ],
)
async def test_a_crate_builds_itself_with_its_own_manifest_and_build_script(
    crate: Suite, backend: Backend, changes: dict[str, str | None], outcome: BuildsItself, said: str
) -> None:
    found = await own_build(crate, backend, tree(crate, changes))
    assert found.outcome is outcome, found.cause
    assert said in found.cause
