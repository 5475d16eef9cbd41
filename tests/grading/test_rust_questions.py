"""Questions in Rust tests: what is asked, what is left alone, and what becomes of the text."""

import re

import anyio
import pytest

from kaiju_grading import languages, plain
from kaiju_grading.compose import apply_sites
from kaiju_grading.files import Files
from kaiju_grading.harness import lookups
from kaiju_grading.language import Compilation, Programs
from kaiju_grading.languages.rust.surgery import candidates, cells
from kaiju_grading.languages.rust.surgery_questions import MAX_QUESTIONS
from kaiju_grading.preparation import Surgery
from kaiju_grading.steps import follow
from kaiju_grading.suite import Cell, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.result import Result

from .conftest import RUST_MANIFEST

PATH = "tests/a.rs"
ONE = Test(f"{PATH}::one", f"{PATH}::one")


def written(body: str) -> Files:
    return {PATH: File(f"#[test]\nfn one() {{\n{body}\n}}\n".encode())}


def cell_of(body: str) -> Cell:
    (cell,) = candidates(written(body), [ONE])
    return cell


def expected(cell: Cell) -> list[object]:
    return [plain.decode(site.question.expected) for site in cell.asked if site.question]


def echoed(body: str) -> list[bool]:
    return [site.question.echoed for site in cell_of(body).asked if site.question]


def altered(body: str) -> str:
    data = apply_sites(written(body), lookups([cell_of(body)]))[PATH].data
    return data.decode().removeprefix("#[test]\nfn one() {\n").removesuffix("\n}\n")


@pytest.mark.parametrize(
    ("assertion", "answers"),
    [
        ("assert_eq!(f(), 42)", [42]),
        ("assert_eq!(-7, f())", [-7]),
        ("assert_eq!(f(), &-7_i8)", [-7]),
        ("assert_eq!(f(), 0xff_u8)", [255]),
        ("assert_eq!(f(), 2.5e3)", [2500.0]),
        ("assert_eq!(f(), 'x')", ["x"]),
        ('assert_eq!(f(), "text", "no {}", 1)', ["text"]),
        ('assert_eq!("text".to_string(), f())', ["text"]),
        ('assert_eq!(f(), &String::from("text"))', ["text"]),
        ('pretty_assertions::assert_eq!(f(), r#"raw"#,)', ["raw"]),
        ("assert_eq!(f(), Some(42))", [42]),
        ('assert_eq!(f(), Ok::<_, ()>("text"))', []),
        ('assert_eq!(f(), Ok(("text", Some(42), true)))', ["text", 42, True]),
        ('assert_eq!(f(), Err("text".to_owned()))', ["text"]),
        ('assert_eq!(f(), vec!["text", "other"])', ["text", "other"]),
        ('assert_eq!(f(), &[("text", 1.5), ("other", -2.5)])', ["text", 1.5, "other", -2.5]),
        ("assert_eq!(f::<A, B>(), 42)", [42]),
        ('assert_eq!("text", f::<A<B<C>>, D>(), "of {}", 1)', ["text"]),
        ("assert_eq!(42, <A as B<C, D>>::f())", [42]),
        ('for a in ["b", "c"] { assert_eq!(f(a), 42); }', [42]),
    ],
)
def test_an_expectation_that_is_written_of_literals_is_asked(assertion: str, answers: list[object]) -> None:
    assert expected(cell_of(f"{assertion};")) == answers


@pytest.mark.parametrize(
    "assertion",
    [
        "assert_eq!(f(), true)",
        'assert_eq!(f(), b"bytes")',
        'assert_eq!(f(), Name("text"))',
        'assert_eq!(f(), ("text", g()))',
        'assert_eq!(f(), ("text", None))',
        'assert_eq!(f(), ("text", vec![]))',
        "assert_eq!(f(), [1; 3])",
        "assert_eq!(f(), 40 + 2)",
        'assert_eq!(f(), "text".len())',
        "assert_eq!(f(), (1, 2, 3, 4, 5))",
        "assert!(f() == 42)",
        "assert_ne!(f(), 42)",
        "if g() { assert_eq!(f(), 42); }",
        "let h = || assert_eq!(f(), 42)",
        'assert_eq! { f(), "text" }',
    ],
)
def test_what_else_a_test_expects_is_not_asked(assertion: str) -> None:
    assert cell_of(f"{assertion};\nassert!(g());").asked == ()


@pytest.mark.parametrize(
    ("told", "answers"),
    [
        ("use pretty_assertions::{assert_eq, assert_ne};", [42]),
        ("use near::{assert_eq, assert_ne};", []),
        ("near::assert_eq!(f(), 41);", []),
        ("macro_rules! assert_eq { ($one:expr, $other:expr) => { near($one, $other) } }", []),
    ],
)
def test_who_has_its_own_idea_of_equality_is_not_asked(told: str, answers: list[object]) -> None:
    assert expected(cell_of(f"{told}\nassert_eq!(f(), 42);")) == answers


def test_what_is_asked_is_compared_as_before_unless_it_was_heard() -> None:
    text = altered('assert_eq!(f(1), "text", "of {}", 2);')
    text = re.sub(r'"[0-9a-f]{12}"', '"slot"', text).replace("crate::kaiju_values::", "")

    assert text == (
        'match (&(f(1)), &(text("slot"))) { (kaiju_left, kaiju_right) => { '
        "if false { let _ = *kaiju_left == *kaiju_right; } "
        'if !(asks(&["slot"]) && { heard(&[part("slot", seen(kaiju_left), seen(kaiju_right))]) }) '
        '{ assert_eq!(*kaiju_left, *kaiju_right, "of {}", 2) } } };'
    )


