"""Questions in whole gradings of Rust: right answers earn everything however they are computed, wrong ones
cost their module alone, and no program or table of an asked run holds what is expected."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.languages.rust.surgery import cells
from kaiju_grading.plan import Draw, ModulePlan, plan_module
from kaiju_grading.preparation import Surgery
from kaiju_grading.stage import Stage
from kaiju_grading.steps import follow
from kaiju_grading.submission import submission_of
from kaiju_grading.suite import Module, Site, Suite, Test
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import MIB, Limits
from kaiju_sandbox.result import Result

from .conftest import RUST_MANIFEST

RUST = languages.get("rust")
BUILT_FROM = {"Cargo.toml": RUST_MANIFEST}
LIBRARY = """//! Gives.

/// What can go wrong.
#[derive(Debug, PartialEq)]
pub enum Wrong {
    Empty,
}

/// Some text.
pub fn text(n: usize) -> String {
    ["alpha", "Beta x", "gamma\\n", "d\\u{e9}lta"][n].to_string()
}

/// A text that lives on.
pub fn lasting(text: &str) -> &str {
    text.trim()
}

/// Above and below nothing.
pub fn low() -> i64 {
    -9007199254740993
}

pub fn high() -> u128 {
    340282366920938463463374607431768211455
}

pub fn small(n: u8) -> u8 {
    200 + n
}

pub fn real(n: usize) -> f64 {
    [60.75, -0.125, 3e9][n]
}

pub fn single() -> f32 {
    0.1
}

pub fn letter() -> char {
    'x'
}

/// A word and what is left.
pub fn word(text: &str) -> Result<(&str, Option<u16>), Wrong> {
    let end = text.find(' ').ok_or(Wrong::Empty)?;
    Ok((&text[..end - 1], text[end + 1..].parse().ok()))
}

pub fn many() -> Vec<String> {
    vec!["seventeen".into(), "sixteen".into()]
}

pub fn pairs() -> Vec<(u32, &'static str)> {
    vec![(4101, "one"), (4202, "two")]
}

fn hidden() -> usize {
    5303
}
"""
INLINE, API = "tests/inline/src.lib.rs", "tests/api.rs"
HELDOUT = {
    INLINE: """// Tests of src/lib.rs.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside() {
        assert_eq!(hidden(), 5303);
    }

    #[test]
    fn texts() {
        assert_eq!(text(0), "alpha");
        assert_eq!(&text(2), "gamma\\n");
        assert_eq!(text(3), "d\\u{e9}lta".to_string(), "of {}", 3);
    }
}
""",
    API: """use toy::*;

#[test]
fn borrowed() {
    let owned = text(1);
    assert_eq!(lasting(&owned), "Beta x");
}

#[test]
fn ends() {
    assert_eq!(low(), -9007199254740993);
    assert_eq!(340282366920938463463374607431768211455, high());
}

#[test]
fn smalls() {
    for n in [1, 1] {
        assert_eq!(small(n), 201);
    }
}

#[test]
fn reals() {
    assert_eq!(real(0), 60.75);
    assert_eq!((real(1), single()), (-0.125, 0.1));
}

#[test]
fn letters() {
    assert_eq!(letter(), 'x');
}

#[test]
fn words() -> Result<(), Wrong> {
    assert_eq!(word("abc 0512"), Ok(("ab", Some(512))));
    assert_eq!(word("efe gh")?.0, "ef");
    Ok(())
}

