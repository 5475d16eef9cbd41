"""How tests are laid into a Rust library: found in either layout of modules, under a name nobody knows."""

import re

import pytest

from kaiju_grading.languages.rust import layout
from kaiju_grading.languages.rust.inline import standing, strip
from kaiju_sandbox.command import File

MANIFEST = '[package]\nname = "toy"\n'
INLINE = """// Tests of src/heap.rs.
#[cfg(test)]
mod tests {
    #[test]
    fn one() {
        assert_eq!(super::one(), crate::kaiju_values::number(1, "place"));
    }
}
"""
PROGRAM = '#[test]\nfn two() {\n    assert!(crate::kaiju_values::unlike("turn", toy::two() == 2));\n}\n'


def laid(home: str) -> layout.Laid:
    texts = {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": "pub mod heap;\nmod kaiju_values {}\n",
        home: "pub fn one() -> i32 {\n    1\n}\n",
        "tests/inline/src.heap.rs": INLINE,
        "tests/two.rs": PROGRAM,
    }
    work = {path: File(text.encode()) for path, text in texts.items()}
    sources = ("src/lib.rs", home)
    return layout.lay(work, sources, layout.Tests.of(work, sources), frozenset())


@pytest.mark.parametrize("home", ["src/heap.rs", "src/heap/mod.rs"])
def test_inline_tests_go_into_a_module_wherever_its_file_stands(home: str) -> None:
    found = laid(home)

    assert not found.lost
    assert b"mod tests" in found.work[home].data
    last = found.work[home].data.count(b"\n")
    assert found.blamed(home, 1) is None
    assert found.blamed(home, last) == "tests/inline/src.heap.rs"


def test_a_module_that_is_gone_is_lost() -> None:
    assert laid("src/pile.rs").lost == {"tests/inline/src.heap.rs"}


def test_the_module_of_values_has_a_name_that_no_library_has() -> None:
    found = laid("src/heap.rs")
    declared = re.findall(rb"mod (kaiju_values\w+);", b"".join(file.data for file in found.work.values()))
    called = re.findall(rb"crate::(\w+)::(?:number|unlike)\(", b"".join(f.data for f in found.work.values()))

    assert len(declared) == len(called) == 2
    assert len({*declared, *called}) == 1
    assert (
        declared[0] != re.findall(rb"mod (kaiju_values\w+);", laid("src/heap.rs").work["src/lib.rs"].data)[0]
    )


def test_a_file_is_taken_where_it_is_before_it_is_looked_for() -> None:
    both = {"src/a.rs": 1, "src/a/mod.rs": 2, "src/b/mod.rs": 3, "src/c.rs": 4}

    assert [standing(path, both) for path in ("src/a.rs", "src/a/mod.rs")] == ["src/a.rs", "src/a/mod.rs"]
    assert standing("src/b.rs", both) == "src/b/mod.rs"
    assert standing("src/c/mod.rs", both) == "src/c.rs"
    assert standing("src/d.rs", both) == "src/d.rs"


TWO_FORMS = b"""#[cfg(test)]
use fake as clock;
#[cfg(not(test))]
use real as clock;
#[cfg(test)]
fn seed() -> u64 { 1 }
#[cfg(not(test))]
fn seed() -> u64 { 2 }
#[cfg(test)]
fn helper() {}
#[cfg(test)]
mod tests { #[test] fn one() {} }
#[cfg(not(test))]
mod tests {}
"""


def test_what_has_a_form_for_tests_and_another_one_keeps_both() -> None:
    stripped = strip(TWO_FORMS)

    assert b"fake as clock" in stripped
    assert b"{ 1 }" in stripped
    assert b"helper" not in stripped
    assert b"#[test]" not in stripped
    assert stripped.count(b"\n") == TWO_FORMS.count(b"\n")


def test_a_form_that_the_tests_bring_is_not_the_librarys_to_keep() -> None:
    held = b"// Tests of src/lib.rs.\n#[cfg(test)]\nfn seed() -> u64 { 7 }\n"

    stripped = strip(TWO_FORMS, held)

    assert b"{ 1 }" not in stripped
    assert b"{ 2 }" in stripped
    assert b"fake as clock" in stripped
