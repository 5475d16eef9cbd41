"""Proving: each alteration must fail its own tests and no other, on the reference, in the sandbox."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading.compose import apply_sites
from kaiju_grading.files import Files
from kaiju_grading.outcome import Outcome
from kaiju_grading.preparation import Preparation, Split
from kaiju_grading.suite import Cell, Site, Test
from kaiju_tasks.prepare.cut import Cut
from kaiju_tasks.prepare.workshop import Workshop

MAX_SITES = 8
"""Alterations that are proven for one cell; more cost runs and add little surprise."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """One site of one cell."""

    tests: tuple[str, ...]
    site: Site


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became of alterations that were tried together."""

    refuted: frozenset[Alteration] = frozenset()
    """Did not fail all its tests, or broke others."""
    disturbed: frozenset[str] = frozenset()
    """Ids that failed unaltered, whichever alteration is to blame."""

    def __or__(self, other: "Verdicts") -> "Verdicts":
        return Verdicts(self.refuted | other.refuted, self.disturbed | other.disturbed)


@dataclass(frozen=True, slots=True)
class Proof:
    """The held-out tests of one file on the reference, to be altered."""

    workshop: Workshop
    path: str
    tests: tuple[Test, ...]
    library: Files = field(repr=False)
    heldout: Files = field(repr=False)
    also: tuple[str, ...] = ()
    """Further test files of the same run."""
    shared: Files = field(default_factory=dict, repr=False)
    """Helpers that an agent sees: they are read to understand the tests, and never altered."""

    @classmethod
    def of(cls, workshop: Workshop, split: Split, cut: Cut, path: str) -> "Proof":
        heldout = {name: cut.heldout[name] for name in cut.mounted(path)}
        library = {**split.config, **split.library, **cut.shared}
        return cls(workshop, path, cut.heldout_tests[path], library, heldout, shared=cut.shared)

    def candidates(self, preparation: Preparation) -> tuple[Cell, ...]:
        """What the language proposes, thinned; a site that overlaps another cell's is left out."""
        taken: list[Site] = []
        cells = []
        for cell in preparation.cells({**self.shared, **self.heldout}, self.tests):
            hidden = (site for site in cell.sites if site.path in self.heldout)
            sites = tuple(site for site in hidden if not any(_overlap(site, other) for other in taken))
            taken.extend(sites)
            if sites:
                cells.append(Cell(cell.tests, _thinned(sites)))
        return tuple(cells)

    async def run(self, altered: frozenset[Alteration]) -> Mapping[str, Outcome]:
        """One run with these alterations together; an unsound run has no outcome at all."""
        sites = sorted((one.site for one in altered), key=lambda site: (site.path, site.start))
        work = {**self.library, **apply_sites(self.heldout, sites)}
        report = await self.workshop.test(work, (self.path, *self.also), self.tests)
        return report.outcomes if report.sound else {}

    async def judge(self, altered: frozenset[Alteration]) -> Verdicts:
        """Who fails to fail, and who breaks others; the culprit of a broken run is found by halving."""
        verdicts = await self.once(altered)
        if not verdicts.disturbed:
            return verdicts
        again = await self.once(altered)
        if not again.disturbed:
            return again
        return await self._blame(altered, again)

    async def once(self, altered: frozenset[Alteration]) -> Verdicts:
        """What one run says, with nobody to blame yet."""
        outcomes = await self.run(altered)
        planned = {test_id for one in altered for test_id in one.tests}
        real = {test.id for test in self.tests} - planned
        disturbed = frozenset(test_id for test_id in real if outcomes.get(test_id) is not Outcome.PASSED)
        refuted = frozenset(
            one
            for one in altered
            if any(outcomes.get(test_id) is not Outcome.FAILED for test_id in one.tests)
        )
        # A run without any outcome tells of no single test: somebody broke the whole of it.
        return Verdicts(refuted, disturbed) if outcomes else Verdicts(frozenset(), frozenset(planned | real))

    async def _blame(self, altered: frozenset[Alteration], seen: Verdicts) -> Verdicts:
        if len(altered) < 2:
            return Verdicts(altered) if altered else seen
        ordered = sorted(altered, key=_order)
        halves = (frozenset(ordered[::2]), frozenset(ordered[1::2]))
        parts = [await self.judge(half) for half in halves]
        found = parts[0] | parts[1]
        # Neither half alone does it: the disturbed tests are the ones that cannot be relied on.
        return found if found.refuted else Verdicts(seen.refuted, found.disturbed | seen.disturbed)


def _order(one: Alteration) -> tuple[str, int, str]:
    return one.site.path, one.site.start, one.site.replacement


def _overlap(one: Site, other: Site) -> bool:
    return one.path == other.path and one.start < other.end and other.start < one.end


def _thinned(sites: tuple[Site, ...]) -> tuple[Site, ...]:
    """At most MAX_SITES, spread over the whole of the cell and over the kinds of assertion."""
    by_kind: dict[str, list[Site]] = {}
    for site in sites:
        by_kind.setdefault(site.kind, []).append(site)
    turns = [(place / len(group), site) for group in by_kind.values() for place, site in enumerate(group)]
    chosen = sorted(turns, key=lambda turn: (turn[0], turn[1].start))[: 4 * MAX_SITES]
    step = max(1, len(chosen) // MAX_SITES)
    return tuple(sorted((site for _, site in chosen[::step][:MAX_SITES]), key=lambda site: site.start))


def mixes(proof: Proof, cells: tuple[Cell, ...], count: int) -> tuple[frozenset[Alteration], ...]:
    """`count` random mixes of real and altered tests, or more: until every site was in one.

    Every second mix alters what the one before left as it is, so that each test is real as often as altered.
    """
    chance = random.Random(proof.path)  # noqa: S311 - repeatable, not secret
    most = max((len(cell.sites) for cell in cells), default=0)
    made: list[frozenset[Alteration]] = []
    while len(made) < max(count, 2 * most):
        place = len(made) // 2
        sites = [cell.sites[place % len(cell.sites)] for cell in cells]
        halves = [chance.random() < 0.5 for _ in cells]
        for side in (True, False):
            chosen = zip(cells, sites, halves, strict=True)
            made.append(
                frozenset(Alteration(cell.tests, site) for cell, site, half in chosen if half is side)
            )
    return tuple(made)


def without(cells: tuple[Cell, ...], refuted: frozenset[Alteration]) -> tuple[Cell, ...]:
    """The cells less the refuted sites; a cell without a site is no cell."""
    bad = {(one.tests, one.site) for one in refuted}
    left = (
        Cell(cell.tests, tuple(site for site in cell.sites if (cell.tests, site) not in bad))
        for cell in cells
    )
    return tuple(cell for cell in left if cell.sites)