def test_lines_keep_their_numbers() -> None:
    body = 'assert_eq!(\n    f(), // why\n    "text",\n    "of {}",\n    2,\n);\nassert!(g());'

    assert [line.strip() for line in altered(body).splitlines()][3:6] == ['"of {}",', "2,", ") } } };"]
    assert altered(body).count("\n") == body.count("\n")


def test_an_expectation_that_the_test_says_elsewhere_is_echoed() -> None:
    assert echoed('assert_eq!(f(), "one");') == [False]
    assert echoed('assert_eq!(f(), "one");\nassert_eq!(g(), "one");') == [False, False]
    assert echoed('assert_eq!(f("one"), "one");') == [True]
    assert echoed('assert_eq!(f(), "one", "it is not one");') == [True]
    assert echoed("assert_eq!(f(71), 71);") == [True]
    assert echoed('assert_eq!(f("71 of"), 71);') == [True]


def test_a_test_is_asked_no_more_than_the_channel_takes() -> None:
    body = "".join(f"assert_eq!(f(), [{number}, 1{number}]);\n" for number in range(100, 150))

    assert len(expected(cell_of(body))) == MAX_QUESTIONS


def test_an_assertion_that_is_turned_around_is_not_asked() -> None:
    # No other value looks like this one, so that its condition is altered.
    cell = cell_of("assert_eq!(f(), '\\u{fc}');")

    assert [site.weak for site in cell.sites] == [True]
    assert cell.asked == ()


def test_a_test_that_must_panic_is_not_asked() -> None:
    text = "#[test]\n#[should_panic]\nfn one() {\nassert_eq!(f(), 42);\n}\n"

    assert candidates({PATH: File(text.encode())}, [ONE]) == ()


LIBRARY = """//! Types of all kinds.
#![no_std]
#![deny(warnings)]
#![forbid(unsafe_code)]
extern crate std;

#[derive(Debug, PartialEq)]
pub struct Name(pub &'static str);

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

pub struct Failed;

impl std::fmt::Debug for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed")
    }
}

impl PartialEq for Failed {
    fn eq(&self, _: &Failed) -> bool {
        true
    }
}

pub fn parse<T: std::str::FromStr>(text: &str) -> Result<T, Failed> {
    text.parse().map_err(|_| Failed)
}

pub fn name() -> Name {
    Name("name")
}

pub fn count() -> u8 {
    7
}

pub fn least<A: Default, B: Default + PartialEq<A>>() -> (bool, &'static str) {
    (B::default() == A::default(), "least")
}
"""
TYPED = """#![deny(warnings)]
#![forbid(unsafe_code)]
extern crate toy;

use toy::*;

#[test]
fn one() {
    assert_eq!(parse("12"), Ok(12));
    assert_eq!(parse::<f32>("1.5"), Ok(1.5));
    assert_eq!(name(), "name");
    assert_eq!(Some(name()).iter().map(|one| one.0).collect::<Vec<_>>(), ["name"]);
    assert_eq!("5".parse(), Ok(5));
    let mut grown = Vec::new();
    grown.push((None, "x"));
    assert_eq!(grown[0].1, "x");
    grown.push((Some(name()), "y"));
    assert_eq!(count(), 7);
    assert_eq!(*"word", *"word");
    let cell = std::cell::RefCell::new(String::from("cell"));
    assert_eq!(*cell.borrow(), "cell");
    cell.borrow_mut().push('s');
    #[allow(unused_parens)]
    assert_eq!((cell.borrow().as_str()), "cells");
    assert_eq!("least", least::<u8, u8>().1);
    assert_eq!(cell.into_inner(), "cells")
}
"""


@pytest.mark.parametrize("edition", ["2015", "2021", "2024"])
def test_what_is_asked_compiles_whatever_the_types_are(
    rust_environment: Environment, backend: Backend, edition: str
) -> None:
    manifest = File(RUST_MANIFEST.replace('"2021"', f'"{edition}"').encode())
    library: Files = {"src/lib.rs": File(LIBRARY.encode()), "Cargo.toml": manifest}
    heldout: Files = {PATH: File(TYPED.encode())}
    language = languages.get("rust")

    async def in_sandbox(command: Command) -> Result:
        return await backend.run(command, language.build_limits)

    async def run() -> tuple[tuple[Cell, ...], Programs]:
        with anyio.fail_after(240):
            surgery = Surgery(library, heldout, (ONE,), rust_environment)
            made = await follow(cells(surgery), in_sandbox)
            work = {**library, **apply_sites(heldout, lookups(made))}
            compilation = Compilation(work, ("src/lib.rs",), {"one": (PATH,)}, rust_environment)
            steps = language.compile(compilation)
            assert steps is not None
            return made, await follow(steps, in_sandbox)

    (cell,), programs = anyio.run(run)
    assert expected(cell) == [
        *(12, 1.5, "name", "name", 5, "x", 7),
        *("cell", "cells", "least", "cells"),
    ]
    assert not programs.failed
