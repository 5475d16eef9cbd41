"""Preparation of Rust crates, step by step: split, stub, cut, surgery, locks, and what is refused."""

import json
from collections import Counter
from pathlib import Path

import pytest

from kaiju_grading import languages
from kaiju_grading.languages.rust.environment import provision_environment
from kaiju_grading.languages.rust.inline import Folder, held_items, put_back, separate, strip
from kaiju_grading.languages.rust.literals import Literal, read
from kaiju_grading.languages.rust.lock import resolve
from kaiju_grading.languages.rust.manifest import read_manifest
from kaiju_grading.languages.rust.others import MOST, others
from kaiju_grading.languages.rust.private import find_private_names
from kaiju_grading.languages.rust.probe import probe_library
from kaiju_grading.languages.rust.sandboxed import CARGO
from kaiju_grading.languages.rust.spec_items import Rustdoc
from kaiju_grading.languages.rust.split import split_source
from kaiju_grading.languages.rust.stub import functions, stub_file
from kaiju_grading.languages.rust.surgery import candidates
from kaiju_grading.languages.rust.surgery_tests import cut, leaves
from kaiju_grading.languages.rust.syntax import parse
from kaiju_grading.preparation import Choices, Lock, Obstacle, Release, Source
from kaiju_grading.suite import SiteKind, Test
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import LimitName
from kaiju_sandbox.result import LimitHit, Result
from kaiju_sandbox.settings import Settings

MANIFEST = """[package]
name = "sample"
version = "1.2.3"
edition = "2021"
license = "MIT/Apache-2.0"
description = "A sample."

[dependencies.smallvec]
version = "1"

[dev-dependencies.criterion]
version = "0.5"

[dev-dependencies.rand]
version = "0.8"

[[bench]]
name = "speed"
harness = false

[lints.clippy]
all = "deny"
"""
LIBRARY = """//! A sample.

/// Doubles.
pub fn double(x: i32) -> i32 {
    // twice
    x * 2
}

pub fn numbers() -> impl Iterator<Item = i32> {
    (0..3).map(double)
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        println!("gone");
    }
}

macro_rules! maker {
    ($name:ident) => {
        fn $name() -> i32 {
            7
        }
    };
}

maker!(seven);

pub mod inner {
    pub fn empty() {}

    #[cfg(test)]
    mod tests {
        #[test]
        fn within() {
            super::empty();
        }
    }
}

#[cfg(test)]
use std::fmt;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(double(21), 42);
    }
}
"""
API = """use rand as _;
use sample::double;

#[test]
fn doubles() {
    assert_eq!(double(2), 4);
}
"""
FILES = {
    "Cargo.toml": MANIFEST,
    "Cargo.toml.orig": "",
    "README.md": "# sample\n",
    "src/lib.rs": LIBRARY,
    "tests/api.rs": API,
    "benches/speed.rs": "fn main() {}\n",
    "clippy.toml": "",
}


def source(files: dict[str, str]) -> Source:
    release = Release("pkg:cargo/sample@1.2.3", "sample", "1.2.3")
    return Source(release, {path: File(text.encode()) for path, text in files.items()}, "MIT")


def test_a_crate_is_taken_apart() -> None:
    split = split_source(source(FILES), Choices())

    assert set(split.tests) == {"tests/api.rs", "tests/inline/src.lib.rs"}
    assert set(split.library) == {"src/lib.rs"}
    assert b"cfg(test)" not in split.library["src/lib.rs"].data
    assert set(split.config) == {"Cargo.toml", "README.md"}
    assert set(split.dropped) == {"Cargo.toml.orig", "benches/speed.rs", "clippy.toml"}


def test_the_manifest_of_a_task_names_no_test_and_only_what_is_used() -> None:
    split = split_source(source({**FILES, "src/lib.rs": LIBRARY + "use smallvec as _;\n"}), Choices())

    text = split.config["Cargo.toml"].data.decode()
    assert "[[test]]" not in text
    assert "autotests = false" in text
    assert "smallvec" in text
    assert "rand" in text
    assert "criterion" not in text
    assert "lints" not in text


