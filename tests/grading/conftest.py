"""The toy language and a toy suite: three modules, eleven tests, one library of three files."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from ruff import find_ruff_bin  # type: ignore[import-untyped]

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.language import Language
from kaiju_grading.languages.rust.environment import provision_environment
from kaiju_grading.languages.rust.lock import resolve
from kaiju_grading.languages.rust.toolchain import locate as locate_rust
from kaiju_grading.preparation import Lock, Obstacle
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Suite, Test
from kaiju_sandbox import interpreter
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.backends import create
from kaiju_sandbox.command import File, Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.settings import Settings
from kaiju_tasks.attacks.attack import Attack, Layout, NotApplicable

REFERENCE = {
    "lib/__init__.py": "",
    "lib/sums.py": """def add(a, b):
    return a + b


def total(values):
    return sum(values)
""",
    "lib/words.py": """def shout(text):
    return text.upper()


def first(text):
    return text.split()[0]
""",
    "lib/flags.py": """def even(number):
    return number % 2 == 0
""",
}
STUB = {
    "lib/__init__.py": "",
    "lib/sums.py": """def add(a, b):
    raise NotImplementedError


def total(values):  # TODO
    raise NotImplementedError
""",
    "lib/words.py": """def shout(text):
    raise NotImplementedError


def first(text):
    raise NotImplementedError
""",
    "lib/flags.py": """def even(number):
    raise NotImplementedError
""",
}
HELDOUT = {
    "check/sums.py": """from lib import sums
import table

def test_add():
    assert sums.add(2, 5) == 7

def test_add_negative():
    assert sums.add(-4, 1) == -3

def test_total():
    assert sums.total(table.VALUES) == 60

def test_total_of_nothing():
    assert sums.total([]) == 0
""",
    "check/words.py": """from lib import words

def test_shout():
    assert words.shout("ab") == "AB"

def test_first():
    assert words.first("one two") == "one"

def test_first_alone():
    assert words.first("tre") == "tre"

def test_shout_raises():
    try:
        words.shout(None)
    except AttributeError:
        return
    raise AssertionError("nothing was raised")
""",
    "check/flags.py": """from lib import flags

def test_even():
    assert flags.even(4) is True

def test_odd():
    assert flags.even(3) is False

def test_zero():
    assert flags.even(0) is True
""",
}
VISIBLE = {
    "seen/sums.py": "from lib import sums\n\ndef test_small():\n    assert sums.add(1, 1) == 2\n\n"
    "def test_other():\n    assert sums.add(1, 2) == 3, 'one and two'\n"
}
FLIPS = {"7": "8", "-3": "-5", "60": "61", "0": "4", '"AB"': '"AX"', '"one"': '"two"', '"tre"': '"one"'}
FLIPS |= {"True": "False", "False": "True"}


RUST_MANIFEST = """[package]
name = "toy"
version = "0.1.0"
edition = "2021"
build = false
autobins = false
autotests = false

