"""A cut: which tests are visible, which are held out, and which files go where."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import PurePosixPath

from kaiju_grading.files import Files
from kaiju_grading.preparation import Obstacle, Preparation, Split
from kaiju_grading.suite import Test
from kaiju_sandbox.command import File
from kaiju_tasks.prepare.links import Links, closure, find_links
from kaiju_tasks.prepare.trials import Trials

SHARE = 0.2
"""Of the tests that a rule makes visible."""
MIN_MODULES = 4
WHOLE_FILES = MIN_MODULES + 1
"""Test files from which on whole files are made visible."""
MANY_FILES = 24
"""More candidates than this are thinned before subsets are tried."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The three folders of `tests/`, and the tests of two of them by file."""

    heldout: Files = field(repr=False)
    visible: Files = field(repr=False)
    shared: Files = field(repr=False)
    heldout_tests: Mapping[str, tuple[Test, ...]]
    visible_tests: Mapping[str, tuple[Test, ...]]
    links: Links = field(repr=False)

    def less(self, ids: frozenset[str]) -> "Cut":
        """Without these tests; the files stay."""
        return replace(
            self,
            heldout_tests=_less(self.heldout_tests, ids),
            visible_tests=_less(self.visible_tests, ids),
        )

    def mounted(self, path: str) -> tuple[str, ...]:
        """Held-out files that the tests of `path` need: the file, its helpers, what it is derived from."""
        return tuple(sorted(closure([path], self.links) & set(self.heldout)))


def choose_visible(split: Split, trials: Trials, chosen: tuple[str, ...]) -> frozenset[str]:
    """Ids of the visible tests: as the recipe says, else about a fifth by a fixed rule."""
    if chosen:
        return _named(trials, chosen)
    hard = [path for path, tests in trials.tests.items() if any(test.id not in trials.easy for test in tests)]
    if len(hard) >= WHOLE_FILES:
        links = links_of(split)
        paths = _whole_files(links, trials, len(hard) - MIN_MODULES)
        if paths:
            return frozenset(test.id for path in paths for test in trials.tests[path])
    return _every_fifth(trials)


def make_cut(
    preparation: Preparation, split: Split, trials: Trials, visible: frozenset[str], *, data: bool
) -> Cut:
    """Place every test file and helper. Raises Obstacle when a visible test needs a held-out file.

    Where the language knows what uses what, such a file is visible too, without its tests. Files that every
    test may use, such as fixtures, are always shared; with `data`, so is the data that only they mention.
    """
    everything = {**split.helpers, **split.tests}
    links = links_of(split)
    seen = _chosen(trials, visible, inside=True)
    hidden = _chosen(trials, visible, inside=False)
    ambient = frozenset(split.helpers) - frozenset[str]().union(*links.values())
    open_files = closure(seen, links) | ambient | _used_by(ambient, links, split, data=data)
    leaked = (open_files & set(hidden)) - set(seen)
    if leaked and split.links is None:
        raise Obstacle("visible_needs_heldout", f"visible tests use {', '.join(sorted(leaked))}")
    helping = {path: _piece(preparation, split, path, frozenset()) for path in sorted(leaked)}
    secret = (closure([*hidden, *ambient], links) - open_files) | set(hidden)
    return Cut(
        heldout={path: everything[path] for path in sorted(secret)} | _cut(preparation, split, hidden, seen),
        visible={
            **{path: split.tests[path] for path in sorted(seen)},
            **_cut(preparation, split, seen, hidden),
            **helping,
        },
        shared={path: everything[path] for path in sorted(open_files - set(seen)) if path not in secret},
        heldout_tests=hidden,
        visible_tests=seen,
        links={**links, **{path: links.get(path, frozenset()) | ambient for path in hidden}},
    )


def _used_by(ambient: frozenset[str], links: Links, split: Split, *, data: bool) -> frozenset[str]:
    code = {PurePosixPath(path).suffix for path in split.tests}
    return frozenset(path for path in closure(ambient, links) if data or PurePosixPath(path).suffix in code)


def links_of(split: Split) -> Links:
    """Which files of the test tree use which others."""
    return find_links({**split.helpers, **split.tests}, split.tests) if split.links is None else split.links


def share_helpers(split: Split, cut: Cut) -> Cut:
    """The same cut with every helper shared: for suites whose links cannot be read from their text."""
    heldout = {path: file for path, file in cut.heldout.items() if path not in split.helpers}
    return replace(cut, heldout=heldout, shared={**cut.shared, **split.helpers})


def _less(tests: Mapping[str, tuple[Test, ...]], ids: frozenset[str]) -> dict[str, tuple[Test, ...]]:
    kept = {path: tuple(test for test in group if test.id not in ids) for path, group in tests.items()}
    return {path: group for path, group in kept.items() if group}


def _named(trials: Trials, chosen: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for name in chosen:
        ids = {
            test.id
            for path, tests in trials.tests.items()
            for test in tests
            if path == name or test.within(name)
        }
        if not ids:
            raise Obstacle(
                "recipe", f"choices.visible names {name!r}, which holds no test that can be pinned"
            )
        found |= ids
    return frozenset(found)


def _whole_files(links: Links, trials: Trials, most: int) -> tuple[str, ...]:
    """The few files nearest to a fifth of the tests that neither use nor serve another test file."""
    counts = {path: len(tests) for path, tests in trials.tests.items()}
    used = {other for path in counts for other in closure([path], links) & set(counts) if other != path}
    users = {path for path in counts if closure([path], links) & set(counts) != {path}}
    free = sorted(set(counts) - used - users, key=lambda path: (counts[path], path))
    step = max(1, len(free) // MANY_FILES)
    free = sorted(free[::step])
    target = SHARE * sum(counts.values())
    sizes = range(1, min(3, most, len(free)) + 1)
    options = (paths for size in sizes for paths in combinations(free, size))
    return min(
        options,
        key=lambda paths: (abs(sum(counts[path] for path in paths) - target), len(paths), paths),
        default=(),
    )


def _every_fifth(trials: Trials) -> frozenset[str]:
    """Every fifth class, or every fifth function where there are not enough classes."""
    tests = [test for path in sorted(trials.tests) for test in trials.tests[path]]
    classes = list(dict.fromkeys(test.group for test in tests))
    units = list(dict.fromkeys(test.unit for test in tests))
    groups = classes if len(classes) > WHOLE_FILES else units
    chosen = set(groups[2::5])
    return frozenset(test.id for test in tests if {test.unit, test.group} & chosen)


def _chosen(trials: Trials, visible: frozenset[str], inside: bool) -> dict[str, tuple[Test, ...]]:
    picked = {
        path: tuple(test for test in tests if (test.id in visible) is inside)
        for path, tests in sorted(trials.tests.items())
    }
    return {path: tests for path, tests in picked.items() if tests}


def _cut(
    preparation: Preparation,
    split: Split,
    mine: Mapping[str, tuple[Test, ...]],
    theirs: Mapping[str, tuple[Test, ...]],
) -> dict[str, File]:
    """Files that both sides use, each with its own tests alone."""
    return {
        path: _piece(preparation, split, path, frozenset(test.unit for test in mine[path]))
        for path in sorted(set(mine) & set(theirs))
    }


def _piece(preparation: Preparation, split: Split, path: str, units: frozenset[str]) -> File:
    file = split.tests[path]
    return File(preparation.cut(path, file.data, units), file.executable)