def test_inline_tests_go_into_a_file_of_their_own_and_come_back() -> None:
    library, tests = separate("src/lib.rs", LIBRARY.encode())
    assert tests is not None
    assert [item.modules for item in held_items(tests)] == [("inner",), (), ()]
    back = put_back("src/lib.rs", library, "held", tests, Folder("t0", "/w", {}))

    assert back is not None
    assert back.data.count(b"mod tests;") == 2
    assert b"double(21)" not in back.data
    assert any(b"double(21)" in data for data in back.files.values())


def test_only_tests_that_can_reach_a_private_name_ask_for_it() -> None:
    library = "fn inside() {}\nfn outside() {}\nfn taken() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
    library += "    #[test]\n    fn one() {\n        inside();\n    }\n}\n"
    program = "fn outside() {}\n#[test]\nfn two() {\n    outside();\n}\n"
    taking = '#[path = "../src/lib.rs"]\nmod lib;\n#[test]\nfn three() {\n    lib::taken();\n}\n'
    files = {**FILES, "src/lib.rs": library, "tests/api.rs": program, "tests/taking.rs": taking}
    split = split_source(source(files), Choices())

    assert find_private_names(split, split.tests) == {"src/lib.rs:inside", "src/lib.rs:taken"}


def test_a_signature_in_the_specification_ends_without_the_comma_of_its_bounds() -> None:
    text = "pub fn show<T>(x: T)\nwhere\n    T: Copy,\n{\n    drop(x);\n}\n"
    span = {"filename": "src/lib.rs", "begin": [1, 1], "end": [6, 2]}
    function = {"name": "show", "visibility": "public", "span": span, "inner": {"function": {}}}
    index = {"0": {"name": "sample", "inner": {"module": {"items": [1]}}}, "1": function}
    found = Rustdoc.read(
        json.dumps({"root": 0, "index": index}).encode(), {"src/lib.rs": File(text.encode())}
    )

    assert found is not None
    assert found.modules()["sample"][1].code == ("pub fn show<T>(x: T)", "where", "    T: Copy;")


def test_stripping_keeps_the_number_of_every_line() -> None:
    stripped = strip(LIBRARY.encode())

    assert stripped.count(b"\n") == LIBRARY.count("\n")
    assert b"cfg(test)" not in stripped
    assert strip(stripped) == stripped


def test_tests_of_a_module_that_is_gone_have_no_place() -> None:
    _, tests = separate("src/lib.rs", LIBRARY.encode())
    assert tests is not None

    assert put_back("src/lib.rs", b"pub fn double() {}\n", "held", tests, Folder("t0", "/w", {})) is None


def test_bodies_are_replaced_by_what_builds_and_fails() -> None:
    library, _ = separate("src/lib.rs", LIBRARY.encode())
    stub, account = stub_file("src/lib.rs", library, {}, "2021")

    assert b"x * 2" not in stub
    assert b"::core::iter::empty()" in stub
    assert b"gone" not in stub
    assert account.stubbed == ("double", "numbers", "<Guard as Drop>::drop", "maker::$name")
    assert account.trivial == ("inner::empty",)
    assert stub_file("src/lib.rs", stub, {}, "2021")[0].count(b"unimplemented!()") == stub.count(
        b"unimplemented!()"
    )


def test_a_kept_body_stays_and_is_accounted() -> None:
    library, _ = separate("src/lib.rs", LIBRARY.encode())
    stub, account = stub_file("src/lib.rs", library, {"double": "needed"}, "2021")

    assert b"x * 2" in stub
    assert account.kept == {"double": "needed"}
    assert account.kept_lines == 1


def test_functions_of_one_name_are_told_apart() -> None:
    data = b"struct A; impl A { fn new() { one() } } impl A { fn new() { two() } }"
    assert [function.name for function in functions(data)] == ["A::new", "A::new#2"]


