"""The preparing half of the toy language: one function to a step, all that a language needs to make tasks."""

import re
from collections.abc import Mapping
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.preparation import (
    Choices,
    FileAccount,
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
from kaiju_grading.suite import Cell, Site, SiteKind, Test
from kaiju_sandbox.backend import Check
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings

FUNCTION = re.compile(r"^def (\w+)\(.*\):\n((?:    .*\n)+)", re.MULTILINE)
EXPECTED = re.compile(r" == (\d+)\n")


class ToyPreparation:
    """Libraries in `lib/`, tests in `check/`, and every function at the top of its file."""

    def check(self, settings: Settings) -> tuple[Check, ...]:
        return (Check("toy", ok=True, detail="always there"),)

    def release(self, purl: str) -> Release:
        return Release(purl, purl.rpartition("/")[2], "1.0")

    def fetch(self, release: Release, downloads: Path) -> Source:
        folder = Path(release.purl.removeprefix("path:"))
        paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
        files = {path.relative_to(folder).as_posix(): File(path.read_bytes()) for path in paths}
        return Source(release, files, licence="MIT")

    def split(self, source: Source, choices: Choices) -> Split:
        def part(folder: str) -> Files:
            return {path: file for path, file in source.files.items() if path.startswith(folder)}

        library, tests = part("lib/"), part("check/")
        config = {path: file for path, file in source.files.items() if path not in {**library, **tests}}
        return Split(("lib",), ("lib",), library, tests, helpers={}, config=config, docs={})

    def stub(self, split: Split, keep: Mapping[str, str], environment: Environment) -> Steps[Stub]:
        files, account = {}, {}
        for path, file in split.library.items():
            text = file.data.decode()
            names = tuple(match[1] for match in FUNCTION.finditer(text))
            account[path] = FileAccount(stubbed=names, body_lines=len(names))
            files[path] = File(FUNCTION.sub(_stubbed, text).encode())
        return done(Stub(files, account))

    def probe(self, library: Files, split: Split, environment: Environment) -> Steps[Probe]:
        return done(Probe(frozenset(), {}, {}))

    def cut(self, path: str, data: bytes, units: frozenset[str]) -> bytes:
        chosen = {unit.rpartition("::")[2] for unit in units}
        return FUNCTION.sub(lambda match: match[0] if match[1] in chosen else "", data.decode()).encode()

    def cells(self, surgery: Surgery) -> Steps[tuple[Cell, ...]]:
        return done(tuple(cell for test in surgery.tests for cell in _cells(surgery.files, test)))

    def spec(
        self, split: Split, source: Source, private: frozenset[str], environment: Environment
    ) -> Steps[Mapping[str, str]]:
        texts = (file.data.decode() for file in split.library.values())
        names = [match[1] for text in texts for match in FUNCTION.finditer(text)]
        return done({"index.md": "# Functions\n\n" + "".join(f"* {name}\n" for name in names)})

    def private_names(self, split: Split, tests: Files, environment: Environment) -> Steps[frozenset[str]]:
        return done(frozenset())

    def lock(self, split: Split, source: Source, settings: Settings) -> Lock:
        return Lock("", language_version="1")

    def provision(self, lock: Lock, settings: Settings) -> Environment:
        return Environment("python", (), (), {"python": "/usr/bin/python3"}, {"toy": "1"})

    def commands(self, split: Split) -> Mapping[str, str]:
        return {"test": "toy check"}


def _stubbed(match: re.Match[str]) -> str:
    return match[0].replace(match[2], "    raise NotImplementedError\n")


def _cells(files: Files, test: Test) -> list[Cell]:
    path, _, name = test.unit.partition("::")
    text = files[path].data.decode()
    body = next(match for match in FUNCTION.finditer(text) if match[1] == name)
    found = EXPECTED.search(text, body.start(2), body.end(2))
    if found is None:
        return []
    altered = str(int(found[1]) + 1)
    return [Cell((test.id,), (Site(path, found.start(1), found.end(1), altered, SiteKind.EQUAL),))]


PREPARATION: Preparation = ToyPreparation()
