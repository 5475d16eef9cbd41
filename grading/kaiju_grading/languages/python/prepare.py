"""The preparing half of Python: each step in a file of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.files import Files, digest
from kaiju_grading.languages.python.environment import provision_environment
from kaiju_grading.languages.python.fetch import fetch_source, find_release
from kaiju_grading.languages.python.lock import check_uv, lock_environment
from kaiju_grading.languages.python.private import find_private_names
from kaiju_grading.languages.python.probe import probe_command, read_probe
from kaiju_grading.languages.python.spec import write_spec
from kaiju_grading.languages.python.split import split_source
from kaiju_grading.languages.python.stub import stub_library
from kaiju_grading.languages.python.surgery import cells, cut
from kaiju_grading.preparation import (
    Choices,
    Lock,
    Preparation,
    Probe,
    Release,
    Source,
    Split,
    Stub,
    Surgery,
)
from kaiju_grading.steps import Steps, done
from kaiju_grading.suite import Cell
from kaiju_sandbox.backend import Check
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings


@dataclass(frozen=True, slots=True)
class PythonPreparation:
    """See `kaiju_grading.preparation.Preparation`."""

    def check(self, settings: Settings) -> tuple[Check, ...]:
        return (check_uv(),)

    def release(self, purl: str) -> Release:
        return find_release(purl)

    def fetch(self, release: Release, downloads: Path) -> Source:
        return fetch_source(release, downloads)

    def split(self, source: Source, choices: Choices) -> Split:
        return split_source(source, choices)

    def stub(self, split: Split, keep: Mapping[str, str], environment: Environment) -> Steps[Stub]:
        return done(stub_library(split, keep))

    def probe(self, library: Files, split: Split, environment: Environment) -> Steps[Probe]:
        return read_probe((yield probe_command(library, split, environment)))

    def cut(self, path: str, data: bytes, units: frozenset[str]) -> bytes:
        return cut(path, data, units)

    def cells(self, surgery: Surgery) -> Steps[tuple[Cell, ...]]:
        # The bodies that were taken out: who has them needs no forgery.
        return done(cells(surgery.files, surgery.tests, digest(surgery.library)))

    def spec(
        self, split: Split, source: Source, private: frozenset[str], environment: Environment
    ) -> Steps[Mapping[str, str]]:
        return done(write_spec(split, source, private))

    def private_names(self, split: Split, tests: Files, environment: Environment) -> Steps[frozenset[str]]:
        return done(find_private_names(split, tests))

    def lock(self, split: Split, source: Source, settings: Settings) -> Lock:
        return lock_environment(split, source, settings)

    def provision(self, lock: Lock, settings: Settings) -> Environment:
        return provision_environment(lock, settings)

    def commands(self, split: Split) -> Mapping[str, str]:
        """Nothing is built: Python's build is that every file compiles."""
        roots = " ".join(split.roots)
        return {
            "build": f"python -m compileall -q {roots}",
            "test": "python -m pytest --import-mode=" + split.options.get("import_mode", "importlib"),
            "lint": f"ruff check {roots}",
        }


PREPARATION: Preparation = PythonPreparation()