def test_a_file_is_cut_to_some_of_its_tests() -> None:
    data = (
        b"macro_rules! t { ($n:ident) => { #[test] fn $n() {} }; }\n"
        b"t!(one);\nt!(two);\n#[test]\nfn three() {}\nfn helper() {}\n"
    )
    left = cut("tests/a.rs", data, frozenset({"tests/a.rs::two"}))

    assert b"t!(two);" in left
    assert b"t!(one);" not in left
    assert b"three" not in left
    assert b"helper" in left
    assert b"macro_rules" in left


def found_sites(body: str, more: str = "") -> list[tuple[str, str, SiteKind]]:
    text = f"#[test]\nfn one() {{\n{body}\n}}\n{more}"
    cells = candidates({"tests/a.rs": File(text.encode())}, [Test("tests/a.rs::one", "tests/a.rs::one")])
    return [
        (site.choice.real, site.choice.altered, site.kind)
        for cell in cells
        for site in cell.sites
        if site.choice is not None
    ]


@pytest.mark.parametrize(
    ("body", "real"),
    [
        ("assert_eq!(f(1), 42);", "42"),
        ("assert_eq!(-7, f(1));", "-7"),
        ('assert_eq!(f(), Some("text"));', "text"),
        ('assert!(f() == "text");', "text"),
        ("assert_eq!(f(), 2.5e3);", "2.5e3"),
        ("assert_eq!(f(), 'x');", "x"),
        ("assert_eq!(f(), 0xff);", "255"),
        (r'assert_eq!(f(), "a\tb");', "a\tb"),
        ('assert_eq!(f(), r#"raw"#);', "raw"),
        ('check("in", "out");', "out"),
    ],
)
def test_an_expected_value_is_found_and_altered(body: str, real: str) -> None:
    sites = found_sites(body, "fn check(a: &str, b: &str) {}\n")

    assert real in [site[0] for site in sites]
    assert all(other != value for value, other, _ in sites)


@pytest.mark.parametrize("body", ["assert!(f());", "assert_ne!(f(), g());", "assert_eq!(f(), g());"])
def test_what_has_no_value_is_turned_around(body: str) -> None:
    ((real, other, kind),) = found_sites(body)

    assert {real, other} == {"false", "true"}
    assert kind is SiteKind.BOOL


def test_bits_of_a_table_do_not_tell_by_themselves_what_is_turned_around() -> None:
    asserts = "".join(f"assert!(f({number}));\n" for number in range(2))
    found = {found_sites(f"// {number}\n{asserts}")[0][0] for number in range(20)}

    assert found == {"false", "true"}


def test_where_only_what_may_be_an_input_has_a_value_the_condition_is_turned_around_as_well() -> None:
    kinds = [kind for _, _, kind in found_sites("let a = [1, 2, 3];\nassert_eq!(f(a), g(a));")]

    assert list(dict.fromkeys(kinds)) == [SiteKind.HELPER, SiteKind.BOOL]


HELPED = """
fn same(got: &str, times: usize, want: &str) {
    assert_eq!(got.repeat(times), want.to_string());
    if times > 1 {
        assert_eq!(got.len(), times);
    }
}
"""


def certain_sites(body: str, more: str = "") -> list[tuple[str, SiteKind]]:
    """Real values and kinds of places where honest code cannot pass altered."""
    text = f"#[test]\nfn one() {{\n{body}\n}}\n{more}"
    cells = candidates({"tests/a.rs": File(text.encode())}, [Test("tests/a.rs::one", "tests/a.rs::one")])
    found = [site for cell in cells for site in cell.sites if not site.conditional]
    return list(dict.fromkeys((site.choice.real, site.kind) for site in found if site.choice))


def test_what_a_helper_surely_compares_as_it_is_is_an_expected_value() -> None:
    assert certain_sites('same(f("in"), 4, "out");', HELPED) == [("out", SiteKind.HELPER)]
    assert certain_sites('if f() { same(f("in"), 4, "out"); }', HELPED) == []


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("assert_delta!(0.822, f(0.5), 0.001);", ["0.822"]),
        ("assert_close!(f(0.5), 7.5);", ["7.5"]),
        ("assert_delta!(0.002, f(0.5), 0.5);", []),
        ("measure!(0.822, f(0.5), 0.001);", []),
    ],
)
def test_of_a_comparison_that_allows_a_distance_the_number_is_expected_if_others_are_farther(
    call: str, found: list[str]
) -> None:
    assert [real for real, _ in certain_sites(call)] == found


