"""What languages offer the proof of a task: loud stubs, names, small mistakes, other circumstances."""

import ast

import pytest

from kaiju_grading import languages
from kaiju_grading.assay import Assay, Mutant

SOURCES = {
    "python": b'''"""Shelves."""

LIMIT = 10

class Shelf:
    """Holds some."""

    def put(self, count):
        """Puts some."""
        if count > 3:
            return count - 1
        return f"{count > 4}"

    def __del__(self):
        self.put(0)
''',
    "go": b"""package shelf

const Limit = 10

type Shelf struct{ held int }

func (s *Shelf) Put(count int) int {
\tif count > 3 {
\t\treturn count - 1
\t}
\treturn s.held
}
""",
    "rust": b"""pub const LIMIT: usize = 10;

pub struct Shelf { held: usize }

impl Shelf {
    pub fn put(&mut self, count: usize) -> usize {
        if count > 3 {
            return count - 1;
        }
        self.held
    }
}
""",
}
LOUD = {
    "python": b"class Shelf:\n    def put(self, count):\n        'Puts.'\n        raise NotImplementedError",
    "go": b'package shelf\nfunc (s *Shelf) Put(count int) int { panic("not implemented") }\n',
    "rust": b"impl Shelf {\n    pub fn put(&mut self, count: usize) -> usize { unimplemented!() }\n}\n",
}
QUIET = {
    "python": b"class Shelf:\n    def put(self, count):\n        return 0\n",
    "go": b"package shelf\nfunc (s *Shelf) Put(count int) int { return 0 }\n",
    "rust": b"impl Shelf {\n    pub fn put(&mut self, count: usize) -> usize { 0 }\n}\n",
}
TESTS = {
    "python": b"from shelf import Shelf\ndef test_it():\n    one = Shelf()\n    assert one.put(1) == 0\n",
    "go": b"package shelf\nfunc TestIt(t *testing.T) {\n\tone := &Shelf{}\n\tappend(one.Put(1))\n}\n",
    "rust": b"#[test]\nfn it() {\n    let mut held = Shelf::new();\n    assert_eq!(held.put(1), 0);\n}\n",
}
each = pytest.mark.parametrize("language", SOURCES)


def assay(language: str) -> Assay:
    found = languages.assay(language)
    assert found is not None
    return found


def by_kind(language: str) -> dict[str, Mutant]:
    return {mutant.kind: mutant for mutant in assay(language).mutants(SOURCES[language])}


@each
def test_a_body_that_answers_with_a_default_is_quiet_and_one_that_fails_is_not(language: str) -> None:
    reference = SOURCES[language]
    assert assay(language).quiet(reference, LOUD[language]) == ()
    (name,) = assay(language).quiet(reference, QUIET[language])
    assert name.lower().replace("::", ".") == "shelf.put"


@each
def test_a_body_that_stays_as_it_was_is_not_quiet(language: str) -> None:
    assert assay(language).quiet(SOURCES[language], SOURCES[language]) == ()


@each
def test_small_mistakes_are_made_in_bodies_and_nowhere_else(language: str) -> None:
    mutants = list(assay(language).mutants(SOURCES[language]))
    assert {mutant.kind for mutant in mutants} >= {"comparison", "constant", "condition"}
    assert {mutant.body.lower() for mutant in mutants} <= {"shelf.put", "shelf.__del__"}
    changed = {mutant.applied(SOURCES[language]) for mutant in mutants}
    assert len(changed) == len(mutants)
    assert SOURCES[language] not in changed


@each
def test_a_comparison_a_number_and_a_condition_are_changed_where_they_stand(language: str) -> None:
    made = by_kind(language)
    source = SOURCES[language]
    assert b"count >= 3" in made["comparison"].applied(source)
    numbers = {
        mutant.applied(source) for mutant in assay(language).mutants(source) if mutant.kind == "constant"
    }
    assert any(b"count > 4" in changed for changed in numbers)
    assert b"(count > 3)" in made["condition"].applied(source)


def test_every_small_mistake_in_python_is_python() -> None:
    for mutant in assay("python").mutants(SOURCES["python"]):
        ast.parse(mutant.applied(SOURCES["python"]))
    early = [mutant for mutant in assay("python").mutants(SOURCES["python"]) if mutant.kind == "early return"]
    assert b"return None\n        if count" in early[0].applied(SOURCES["python"])


@each
def test_a_library_declares_its_types_and_members_and_a_test_uses_them(language: str) -> None:
    declared = assay(language).names(SOURCES[language]).declared
    used = assay(language).names(TESTS[language]).used
    assert {name.lower() for name in declared} >= {"limit", "shelf", "put"}
    assert {name.lower() for name in used & declared} == {"shelf", "put"}


def test_a_member_that_is_read_and_set_nowhere_is_declared_by_nobody() -> None:
    source = b"class Shelf:\n    def put(self):\n        self.held = self.is_full\n"
    declared = assay("python").names(source).declared
    assert "held" in declared
    assert "is_full" not in declared


def test_a_language_without_an_assay_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        languages, "__path__", [str(__import__("pathlib").Path(__file__).parent / "toy_languages")]
    )
    assert languages.assay("toy") is None