[lib]
path = "src/lib.rs"
doctest = false
"""


def encoded(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


def tests_in(path: str, text: str) -> tuple[Test, ...]:
    return tuple(Test(f"{path}::{name}", f"{path}::{name}") for name in re.findall(r"def (test_\w+)", text))


def cells_in(path: str, text: str) -> list[Cell]:
    """A flip for every expected literal; tests without one (`test_shout_raises`) have no cell."""
    found = re.finditer(r"def (test_\w+)\(\):\n    assert .* (==|is) (.+)\n", text)
    return [
        Cell(
            (f"{path}::{match[1]}",),
            (Site(path, match.start(3), match.end(3), FLIPS[match[3]], SiteKind(match[2])),),
        )
        for match in found
    ]


@pytest.fixture(autouse=True)
def toy_language(monkeypatch: pytest.MonkeyPatch) -> Language:
    """A language is a folder: this adds one more place for them."""
    monkeypatch.setattr(
        languages, "__path__", [*languages.__path__, str(Path(__file__).parent / "toy_languages")]
    )
    return languages.get("toy")


@pytest.fixture
def suite() -> Suite:
    modules = tuple(
        Module(path.split("/")[1].removesuffix(".py"), (path,), tests_in(path, text))
        for path, text in HELDOUT.items()
    )
    environment = Environment("python", (), (), {"python": "/usr/bin/python3"}, {"toy": "1"})
    return Suite(
        language="toy",
        task_digest="sha256:toy",
        environment=environment,
        roots=("lib",),
        workspace=encoded(STUB | {"README.md": "A toy.\n"}),
        reference=encoded(REFERENCE),
        shared=encoded({"table.py": "VALUES = [10, 20, 30]\n"}),
        heldout=encoded(HELDOUT),
        visible=encoded(VISIBLE),
        modules=modules,
        visible_tests=tests_in("seen/sums.py", VISIBLE["seen/sums.py"]),
        cells=tuple(cell for path, text in HELDOUT.items() for cell in cells_in(path, text)),
        limits=Limits(wall=20),
        lint_baseline=("lib/sums.py\0todo\0a note",),
    )


@pytest.fixture(scope="session")
def settings() -> Iterator[Settings]:
    """State of its own, in a folder that other users may pass: as root, sandboxes run as other users."""
    with tempfile.TemporaryDirectory(prefix="kaiju-test-") as folder:
        Path(folder).chmod(0o755)
        yield Settings(state_dir=Path(folder), slots=4)


@pytest.fixture(scope="session")
def backend(settings: Settings) -> Backend:
    """Real sandboxes."""
    return create(settings)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def python_environment(settings: Settings) -> Environment:
    """Python with pytest and ruff, copied from the running environment: no registry is asked."""
    system = interpreter.probe(interpreter.SYSTEM_PYTHON) if interpreter.SYSTEM_PYTHON.exists() else None
    known = system is not None and system.version.split(".")[:2] >= ["3", "11"]
    python = interpreter.adopt(system, settings) if system and known else interpreter.locate(settings)
    minor = ".".join(python.version.split(".")[:2])
    store = LayerStore(settings.layers_dir)

    def fill(folder: Path) -> None:
        site = folder / "lib" / f"python{minor}" / "site-packages"
        for name in ("_pytest", "pytest", "pluggy", "iniconfig", "packaging", "pygments"):
            shutil.copytree(Path(str(find_spec(name).origin)).parent, site / name)  # type: ignore[union-attr]
        shutil.copy2(str(find_spec("py").origin), site / "py.py")  # type: ignore[union-attr]
        (folder / "bin").mkdir()
        (folder / "bin" / "python").symlink_to(python.path)
        shutil.copy2(find_ruff_bin(), folder / "bin" / "ruff")
        (folder / "pyvenv.cfg").write_text(f"home = {python.path.rpartition('/')[0]}\n")
        subprocess.run([python.host, "-I", "-m", "compileall", "-q", site], check=False, capture_output=True)

    own = [(python.layer, python.key)] if python.layer else []
    layers = [*own, (Layer("/kaiju/env/venv", store.build("python-test-venv", fill)), "venv")]
    return Environment(
        system="python",
        layers=tuple(layer for layer, _ in layers),
        keys=tuple(key for _, key in layers),
        programs={name: f"/kaiju/env/venv/bin/{name}" for name in ("python", "ruff")},
        tools={"python": python.version},
    )


@pytest.fixture(scope="session")
def rust_environment(settings: Settings) -> Environment:
    """The toolchain of this machine and no dependency: no registry is asked."""
    try:
        lock = Lock(resolve(RUST_MANIFEST, ""), locate_rust().minor, {"manifest": RUST_MANIFEST})
        return provision_environment(lock, settings)
    except Obstacle as obstacle:
        if os.environ.get("KAIJU_REQUIRE_ALL") or obstacle.code != "no_toolchain":
            raise
        pytest.skip(str(obstacle))


def applied(attack: Attack, tree: Files, layout: Layout) -> Files:
    """The tree of an attack that fits the toy libraries."""
    changed = attack.apply(tree, layout)
    assert not isinstance(changed, NotApplicable), changed.reason
    return changed
