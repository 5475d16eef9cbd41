"""What a submission's sources show: findings beside a verdict."""

from dataclasses import replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Finding
from kaiju_grading.scan import MAX_BYTES, scan
from kaiju_grading.suite import Suite
from kaiju_sandbox.command import File

TELLING = {
    "python": {
        "names the test runner": "import _pytest.runner\n",
        "looks at its callers": "import sys\nframe = sys._getframe(1)\n",
        "ends the process past its runner": "import os\nos._exit(0)\n",
        "is equal to everything": "class A:\n    def __eq__(self, other):\n        return True\n",
        "replaces builtins": "import builtins\nbuiltins.len = print\n",
    },
    "go": {
        "imports the testing package": 'package a\n\nimport (\n\t"fmt"\n\t"testing"\n)\n',
        "reaches into memory": 'package a\n\nimport u "unsafe"\n',
        "touches its process": "package a\n\nfunc f() { os.Exit(0) }\n",
        "is every error that is asked for": "func (e any1) Is(target error) bool {\n\treturn true\n}\n",
        "replaces what Go has": "package a\n\nconst false = 1 == 1\n",
    },
    "rust": {
        "includes files when it is compiled": 'const T: &str = include_str!("../tests/a.rs");\n',
        "takes part in linking": "#[no_mangle]\npub fn write() {}\n",
        "does something else when it is tested": "#![cfg_attr(test, no_main)]\n",
        "is equal to everything": "fn eq(&self, _: &Self) -> bool { true }\n",
        "says what its own types equal of others": "impl PartialEq<&'static str> for Word {}\n",
    },
}
CASES = [(language, reason, code) for language, found in TELLING.items() for reason, code in found.items()]


def scanned(suite: Suite, files: dict[str, str], language: str = "python") -> tuple[Finding, ...]:
    given: Files = {path: File(text.encode()) for path, text in files.items()}
    return scan(suite, given, languages.get(language).tells)


@pytest.mark.parametrize(("language", "reason", "code"), CASES)
def test_sources_that_reach_for_their_runner_are_noted(
    suite: Suite, language: str, reason: str, code: str
) -> None:
    found = scanned(suite, {"lib/a.txt": code}, language)
    assert Finding(kind="static", detail=f"{reason}: lib/a.txt") in found


@pytest.mark.parametrize(("language", "reason", "code"), CASES)
def test_what_upstream_does_as_well_is_not(suite: Suite, language: str, reason: str, code: str) -> None:
    upstream = replace(suite, reference={**suite.reference, "lib/up.txt": File(code.encode())})
    assert scanned(upstream, {"lib/a.txt": code}, language) == ()


HONEST = {
    "go": 'package a\n\nimport "flag"\n\nfunc init() { flag.Parse() }\n',
    "rust": "pub fn f() {}\n\n#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    fn t() {}\n}\n",
}


@pytest.mark.parametrize("language", HONEST)
def test_what_honest_sources_often_have_is_not_noted(suite: Suite, language: str) -> None:
    assert scanned(suite, {"lib/a.txt": HONEST[language]}, language) == ()


def test_texts_and_numbers_that_only_held_out_tests_have_are_noted(suite: Suite) -> None:
    heldout = {"held/a.py": File(b'assert f(1) == "seven swans" and g() == 1234567 and h() == "told"\n')}
    shared = {"held/b.py": File(b'TEXT = "everybody knows it"\n')}
    given = replace(suite, heldout={**suite.heldout, **heldout}, shared={**suite.shared, **shared})
    answers = 'ANSWERS = ["seven swans", 1234567, "everybody knows it", "told", 42]\n'
    assert scanned(given, {"lib/a.py": answers}) == (
        Finding(
            kind="expectations",
            detail="2 texts or numbers that only held-out tests have: 1234567, seven swans",
        ),
    )


def test_the_reference_and_the_stub_show_nothing(suite: Suite) -> None:
    for files in (suite.reference, suite.workspace):
        assert scan(suite, files, languages.get("python").tells) == ()


HOSTILE = {
    "blank lines": "\n" * 400_000,
    "spaces": " " * 400_000,
    "quotes": "\"'`" * 130_000,
    "backslashes": '"' + "\\" * 400_000,
    "digits": "1" * 400_000 + "x",
    "names": "def __eq__(" * 40_000,
    "attributes": "cfg(" * 100_000,
    "imports": "import " * 60_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", TELLING)
def test_hostile_sources_take_no_longer_than_others(suite: Suite, name: str, language: str) -> None:
    def look() -> None:
        scanned(suite, {"lib/a.py": HOSTILE[name]}, language)

    async def bounded() -> None:
        with anyio.fail_after(60):
            await anyio.to_thread.run_sync(look, abandon_on_cancel=True)

    anyio.run(bounded)


def test_more_than_can_be_looked_at_is_said(suite: Suite) -> None:
    files = {f"lib/{number}.py": "x" * (1024 * 1024) for number in range(MAX_BYTES // 1024**2 + 1)}
    assert [finding.kind for finding in scanned(suite, files)] == ["unscanned"]