#[test]
fn lists() {
    assert_eq!(many(), ["seventeen", "sixteen"]);
    assert_eq!(pairs(), vec![(4101, "one"), (4202, "two")]);
}
""",
}
TESTS = {
    INLINE: ("src/lib.rs::tests::inside", "src/lib.rs::tests::texts"),
    API: tuple(
        f"{API}::{name}" for name in ("borrowed", "ends", "smalls", "reals", "letters", "words", "lists")
    ),
}
DRESSED = {
    "as it is": LIBRARY,
    "with other types of the same values": LIBRARY.replace(
        "pub fn many() -> Vec<String> {\n    vec!",
        "pub fn many() -> [std::borrow::Cow<'static, str>; 2] {\n    ",
    )
    .replace("pub fn text(n: usize) -> String", "pub fn text(n: usize) -> std::borrow::Cow<'static, str>")
    .replace("[n].to_string()", "[n].into()")
    .replace("fn hidden() -> usize", "fn hidden() -> u16"),
}
PASSED, FAILED = ModuleVerdict.PASSED, ModuleVerdict.FAILED


def encoded(files: Mapping[str, str]) -> Files:
    return {path: File(text.encode()) for path, text in files.items()}


@dataclass
class Listening:
    """The real backend, and what its sandboxes were given."""

    backend: Backend
    runs: tuple[tuple[frozenset[str], Files], ...] = ()
    """Slots of the tables, and trees, of runs."""
    name: str = "namespace"

    async def check(self) -> tuple[Check, ...]:
        return await self.backend.check()

    async def sweep(self) -> int:
        return await self.backend.sweep()

    async def run(self, command: Command, limits: Limits) -> Result:
        if command.argv[1].endswith("run.sh"):
            trees = [one.files for one in command.inputs if isinstance(one, Tree)]
            files = {path: file for tree in trees for path, file in tree.items()}
            lines = (command.stdin or b"").decode().splitlines()
            self.runs += ((frozenset(line.split()[0] for line in lines[1:]), files),)
        return await self.backend.run(command, limits)


@pytest.fixture(scope="module")
def give(rust_environment: Environment, backend: Backend) -> Suite:
    """Two modules, one inline and one a program, altered by the real surgery."""
    tests = {path: tuple(Test(id, id) for id in ids) for path, ids in TESTS.items()}
    surgery = Surgery(
        encoded({"src/lib.rs": LIBRARY} | BUILT_FROM),
        encoded(HELDOUT),
        tests[INLINE] + tests[API],
        rust_environment,
    )

    async def find() -> Suite:
        with anyio.fail_after(240):
            found = await follow(cells(surgery), lambda command: backend.run(command, RUST.build_limits))
        return Suite(
            language="rust",
            task_digest="sha256:give",
            environment=rust_environment,
            roots=("src",),
            workspace=encoded(BUILT_FROM),
            reference=encoded({"src/lib.rs": LIBRARY}),
            shared={},
            heldout=encoded(HELDOUT),
            visible={},
            modules=tuple(Module(path, (path,), declared) for path, declared in tests.items()),
            visible_tests=(),
            cells=found,
            limits=Limits(wall=60, memory=512 * MIB),
        )

    return anyio.run(find)


def graded(suite: Suite, backend: Backend, library: str) -> Grade:
    submission = submission_of(encoded({"src/lib.rs": library}), suite.roots, RUST, suite.reserved)

    async def run() -> Grade:
        with anyio.fail_after(300):
            return await grade(GradeJob(suite, submission, Stage.TEST, b"secret"), backend)

    return anyio.run(run)


def plan_of(suite: Suite, module: Module) -> ModulePlan:
    return plan_module(suite, module, Draw(b"secret", suite.task_digest, "submission", Stage.TEST))


def asked_slots(suite: Suite, module: Module) -> frozenset[str]:
    return frozenset(
        site.choice.slot
        for cell in suite.cells
        for site in cell.asked
        if site.choice and site.question and site.path in module.files
    )


def test_every_test_of_the_toy_library_is_asked(give: Suite) -> None:
    for module in give.modules:
        asked = plan_of(give, module).series.runs[0].asked
        assert asked.keys() == {test.id for test in module.tests}


@pytest.mark.parametrize("name", DRESSED)
def test_right_answers_earn_everything(give: Suite, backend: Backend, name: str) -> None:
    found = graded(give, backend, DRESSED[name])

    assert found.reward == 1.0, found.modules
    assert not found.findings
    assert {module.runs for module in found.modules} == {2}


def test_the_first_run_of_a_module_is_not_told_what_it_asks_and_the_second_is(
    give: Suite, backend: Backend
) -> None:
    listening = Listening(backend)
    graded(give, listening, LIBRARY)

    for module in give.modules:
        asked = asked_slots(give, module)
        given = [asked & slots for slots, _ in listening.runs]
        assert sorted(given, key=len) == [set(), set(), set(), asked]


def test_no_program_holds_what_is_asked(give: Suite, backend: Backend) -> None:
    texts = ("Beta x", "seventeen")
    unknowing = LIBRARY
    for text in texts:
        unknowing = unknowing.replace(text, text.swapcase())
    listening = Listening(backend)
    assert graded(give, listening, unknowing).reward == 0.5

    programs = [
        file.data for _, files in listening.runs for path, file in files.items() if "programs" in path
    ]
    assert programs
    assert not any(text.encode() in data for data in programs for text in texts)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("60.75", "60.5"),
        ("200 + n", "100 + n"),
        ('"sixteen"', '"fifteen"'),
        ('(4202, "two")', '(4203, "two")'),
        ("text[end + 1..].parse().ok()", "Some(511)"),
        ("text[end + 1..].parse().ok()", "None"),
        ('vec!["seventeen".into(), "sixteen".into()]', 'vec!["seventeen".into()]'),
        ("340282366920938463463374607431768211455", "340282366920938463463374607431768211454"),
    ],
)
def test_a_wrong_answer_costs_its_module_and_accuses_nobody(
    give: Suite, backend: Backend, right: str, wrong: str
) -> None:
    found = graded(give, backend, LIBRARY.replace(right, wrong))

    assert {module.name: module.verdict for module in found.modules} == {INLINE: PASSED, API: FAILED}
    assert not found.findings


@pytest.mark.parametrize("listed", ['"seventeen".into()', '"seventeen".into(), "sixteen".into(), text(0)'])
def test_a_list_of_another_length_is_no_answer(give: Suite, backend: Backend, listed: str) -> None:
    right = '"seventeen".into(), "sixteen".into()'
    found = {module.name: module for module in graded(give, backend, LIBRARY.replace(right, listed)).modules}

    assert found[API].cause == f"run 1, not as planned: {API}::lists (asked, none: failed)"


def slot_of(suite: Suite, answer: int) -> str:
    """The place that expects it."""
    (slot,) = {
        site.choice.slot
        for cell in suite.cells
        for site in cell.asked
        if site.choice and site.question and site.question.expected == str(answer)
    }
    return slot


def without(suite: Suite, answer: int) -> Suite:
    """A place of one expected value is neither asked nor altered, as when its question does not hold."""
    slot = slot_of(suite, answer)

    def left(sites: tuple[Site, ...]) -> tuple[Site, ...]:
        return tuple(site for site in sites if site.choice is None or site.choice.slot != slot)

    return replace(
        suite,
        cells=tuple(replace(cell, sites=left(cell.sites), asked=left(cell.asked)) for cell in suite.cells),
    )


def test_what_stands_beside_a_question_is_compared_as_before(give: Suite, backend: Backend) -> None:
    fewer = without(give, 4202)

    assert graded(fewer, backend, LIBRARY).reward == 1.0
    assert graded(fewer, backend, LIBRARY.replace("(4202,", "(4203,")).reward == 0.5


FORGED = """#[derive(Debug)]
pub struct Any;