@pytest.mark.parametrize(
    ("loop", "sure"),
    [
        ("for x in [1, 2] { assert!(f(x)); }", True),
        ("for x in &[1, 2] { assert!(f(x)); }", True),
        ("for x in [1, 2] { if f(x) { continue; } assert!(f(x)); }", False),
        ("for x in f() { assert!(f(x)); }", False),
    ],
)
def test_a_loop_over_a_written_array_is_surely_run(loop: str, sure: bool) -> None:
    assert bool(certain_sites(loop)) is sure


def test_every_test_that_a_macro_makes_is_altered_where_it_is_called() -> None:
    text = 't!(one: "AbC" => "ab-c");\nt!(two: "x" => "y");\n'
    tests = [Test(f"tests/a.rs::{name}", f"tests/a.rs::{name}") for name in ("one", "two")]
    cells = candidates({"tests/a.rs": File(text.encode())}, tests)

    assert [{site.choice.real for site in cell.sites if site.choice} for cell in cells] == [{"ab-c"}, {"y"}]


def literals(*texts: str) -> list[Literal]:
    code = "".join(f"const X: T = {text};\n" for text in texts)
    nodes = [node for node in leaves(parse(code.encode())) if node.type.endswith("_literal")]
    return [found for node in nodes if (found := read(node)) is not None]


@pytest.mark.parametrize("text", ['"Abc9"', "'x'", "250_u8", "0", "1", "-3", "0.0", "1e-9", '"é"', 'b"ab"'])
def test_other_values_are_of_the_same_length_and_kind(text: str) -> None:
    literal, *pool = literals(text, '"ü"')
    found = others(literal, [literal, *pool])

    assert found
    assert literal.value not in found
    assert len(set(found)) == len(found) <= MOST
    assert {len(other.encode()) for other in found} == {len(literal.value.encode())}


def test_several_wrong_values_are_drawn_from_what_the_file_writes() -> None:
    literal, *pool = literals('"get it"', '"set it"', '"put it"', '"let me"', '"got"', '"x1"')
    numbers = literals("12", "57", "31", "44", "9")

    assert set(others(literal, pool)) == {"set it", "put it", "let me"}
    assert set(others(numbers[0], numbers)) == {"57", "31", "44"}
    [flag] = literals("true")
    assert others(flag, pool) == ("false",)


@pytest.mark.parametrize("texts", [[f"{number}" for number in range(130, 250)], [f"{n}.5" for n in range(9)]])
def test_several_values_do_not_tell_which_of_them_the_others_were_made_of(texts: list[str]) -> None:
    """Seen beside each other, the real one is the smallest or the largest no more often than any."""
    ranks = Counter(
        sorted(float(one) for one in (literal.value, *others(literal, [], bytes([salt])))).index(
            float(literal.value)
        )
        for literal in literals(*texts)
        for salt in range(20)
    )

    assert max(ranks.values()) < 0.4 * ranks.total()
    assert min(ranks.values()) > 0.1 * ranks.total()


def code_of(files: dict[str, str]) -> str:
    with pytest.raises(Obstacle) as caught:
        split_source(source(files), Choices())
    return caught.value.code


def test_what_is_no_library_of_the_language_ends_with_a_code() -> None:
    assert code_of({"src/lib.rs": LIBRARY}) == "no_manifest"
    assert code_of({"Cargo.toml": MANIFEST}) == "no_library"
    assert code_of({**FILES, "Cargo.toml": MANIFEST + "[lib]\nproc-macro = true\n"}) == "proc_macro"
    assert code_of({"Cargo.toml": MANIFEST, "src/lib.rs": "pub fn f() {}\n"}) == "no_tests"


@pytest.mark.parametrize("purl", ["pkg:cargo/a/b@1.0.0", "pkg:cargo/x@one", "path:/nonexistent/folder"])
def test_a_package_url_of_another_form_is_refused(purl: str) -> None:
    with pytest.raises(Obstacle, match="bad_purl"):
        languages.preparation("rust").release(purl)


