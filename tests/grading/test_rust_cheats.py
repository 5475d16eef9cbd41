"""Every attack on gradings of Rust, over a toy library: forged results earn nothing, honest code all."""

from dataclasses import replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.languages.rust.surgery import cells
from kaiju_grading.preparation import Surgery
from kaiju_grading.stage import Stage
from kaiju_grading.steps import follow
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_tasks import attacks
from kaiju_tasks.attacks.attack import Layout

from .conftest import RUST_MANIFEST, applied

LAYOUT = Layout(roots=("src",), packages=("toy",))
LIMITS = Limits(wall=30)
HEAD = "//! A toy library: the target of attacks.\n"
REFERENCE = {
    "src/lib.rs": HEAD
    + """/// Adds.
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}
/// A word with its first letter in upper case.
pub fn title(s: &str) -> String {
    let mut c = s.chars();
    c.next().map(|f| f.to_uppercase().collect::<String>() + c.as_str()).unwrap_or_default()
}
/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}
impl Point {
    /// The sum.
    pub fn plus(&self, o: &Point) -> Point {
        Point { x: self.x + o.x, y: self.y + o.y }
    }
}
"""
}
STUB = {
    "src/lib.rs": HEAD
    + """/// Adds.
pub fn add(a: i32, b: i32) -> i32 {
    unimplemented!()
}
/// A word with its first letter in upper case.
pub fn title(s: &str) -> String {
    unimplemented!()
}
/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}
impl Point {
    /// The sum.
    pub fn plus(&self, o: &Point) -> Point {
        unimplemented!()
    }
}
"""
}
INLINE, API = "tests/inline/src.lib.rs", "tests/api.rs"
HELDOUT = {
    INLINE: """// Tests of src/lib.rs.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(2, 2), 4);
    }

    #[test]
    fn titles() {
        assert_eq!(title("abc"), "Abc");
    }
}
""",
    API: """use toy::*;

#[test]
fn sum() {
    assert_eq!(add(20, 22), 42);
}

#[test]
fn word() {
    assert_eq!(title("hello"), "Hello");
}

#[test]
fn point() {
    assert_eq!(Point { x: 1, y: 2 }.plus(&Point { x: 3, y: 4 }), Point { x: 4, y: 6 });
}
""",
}
TESTS = {
    INLINE: ("src/lib.rs::tests::adds", "src/lib.rs::tests::titles"),
    API: ("tests/api.rs::sum", "tests/api.rs::word", "tests/api.rs::point"),
}


def encoded(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


@pytest.fixture(scope="module")
def toy(rust_environment: Environment, backend: Backend) -> Suite:
    """Two modules, one inline and one a program, with the alterations that surgery finds."""
    config = encoded({"Cargo.toml": RUST_MANIFEST})
    tests = {path: tuple(Test(id, id) for id in ids) for path, ids in TESTS.items()}
    language = languages.get("rust")

    async def sites() -> tuple[object, ...]:
        async def run(command: Command) -> Result:
            return await backend.run(command, language.build_limits)

        surgery = Surgery(
            library={**config, **encoded(REFERENCE)},
            files=encoded(HELDOUT),
            tests=tests[INLINE] + tests[API],
            environment=rust_environment,
        )
        with anyio.fail_after(120):
            return await follow(cells(surgery), run)

    return Suite(
        language="rust",
        task_digest="sha256:toy",
        environment=rust_environment,
        roots=LAYOUT.roots,
        workspace={**config, **encoded(STUB)},
        reference=encoded(REFERENCE),
        shared={},
        heldout=encoded(HELDOUT),
        visible={},
        modules=tuple(Module(path, (path,), found) for path, found in tests.items()),
        visible_tests=(),
        cells=anyio.run(sites),  # type: ignore[arg-type]
        limits=LIMITS,
    )


def graded(suite: Suite, backend: Backend, files: Files, key: bytes = b"secret") -> Grade:
    submission = submission_of(files, suite.roots, languages.get("rust"), suite.reserved)

    async def run() -> Grade:
        with anyio.fail_after(240):
            return await grade(GradeJob(suite, submission, Stage.TEST, key), backend)

    return anyio.run(run)


def test_every_test_of_the_toy_library_has_an_alteration(toy: Suite) -> None:
    assert {id for cell in toy.cells for id in cell.tests} == {id for ids in TESTS.values() for id in ids}


def test_the_honest_control_earns_everything_under_any_key(toy: Suite, backend: Backend) -> None:
    for key in (b"one", b"two"):
        verdict = graded(toy, backend, encoded(REFERENCE), key)
        assert verdict.reward == 1.0, verdict.modules
        assert not verdict.findings


def test_the_stub_earns_nothing(toy: Suite, backend: Backend) -> None:
    verdict = graded(toy, backend, encoded(STUB))

    assert verdict.status is GradeStatus.GRADED
    assert verdict.reward == 0.0


@pytest.mark.parametrize("name", attacks.names("rust"))
def test_an_attack_earns_nothing(toy: Suite, backend: Backend, name: str) -> None:
    verdict = graded(toy, backend, applied(attacks.get("rust", name), toy.workspace, LAYOUT))

    assert verdict.status is GradeStatus.GRADED, verdict.cause
    assert verdict.reward == 0.0, verdict.modules


def test_a_suite_that_is_not_altered_pays_a_forger(toy: Suite, backend: Backend) -> None:
    """The alterations are what stops a forger inside the process: without them it is paid."""
    forged = applied(attacks.get("rust", "02-forge-report"), toy.workspace, LAYOUT)

    assert graded(replace(toy, cells=()), backend, forged).reward == 1.0
