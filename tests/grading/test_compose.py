"""What a sandbox's tree is made of, and how alterations are spliced in."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiju_grading.compose import SiteError, apply_sites, library_tree, module_tree, visible_tree
from kaiju_grading.suite import Module, Site, SiteKind, Suite
from kaiju_sandbox.command import File


def a_site(start: int, end: int, replacement: str, path: str = "t.py") -> Site:
    return Site(path, start, end, replacement, SiteKind.EQUAL)


def test_sites_replace_exactly_their_bytes_whatever_the_encoding_and_line_ends() -> None:
    data = "\ufeffx = 'é'\r\nassert f() == 12\nassert g() == 3".encode()
    first, second = data.index(b"12"), data.index(b"3", data.index(b"g()"))
    sites = (a_site(second, second + 1, "4"), a_site(first, first + 2, "13"))
    altered = apply_sites({"t.py": File(data, executable=True), "other": File(b"12")}, sites)
    assert altered["t.py"].data == data.replace(b"12", b"13").replace(b"== 3", b"== 4")
    assert altered["t.py"].executable
    assert altered["other"] == File(b"12")


@given(st.binary(max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_bytes_outside_the_sites_do_not_change(data: bytes, cuts: list[int]) -> None:
    bounds = sorted(min(cut, len(data)) for cut in cuts)
    pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
    sites = [a_site(start, end, f"<{number}>") for number, (start, end) in enumerate(pairs)]
    expected, done = b"", 0
    for number, (start, end) in enumerate(pairs):
        expected += data[done:start] + f"<{number}>".encode()
        done = end
    assert apply_sites({"t.py": File(data)}, sites)["t.py"].data == expected + data[done:]


@pytest.mark.parametrize(
    "sites",
    [
        (a_site(0, 3, "x"), a_site(2, 4, "y")),
        (a_site(4, 2, "x"),),
        (a_site(0, 99, "x"),),
        (a_site(0, 1, "x", path="missing.py"),),
    ],
    ids=["overlap", "backwards", "beyond the end", "no such file"],
)
def test_sites_that_do_not_fit_are_an_error(sites: tuple[Site, ...]) -> None:
    with pytest.raises(SiteError, match="site "):
        apply_sites({"t.py": File(b"0123456789")}, sites)


def test_a_submission_replaces_everything_below_the_roots_and_nothing_else(suite: Suite) -> None:
    tree = library_tree(suite, {"lib/new.py": File(b"N")})
    assert dict(tree) == {"README.md": suite.workspace["README.md"], "lib/new.py": File(b"N")}


def test_reserved_files_win_over_files_of_the_same_name_and_in_their_way(suite: Suite) -> None:
    heldout = {"lib/deep/check.py": File(b"test")}
    module = Module("m", ("lib/deep/check.py",), ())
    suite = replace(suite, heldout=heldout, modules=(module,), shared={"lib/data": File(b"d")})
    for mine in ("lib/deep/check.py", "lib/deep", "lib/data/x.py", "lib/data"):
        tree = module_tree(suite, {mine: File(b"mine"), "lib/kept.py": File(b"k")}, module, ())
        assert sorted(tree) == ["README.md", "lib/data", "lib/deep/check.py", "lib/kept.py"]
        assert File(b"mine") not in tree.values()


def test_helpers_of_a_module_are_mounted_with_it_and_visible_trees_hold_nothing_held_out(
    suite: Suite,
) -> None:
    helped = replace(suite.modules[0], helpers=("check/flags.py",))
    assert {"check/sums.py", "check/flags.py", "table.py"} <= set(module_tree(suite, {}, helped, ()))
    assert sorted(visible_tree(suite, {})) == ["README.md", "seen/sums.py", "table.py"]