def test_a_machine_without_the_toolchain_says_so(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(Obstacle) as caught:
        provision_environment(Lock("", "1.95"), settings)
    assert caught.value.code == "no_toolchain"
    (check,) = languages.preparation("rust").check(settings)
    assert not check.ok
    assert not check.required
    assert check.remedy


@pytest.mark.parametrize(
    ("manifest", "lock"),
    [
        ('[package]\nname = "x"\n[dependencies]\na = { path = "/etc" }\n', ""),
        ('[package]\nname = "x"\n[patch.crates-io]\n', ""),
        (MANIFEST.partition("[[bench]]")[0], '[[package]]\nname = "x"\nversion = "1"\nsource = "git+x"\n'),
        (MANIFEST.partition("[[bench]]")[0], "not toml"),
    ],
)
def test_a_lock_that_leads_elsewhere_is_refused(
    rust_environment: Environment, settings: Settings, manifest: str, lock: str
) -> None:
    version = ".".join(rust_environment.tools["rustc"].split(".")[:2])

    with pytest.raises(Obstacle) as caught:
        provision_environment(Lock(lock, version, {"manifest": manifest}), settings)
    assert caught.value.code == "bad_lock"


def test_dependencies_that_do_not_compile_are_told(rust_environment: Environment, settings: Settings) -> None:
    """A kind of library that does not exist: the compiler refuses it, whatever the sources are."""
    version = ".".join(rust_environment.tools["rustc"].split(".")[:2])
    manifest = '[package]\nname = "x"\nversion = "1.0.0"\nedition = "2021"\nbuild = false\n'
    manifest += '[lib]\ncrate-type = ["nonsense"]\n'
    lock = 'version = 4\n\n[[package]]\nname = "x"\nversion = "1.0.0"\n'

    with pytest.raises(Obstacle) as caught:
        provision_environment(Lock(lock, version, {"manifest": manifest}), settings)
    assert caught.value.code == "dependency_build"


def test_a_check_that_reaches_a_limit_is_no_broken_stub(rust_environment: Environment) -> None:
    split = split_source(source(FILES), Choices())
    steps = probe_library(split.library, split, rust_environment)
    next(steps)
    hit = LimitHit(LimitName.WALL, 1.0, 2.0)
    result = Result(None, 9, hit, b"", b"", 0, 0, b"", None, 1.0, 1.0, 0, {})

    with pytest.raises(Obstacle) as caught:
        steps.send(result)
    assert caught.value.code == "library_build"


def test_a_folder_is_read_without_what_cargo_made(tmp_path: Path) -> None:
    for path, text in {**FILES, "target/debug/x": "", ".git/config": ""}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    preparation = languages.preparation("rust")

    release = preparation.release(f"path:{tmp_path}")
    fetched = preparation.fetch(release, tmp_path / "downloads")

    assert (release.name, release.version) == ("sample", "1.2.3")
    assert set(fetched.files) == set(FILES)
    assert read_manifest(fetched.files).licence == "MIT OR Apache-2.0"


@pytest.mark.slow
def test_code_that_no_feature_needs_is_not_in_the_environment(
    rust_environment: Environment, settings: Settings
) -> None:
    """It may be what the task asks for. Needs the registry."""
    version = ".".join(rust_environment.tools["rustc"].split(".")[:2])
    manifest = '[package]\nname = "x"\nversion = "1.0.0"\nedition = "2021"\n[lib]\npath = "src/lib.rs"\n'
    manifest += '[dependencies]\ncfg-if = "=1.0.0"\nitoa = { version = "=1.0.15", optional = true }\n'

    found = provision_environment(Lock(resolve(manifest, ""), version, {"manifest": manifest}), settings)

    vendor = next(layer.path / "vendor" for layer in found.layers if layer.target == CARGO)
    assert (vendor / "cfg-if-1.0.0/src/lib.rs").read_bytes()
    assert (vendor / "itoa-1.0.15/Cargo.toml").read_bytes()
    assert not (vendor / "itoa-1.0.15/src/lib.rs").read_bytes()
