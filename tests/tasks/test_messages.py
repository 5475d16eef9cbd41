"""Texts that tests compare with stand in the specification."""

from kaiju_sandbox.command import File
from kaiju_tasks.prepare.messages import PAGE, messages_page

REFERENCE = b"""
def take(name, count):
    if count < 0:
        raise ValueError(f"cannot take {count:+d} of {', '.join(name)!r}")
    if not name:
        raise KeyError("nobody knows of this one")
    log("this stands in no test at all")
    return "ok", "told by the stub already"
"""
STUB = b'def take(name, count):\n    """Or "told by the stub already"."""\n    raise NotImplementedError\n'
TESTS = b"""
def test_take():
    with pytest.raises(ValueError, match="cannot take -1 of 'a'"):
        take("a", -1)
    assert str(error) == 'nobody knows of this one'
    assert take("a", 1) == ("ok", "told by the stub already")
"""


def page(reference: bytes, stub: bytes, *tests: bytes) -> str | None:
    held = [{"tests/test_a.py": File(data)} for data in tests]
    return messages_page({"lib/a.py": File(reference)}, {"lib/a.py": File(stub)}, held).get(PAGE)


def test_texts_that_tests_compare_with_are_told_without_the_code_around_them() -> None:
    found = page(REFERENCE, STUB, TESTS)
    assert found is not None
    assert [line for line in found.splitlines() if line.startswith(("##", "*"))] == [
        "## `lib/a.py`",
        "* `` cannot take {:+d} of {!r} ``",
        "* `` nobody knows of this one ``",
    ]


def test_texts_of_other_languages_are_found_alike() -> None:
    rust = b'write!(f, "invalid leading zero in {}", self.part)'
    go = b'return fmt.Errorf("invalid length: %d", n) // `raw and not used`'
    assert "invalid leading zero in {}" in str(page(rust, b"", b'"invalid leading zero in minor version"'))
    assert "invalid length: %d" in str(page(go, b"", b"want := `invalid length: 3`"))


def test_names_that_tests_compare_with_as_they_stand_are_told() -> None:
    body = b'case Person: return "Person"; case Other: return "Domain%d"; default: return "no"'
    found = str(page(body, b"", b'want := "Person"; other := "Domain7"; last := "no"'))
    assert "* `` Person ``" in found
    assert "no ``" not in found
    assert "* `` Domain%d ``" in found


def test_a_text_of_which_tests_compare_a_part_is_told() -> None:
    body = b'return fmt.Errorf("unable to scan type %T into UUID", src)'
    assert "unable to scan type %T into UUID" in str(
        page(body, b"", b'HasPrefix(text, "unable to scan type")')
    )


def test_there_is_no_page_without_such_a_text() -> None:
    assert page(REFERENCE, STUB, b"def test_it():\n    assert take('a', 1)\n") is None
    assert page(b'x = "short one"', b"", b'"a short one"') is None
    assert page(b'x = "%s-%d: %v"', b"", b'"a-1: any"') is None
    assert page(b'import (\n\t"fmt"\n)\n', b"", b'import "fmt"\nwant := "fmt"') is None


def test_a_name_that_the_stub_declares_does_not_tell_the_text_that_reads_alike() -> None:
    body = b'const Person = 1 // a Domain\nfunc String() string { return "Person" + "Group" }'
    stub = b'const Person = 1 // a Domain\nvar known = "Group"\nfunc String() string { panic("") }'
    found = str(page(body, stub, b'want := "Person"; other := "Group"'))
    assert "* `` Person ``" in found
    assert "Group ``" not in found
