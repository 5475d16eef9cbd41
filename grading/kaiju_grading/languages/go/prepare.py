"""The preparing half of Go: each step in a file of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.languages.go.cells import find_cells
from kaiju_grading.languages.go.cut import cut_tests
from kaiju_grading.languages.go.environment import provision_environment
from kaiju_grading.languages.go.fetch import fetch_source, find_release
from kaiju_grading.languages.go.lock import lock_environment
from kaiju_grading.languages.go.sandboxed import patterns
from kaiju_grading.languages.go.spec import private_names, write_spec
from kaiju_grading.languages.go.split import split_source
from kaiju_grading.languages.go.stub import probe_library, stub_library
from kaiju_grading.languages.go.toolchain import check_toolchain
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
from kaiju_grading.steps import Steps
from kaiju_grading.suite import Cell
from kaiju_sandbox.backend import Check
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings


@dataclass(frozen=True, slots=True)
class GoPreparation:
    """See `kaiju_grading.preparation.Preparation`."""

    def check(self, settings: Settings) -> tuple[Check, ...]:
        return (check_toolchain(),)

    def release(self, purl: str) -> Release:
        return find_release(purl)

    def fetch(self, release: Release, downloads: Path) -> Source:
        return fetch_source(release, downloads)

    def split(self, source: Source, choices: Choices) -> Split:
        return split_source(source, choices)

    def stub(self, split: Split, keep: Mapping[str, str], environment: Environment) -> Steps[Stub]:
        return stub_library(split, keep, environment)

    def probe(self, library: Files, split: Split, environment: Environment) -> Steps[Probe]:
        return probe_library(library, split, environment)

    def cut(self, path: str, data: bytes, units: frozenset[str]) -> bytes:
        return cut_tests(path, data, units)

    def cells(self, surgery: Surgery) -> Steps[tuple[Cell, ...]]:
        return find_cells(surgery)

    def spec(
        self, split: Split, source: Source, private: frozenset[str], environment: Environment
    ) -> Steps[Mapping[str, str]]:
        return write_spec(split, source, private, environment)

    def private_names(self, split: Split, tests: Files, environment: Environment) -> Steps[frozenset[str]]:
        return private_names(split, tests, environment)

    def lock(self, split: Split, source: Source, settings: Settings) -> Lock:
        return lock_environment(split, source, settings)

    def provision(self, lock: Lock, settings: Settings) -> Environment:
        return provision_environment(lock, settings)

    def commands(self, split: Split) -> Mapping[str, str]:
        named = " ".join(patterns(split.options))
        return {
            "build": f"CGO_ENABLED=0 go build {named}",
            "test": f"CGO_ENABLED=0 go test -vet=off {named}",
            "lint": f"gofmt -l . && go vet {named} && staticcheck {named}",
        }


PREPARATION: Preparation = GoPreparation()
