"""Probing a stub tree in a real sandbox, and the loop that finds which bodies an import needs."""

from collections.abc import Callable, Mapping

import anyio
import pytest

from kaiju_grading.languages.python.probe import probe_command, read_probe
from kaiju_grading.languages.python.stub import stub_library
from kaiju_grading.preparation import Obstacle, Probe, Split
from kaiju_sandbox import interpreter
from kaiju_sandbox.backends import create
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.settings import Settings

PATIENCE = 90
"""Seconds until a test that hangs fails."""
Look = Callable[[Mapping[str, str], dict[str, str] | None], Probe]


@pytest.fixture(scope="module")
def look(settings: Settings) -> Look:
    python = interpreter.locate(settings)
    own = [(python.layer, python.key)] if python.layer else []
    environment = Environment(
        "python",
        tuple(layer for layer, _ in own),
        tuple(key for _, key in own),
        {"python": python.path},
        {"python": python.version},
    )
    backend = create(settings)

    def probed(files: Mapping[str, str], keep: dict[str, str] | None) -> Probe:
        """Of the files as they are when `keep` is None, else of their stub."""
        library = {path: File(text.encode()) for path, text in files.items()}
        split = Split(("src/lib",), ("lib",), library=library, tests={}, helpers={}, config={}, docs={})
        tree = library if keep is None else stub_library(split, keep).files

        async def run() -> Probe:
            command = probe_command(tree, split, environment)
            with anyio.fail_after(PATIENCE):
                return read_probe(await backend.run(command, Limits(wall=30)))

        return anyio.run(run)

    return probed


def loop(look: Look, files: Mapping[str, str]) -> tuple[Probe, set[str], int]:
    keep: dict[str, str] = {}
    for rounds in range(1, 30):
        probe = look(files, keep)
        if not probe.needed.keys() - keep.keys():
            return probe, set(keep), rounds
        keep |= probe.needed
    raise AssertionError("the loop does not end")


def test_only_what_an_import_needs_is_kept(look: Look) -> None:
    files = {
        "src/lib/__init__.py": "from lib.table import TABLE\nfrom lib.mark import marked\n\n"
        "@marked\ndef used(): return 1\n",
        "src/lib/table.py": "def build(): return {k: scale(k) for k in (1, 2)}\n"
        "def scale(k): return k * 3\ndef other(): return 4\nTABLE = build()\n",
        "src/lib/mark.py": "def marked(f):\n    def wrapper(*a):\n        return f(*a)\n    return wrapper\n",
    }
    probe, kept, rounds = loop(look, files)
    assert probe.works == {"lib", "lib.table", "lib.mark"}
    assert kept == {"src/lib/table.py:build", "src/lib/table.py:scale", "src/lib/mark.py:marked"}
    assert rounds > 2


def test_lambdas_methods_and_metaclasses_that_run_are_named(look: Look) -> None:
    text = """
pick = [lambda x: x + 1, lambda x: [x, x], lambda x: x + 3]
PICKED = pick[1](2)
class Meta(type):
    def __new__(mcs, name, bases, space):
        return super().__new__(mcs, name, bases, space)
class Field:
    convert = lambda self, x: x + 1
    def __set_name__(self, owner, name):
        self.name = self.convert(1)
class A(metaclass=Meta):
    field = Field()
    def never(self): return 1
"""
    probe, kept, _ = loop(look, {"src/lib/__init__.py": text})
    assert probe.works == {"lib"}
    assert kept == {
        "src/lib/__init__.py:<lambda>#1",
        "src/lib/__init__.py:Meta.__new__",
        "src/lib/__init__.py:Field.__set_name__",
        "src/lib/__init__.py:Field.<lambda>#3",
    }


def test_a_swallowed_error_needs_nothing(look: Look) -> None:
    files = {"src/lib/__init__.py": "def f(): return 1\ntry:\n    X = f()\nexcept Exception:\n    X = None\n"}
    assert loop(look, files)[1] == set()


def test_modules_that_never_import_are_told_from_those_that_work(look: Look) -> None:
    files = {
        "src/lib/__init__.py": "",
        "src/lib/good.py": "",
        "src/lib/optional.py": "import module_that_is_not_there\n",
        "src/lib/__main__.py": "raise SystemExit(3)\n",
        "src/lib/leaves.py": "raise SystemExit(3)\n",
    }
    probe = look(files, None)
    assert probe.works == {"lib", "lib.good"}
    assert set(probe.broken) == {"lib.optional", "lib.leaves"}
    assert "module_that_is_not_there" in probe.broken["lib.optional"]
    assert not probe.needed


def test_a_tree_that_ends_the_interpreter_is_an_obstacle(look: Look) -> None:
    with pytest.raises(Obstacle) as caught:
        look({"src/lib/__init__.py": "import os\nos._exit(0)\n"}, None)
    assert caught.value.code == "import_crashed"


def test_what_a_library_prints_does_not_reach_the_answer(look: Look) -> None:
    files = {"src/lib/__init__.py": "import sys\nprint('{}')\nsys.stdout.write('x' * 100)\n"}
    assert look(files, None).works == {"lib"}
