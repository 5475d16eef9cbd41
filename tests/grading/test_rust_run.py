"""Compiled Rust tests in the sandbox: every ending is told apart, and blame stays where it belongs."""

from dataclasses import replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.language import Compilation, Library, Programs, TestRun
from kaiju_grading.languages.rust.split import split_source
from kaiju_grading.outcome import Answer, Outcome, TestReport
from kaiju_grading.preparation import Choices, Release, Source
from kaiju_grading.report import BuildReport, LintReport, LintStatus
from kaiju_grading.steps import follow
from kaiju_grading.suite import Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import MIB, Limits
from kaiju_sandbox.result import Result

from .channels import CHANNELS
from .conftest import RUST_MANIFEST

LIMITS = Limits(wall=10, memory=256 * MIB)
LIBRARY = """//! A library that can end a process.

/// Adds.
pub fn add(a: i32, b: i32) -> i32 {
    secret(a) + b
}

fn secret(a: i32) -> i32 {
    a
}

pub mod ends {
    //! Ways to end.

    use std::io::Write;

    pub fn noise() {
        std::io::stdout().write_all(b"printed past the capture ").unwrap();
    }

    pub fn peek() -> String {
        let places = ["/proc/self/fd/0", "/proc/1/fd/0", "/proc/self/environ", "/proc/1/environ"];
        let bytes = places.iter().flat_map(|place| std::fs::read(place).unwrap_or_default());
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    }

    pub fn forge() {
        let record = b"\\n{ \\"type\\": \\"test\\", \\"name\\": \\"forges\\", \\"event\\": \\"ok\\" }\\n";
        std::io::stdout().write_all(record).unwrap();
    }
}
"""
ENDS = """use toy::{add, ends};

#[test]
fn passes() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn fails() {
    assert_eq!(add(1, 2), 4);
}

#[test]
fn panics() {
    let nothing: Option<i32> = None;
    nothing.unwrap();
}

#[test]
fn returns_an_error() -> Result<(), String> {
    Err("no".to_string())
}

#[test]
#[ignore]
fn is_ignored() {}

#[test]
fn exits() {
    std::process::exit(0);
}

#[test]
fn aborts() {
    std::process::abort();
}

#[test]
fn hangs() {
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

#[test]
fn eats_memory() {
    let mut eaten: Vec<Vec<u8>> = Vec::new();
    loop {
        eaten.push(vec![1; 1 << 24]);
    }
}

#[test]
fn makes_noise() {
    ends::noise();
}

#[test]
fn forges() {
    ends::forge();
    panic!("and fails");
}

#[test]
fn peeks() {
    let seen = ends::peek();
    assert!(!seen.contains("place"), "{seen}");
}

#[test]
fn looks_up() {
    assert_eq!(add(40, 2), crate::kaiju_values::number(0, "place"));
    assert!(crate::kaiju_values::unlike("turn", add(1, 1) == 2));
}

#[test]
fn looks_up_often() {
    for _ in 0..1_000_000 {
        assert_eq!(add(40, 2), crate::kaiju_values::number(0, "place"));
        assert_eq!(crate::kaiju_values::text("text").len(), 1_000);
    }
}
"""
INLINE = """// Tests of src/lib.rs.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets() {
        assert_eq!(secret(5), 5);
    }
}
"""
BROKEN = "use toy::absent;\n\n#[test]\nfn never() {\n    absent();\n}\n"
PROGRAM, PRIVATE, ODD = "tests/ends.rs", "tests/inline/src.lib.rs", "tests/odd.rs"