impl<T> PartialEq<T> for Any {
    fn eq(&self, _: &T) -> bool {
        true
    }
}

"""


def test_a_type_that_equals_everything_answers_nothing(give: Suite, backend: Backend) -> None:
    forged = LIBRARY.replace("pub fn letter() -> char {\n    'x'", "pub fn letter() -> Any {\n    Any")
    forged += FORGED
    found = graded(give, backend, forged)

    assert {module.name: module.verdict for module in found.modules} == {INLINE: PASSED, API: FAILED}


def test_a_type_that_no_answer_is_read_from_compiles_and_fails_its_test_alone(
    give: Suite, backend: Backend
) -> None:
    other = (
        LIBRARY.replace(
            "many() -> Vec<String> {\n    vec!", "many() -> std::collections::VecDeque<String> {\n    vec!"
        )
        .replace('"sixteen".into()]', '"sixteen".into()].into()')
        .replace('vec!["seventeen".into()', 'vec![String::from("seventeen")')
    )
    found = {module.name: module for module in graded(give, backend, other).modules}

    assert found[INLINE].verdict is PASSED
    assert found[API].verdict is FAILED
    assert found[API].cause == f"run 1, not as planned: {API}::lists (asked, none: passed)"


def saying(library: str, slot: str, answer: int) -> str:
    """The library, with its own line on the channel of the answers whenever a small number is asked for."""
    said = f"""use std::{{io::Write, os::fd::FromRawFd}};
    let mut channel = std::mem::ManuallyDrop::new(unsafe {{ std::fs::File::from_raw_fd(1) }});
    channel.write_all(b"\\nkaiju answers {slot} i {answer}\\n").unwrap();
    """
    begin = "pub fn small(n: u8) -> u8 {\n    "
    assert begin in library
    return library.replace(begin, begin + said)


def test_a_right_answer_that_the_library_writes_does_not_stand_for_what_it_computed(
    give: Suite, backend: Backend
) -> None:
    slot = slot_of(give, 201)
    wrong = LIBRARY.replace("200 + n", "100 + n")
    found = {module.name: module for module in graded(give, backend, saying(wrong, slot, 201)).modules}

    assert graded(give, backend, saying(LIBRARY, slot, 201)).reward == 1.0
    assert found[API].verdict is FAILED
    assert found[API].cause == f"run 1, not as planned: {API}::smalls (asked, wrong: passed)"


def test_answers_to_what_a_run_does_not_ask_are_not_heard(give: Suite, backend: Backend) -> None:
    assert graded(give, backend, saying(LIBRARY, slot_of(give, 5303), 1)).reward == 1.0
    assert graded(give, backend, saying(LIBRARY, "0123456789ab", 1)).reward == 1.0


def test_who_writes_another_answer_than_it_computes_is_found_out(give: Suite, backend: Backend) -> None:
    found = graded(give, backend, saying(LIBRARY, slot_of(give, 201), 1))

    assert found.reward == 0.0
    assert found.findings


def test_a_suite_without_questions_is_graded_by_flips(give: Suite, backend: Backend) -> None:
    flips = replace(give, cells=tuple(replace(cell, asked=()) for cell in give.cells))

    assert graded(flips, backend, LIBRARY).reward == 1.0
