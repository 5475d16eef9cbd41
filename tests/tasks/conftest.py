"""A small task folder, written by hand, and small libraries to make tasks of."""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from kaiju_grading.files import digest
from kaiju_sandbox.command import File, Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.digest import task_digest
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.tree import read_tree

REFERENCE = {"toy/__init__.py": File(b"def double(x):\n    return 2 * x\n")}
STUB = {"toy/__init__.py": File(b"def double(x):\n    raise NotImplementedError\n")}
TEST_FILE = "from toy import double\ndef test_{}():\n    assert double({}) == {}\n"
TASK_TOML = f"""
schema_version = "1.4"
source = "somebody"

[task]
name = "kaiju/python-toy-1.0"
version = "1.0"
description = "Doubles numbers."

[metadata]
difficulty = "easy"

[metadata.kaiju]
format = 1
language = "python"
name = "toy"
version = "1.0"
roots = ["toy"]
packages = ["toy"]
modules_by = "file"
modules = 1
visible_tests = 1

[metadata.kaiju.commands]
test = "pytest"

[metadata.kaiju.provenance]
purl = "path:toy"
licence = "MIT"
reference = "{digest(REFERENCE)}"
stub = "{digest(STUB)}"
kept_share = 0.0

[environment]
network_mode = "no-network"
"""


def environment(version: str = "3.11.7") -> Environment:
    return Environment("python", (Layer("/kaiju/env/x", Path("/x")),), ("key",), {}, {"python": version})


def write_toy(folder: Path) -> Path:
    """A whole task folder named `folder`, calibrated for `environment()`."""
    texts = {
        "task.toml": TASK_TOML,
        "instruction.md": "# Implement toy\n",
        "environment/environment.toml": 'system = "python"\nlanguage_version = "3.11"\nlock = ""\n',
        "environment/workspace/toy/__init__.py": STUB["toy/__init__.py"].data.decode(),
        "environment/workspace/README.md": "toy\n",
        "environment/spec/api.md": "# API\n",
        "environment/spec/index.md": "# toy\n",
        "tests/heldout/tests/test_secret.py": TEST_FILE.format("two", 1, 2),
        "tests/visible/tests/test_seen.py": TEST_FILE.format("four", 2, 4),
        "tests/test.sh": "exit 1\n",
        "solution/reference/toy/__init__.py": REFERENCE["toy/__init__.py"].data.decode(),
        "solution/half.json": json.dumps({"restore": ["*"], "modules": ["tests/test_secret.py"]}),
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _calibrate(folder)
    return folder


def _calibrate(folder: Path) -> None:
    key = environment().digest
    secret, seen = ("tests/test_secret.py::test_two", "tests/test_seen.py::test_four")
    module = {
        "name": "tests/test_secret.py",
        "files": ["tests/test_secret.py"],
        "tests": [{"id": secret, "unit": secret, "ordinal": 0}],
    }
    recording = {
        "task_digest": task_digest(read_tree(folder)),
        "tools": {"python": "3.11.7"},
        "modules": [module],
        "visible": [{"id": seen, "unit": seen, "ordinal": 0}],
    }
    site = {"path": "tests/test_secret.py", "start": 62, "end": 63, "replacement": "3", "kind": "=="}
    measurement = {
        "seconds": {"tests/test_secret.py": 0.4},
        "limits": {"wall": 30, "cpu": 60, "memory": 1 << 29},
        "repeats": 3,
        "mixes": 20,
        "backend": "namespace",
    }
    files = {
        "tests/inventory.json": {"format": 1, "environments": {key: recording}},
        "tests/canaries.json": {"format": 1, "environments": {key: [{"tests": [secret], "sites": [site]}]}},
        "calibration.json": {"environments": {key: measurement}},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))


@pytest.fixture
def tasks_dir(tmp_path: Path) -> Path:
    """A store with one sound task, `python-toy-1.0`."""
    write_toy(tmp_path / "tasks" / "python-toy-1.0")
    return tmp_path / "tasks"


@pytest.fixture(scope="session")
def settings() -> Iterator[Settings]:
    """State of its own, in a folder that other users may pass: as root, sandboxes run as other users."""
    with tempfile.TemporaryDirectory(prefix="kaiju-test-") as folder:
        Path(folder).chmod(0o755)
        yield Settings(state_dir=Path(folder))


@pytest.fixture(scope="session")
def tally(settings: Settings) -> str:
    """The first-party task, proven with less effort than the shipped recipe asks for."""
    shipped = recipes.load_shipped("tally")
    lighter = shipped.content.model_copy(update={"repeats": 1, "mixes": 2})

    async def make() -> str:
        with anyio.fail_after(280):
            return (await prepare(replace(shipped, content=lighter), settings, lambda _: None)).path.name

    return anyio.run(make)


LIBRARY = {
    "pyproject.toml": """[project]
name = "mini"
version = "1.0"
license = "MIT"
""",
    "mini/__init__.py": """def add(a, b):
    total = a + b
    return total


def join(parts):
    return "-".join(parts)
""",
}
MODULE = """from mini import add, join

def test_add():
    assert add({0}, 2) == {1}

def test_join():
    assert join(["a", "{0}"]) == "a-{0}"
"""


@pytest.fixture
def write_recipe(tmp_path: Path) -> Callable[[dict[str, str], str], Path]:
    """Writes a recipe of a small library with these test files (name to text); recipe lines may follow."""

    def write(tests: dict[str, str], lines: str = "") -> Path:
        files = LIBRARY | {f"tests/{name}": text for name, text in tests.items()}
        for name, text in files.items():
            path = tmp_path / "mini" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        recipe = tmp_path / "mini.toml"
        recipe.write_text('path = "mini"\nlanguage = "python"\nrepeats = 2\nmixes = 2\n' + lines)
        return recipe

    return write


@pytest.fixture
def five_modules() -> dict[str, str]:
    """Five test files of two tests each."""
    return {f"test_{number}.py": MODULE.format(number, number + 2) for number in range(3, 8)}