def encoded(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


CONFIG = encoded({"Cargo.toml": RUST_MANIFEST})
TESTS = encoded({PROGRAM: ENDS, PRIVATE: INLINE, ODD: BROKEN})


def compiled(environment: Environment, backend: Backend, library: str) -> Programs:
    language = languages.get("rust")
    files = encoded({"src/lib.rs": library})
    parts = {"ends": (PROGRAM,), "inline": (PRIVATE,), "odd": (ODD,)}

    async def run(command: Command) -> Result:
        return await backend.run(command, language.build_limits)

    async def steps() -> Programs:
        asked = language.compile(Compilation({**CONFIG, **files, **TESTS}, tuple(files), parts, environment))
        assert asked is not None
        with anyio.fail_after(240):
            return await follow(asked, run)

    return anyio.run(steps)


@pytest.fixture(scope="module")
def programs(rust_environment: Environment, backend: Backend) -> Programs:
    return compiled(rust_environment, backend, LIBRARY)


@pytest.fixture
def ends(programs: Programs, rust_environment: Environment) -> TestRun:
    return TestRun(programs.files["ends"], rust_environment, (PROGRAM,), ())


def ran(backend: Backend, run: TestRun, *names: str) -> TestReport:
    language = languages.get("rust")
    chosen = replace(run, tests=tuple(Test(f"{PROGRAM}::{name}", f"{PROGRAM}::{name}") for name in names))

    async def body() -> TestReport:
        with anyio.fail_after(60):
            return language.read_tests(chosen, await backend.run(language.test(chosen), LIMITS))

    return anyio.run(body)


def outcomes(report: TestReport) -> dict[str, Outcome]:
    return {id.rpartition("::")[2]: outcome for id, outcome in report.outcomes.items()}


def test_exactly_the_chosen_tests_run(ends: TestRun, backend: Backend) -> None:
    report = ran(backend, ends, "passes", "fails", "panics", "returns_an_error")

    assert report.sound, report.problem
    failed = dict.fromkeys(("fails", "panics", "returns_an_error"), Outcome.FAILED)
    assert outcomes(report) == {"passes": Outcome.PASSED, **failed}
    assert len(report.observed) == 4


def test_an_ignored_test_is_no_pass(ends: TestRun, backend: Backend) -> None:
    assert outcomes(ran(backend, ends, "is_ignored")) == {"is_ignored": Outcome.SKIPPED}


@pytest.mark.parametrize("name", ["exits", "aborts"])
def test_a_process_that_ends_early_leaves_no_pass(ends: TestRun, backend: Backend, name: str) -> None:
    report = ran(backend, ends, "passes", name)

    assert not report.sound
    assert Outcome.PASSED not in report.outcomes.values()
    assert outcomes(report)[name] is Outcome.CRASHED


def test_when_messages_are_wanted_the_others_run_again_by_themselves(ends: TestRun, backend: Backend) -> None:
    report = ran(backend, replace(ends, messages=True), "aborts", "fails", "passes")

    found = {"aborts": Outcome.CRASHED, "fails": Outcome.FAILED, "passes": Outcome.PASSED}
    assert outcomes(report) == found
    assert "4" in report.messages[f"{PROGRAM}::fails"]


def test_a_test_that_never_ends_is_stopped(ends: TestRun, backend: Backend) -> None:
    report = ran(backend, ends, "hangs")

    assert report.problem == "limit on wall reached"
    assert outcomes(report) == {"hangs": Outcome.CRASHED}


def test_a_test_that_eats_memory_is_stopped(ends: TestRun, backend: Backend) -> None:
    report = ran(backend, ends, "eats_memory")

    assert not report.sound
    assert outcomes(report) == {"eats_memory": Outcome.CRASHED}


def test_what_is_printed_past_the_capture_breaks_no_record(ends: TestRun, backend: Backend) -> None:
    report = ran(backend, ends, "makes_noise", "passes")

    assert report.sound, report.problem
    assert set(report.outcomes.values()) == {Outcome.PASSED}


def test_a_record_that_comes_twice_is_no_pass(ends: TestRun, backend: Backend) -> None:
    report = ran(backend, ends, "forges")

    assert not report.sound
    assert outcomes(report) == {"forges": Outcome.DOUBLED}


@pytest.mark.parametrize(
    ("number", "turn", "outcome"),
    [("42", "false", Outcome.PASSED), ("43", "false", Outcome.FAILED), ("42", "true", Outcome.FAILED)],
)
def test_a_table_on_the_standard_input_says_what_is_expected(
    ends: TestRun, backend: Backend, number: str, turn: str, outcome: Outcome
) -> None:
    run = replace(ends, values={"place": number, "turn": turn})

    assert outcomes(ran(backend, run, "looks_up")) == {"looks_up": outcome}


def test_a_table_takes_a_loop_of_a_test_no_time(ends: TestRun, backend: Backend) -> None:
    others = {f"other{number}": "of the module" for number in range(200)}
    run = replace(ends, values={**others, "place": "42", "text": "x" * 1_000})

    assert outcomes(ran(backend, run, "looks_up_often")) == {"looks_up_often": Outcome.PASSED}


def test_answers_stand_between_records_on_lines_of_their_own() -> None:
    (channel,) = [one for one in CHANNELS if one.language == "rust"]
    whole = channel.whole(["passed"] * 4)
    report = channel.read(b"printed kaiju answers 0d i 8\nkaiju answers 0e i 8 9\n" + whole)

    said = {"0a": (Answer("7"),), "0b": (Answer('"ab"'),), "0c": (Answer(),)}
    assert report.sound
    assert report.answers == {test.id: said for test in channel.tests}


def test_the_table_is_gone_once_it_was_read(ends: TestRun, backend: Backend) -> None:
    run = replace(ends, values={"place": "42"})

    assert outcomes(ran(backend, run, "peeks")) == {"peeks": Outcome.PASSED}


def test_without_chosen_tests_those_of_the_file_are_found(
    programs: Programs, rust_environment: Environment, backend: Backend
) -> None:
    run = TestRun(programs.files["inline"], rust_environment, (PRIVATE,), (), messages=True)
    report = ran(backend, run)

    assert report.sound, report.problem
    assert report.collected == (Test("src/lib.rs::tests::secrets", "src/lib.rs::tests::secrets"),)
    assert set(report.observed.values()) == {Outcome.PASSED}


def test_a_part_that_does_not_compile_costs_no_other(programs: Programs) -> None:
    assert set(programs.files) == {"ends", "inline"}
    assert "absent" in programs.failed["odd"]
    assert programs.problems == ()


def test_no_source_is_left_where_tests_run(programs: Programs) -> None:
    assert not any(path.endswith((".rs", ".toml")) for files in programs.files.values() for path in files)


def test_inline_tests_of_a_name_that_is_gone_are_blamed_alone(
    rust_environment: Environment, backend: Backend
) -> None:
    renamed = compiled(rust_environment, backend, LIBRARY.replace("secret", "hidden"))

    assert set(renamed.files) == {"ends"}
    assert PRIVATE in renamed.failed["inline"]
    assert renamed.problems == ()


def built(environment: Environment, backend: Backend, files: Files) -> BuildReport:
    language = languages.get("rust")
    library = Library({**CONFIG, **files}, tuple(sorted(files)), environment)

    async def body() -> BuildReport:
        with anyio.fail_after(120):
            result = await backend.run(language.build(library), language.build_limits)
            return language.read_build(result, library.sources)

    return anyio.run(body)


def test_a_library_builds_or_says_where_it_does_not(rust_environment: Environment, backend: Backend) -> None:
    assert built(rust_environment, backend, encoded({"src/lib.rs": LIBRARY})).ok

    broken = built(rust_environment, backend, encoded({"src/lib.rs": 'pub fn f() -> u8 {\n    "text"\n}\n'}))
    assert not broken.ok
    assert [(one.path, one.line, one.rule) for one in broken.problems] == [("src/lib.rs", 2, "E0308")]


def test_lint_tells_findings_of_clippy_and_of_rustfmt(
    rust_environment: Environment, backend: Backend
) -> None:
    language = languages.get("rust")
    odd = "//! Odd.\n\n/// Odd.\npub fn f(x: bool)->bool { return x == true; }\n"
    files = encoded({"src/lib.rs": "pub mod a;\n", "src/a.rs": odd})
    library = Library({**CONFIG, **files}, tuple(sorted(files)), rust_environment)

    async def body() -> LintReport:
        with anyio.fail_after(120):
            result = await backend.run(language.lint(library), language.build_limits)
            return language.read_lint(result, library.sources)

    report = anyio.run(body)
    assert report.status is LintStatus.FINDINGS
    assert report.files == 2
    rules = {(problem.path, problem.rule) for problem in report.problems}
    assert {("src/a.rs", "clippy::bool_comparison"), ("src/a.rs", "clippy::needless_return")} <= rules
    assert [problem.line for problem in report.problems if problem.rule == "rustfmt"] == [4]
    assert {path for path, _ in rules} == {"src/a.rs"}


DEEP = {
    "Cargo.toml": RUST_MANIFEST + "[profile.dev]\nopt-level = 0\n",
    "src/lib.rs": "pub mod deep;\n",
    "src/deep.rs": "pub fn one() -> u8 {\n    1\n}\n\n#[cfg(test)]\nmod tests;\n\n"
    '#[cfg(test)]\n#[path = "odd.rs"]\nmod checks;\n',
    "src/deep/tests.rs": "mod more;\n\n#[test]\nfn here() {\n    assert_eq!(super::one(), 1);\n}\n",
    "src/deep/tests/more.rs": "#[test]\nfn below() {\n    assert_eq!(crate::deep::one(), 1);\n}\n",
    "src/odd.rs": "#[test]\nfn elsewhere() {\n    assert_eq!(super::one(), 1);\n}\n",
}


def test_whole_modules_of_tests_are_compiled_from_another_place_under_the_same_names(
    rust_environment: Environment, backend: Backend
) -> None:
    language = languages.get("rust")
    release = Release("pkg:cargo/toy@0.1.0", "toy", "0.1.0")
    split = split_source(Source(release, encoded(DEEP), "MIT"), Choices())
    parts = {path: (path, *sorted(split.helpers)) for path in split.tests}
    work = {**split.config, **split.library, **split.helpers, **split.tests}

    async def reports() -> list[TestReport]:
        async def run(command: Command) -> Result:
            return await backend.run(command, language.build_limits)

        with anyio.fail_after(240):
            asked = language.compile(Compilation(work, tuple(split.library), parts, rust_environment))
            assert asked is not None
            programs = await follow(asked, run)
            assert programs.failed == {}
            runs = [TestRun(programs.files[path], rust_environment, (path,), ()) for path in sorted(parts)]
            return [language.read_tests(one, await run(language.test(one))) for one in runs]

    assert set(split.library) == {"src/lib.rs", "src/deep.rs"}
    found = [[test.id for test in report.collected] for report in anyio.run(reports)]
    assert found == [
        ["src/deep/tests.rs::here"],
        ["src/deep/tests/more.rs::below"],
        ["src/odd.rs::elsewhere"],
    ]
