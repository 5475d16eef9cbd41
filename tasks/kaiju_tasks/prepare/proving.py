"""Proving: each flip must fail its own tests and no other, on the reference, in the sandbox.

What is asked must pass instead, with the expected answers.
"""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations

from kaiju_grading.compose import apply_sites
from kaiju_grading.files import Files
from kaiju_grading.harness import lookups, table
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.preparation import Preparation, Split, Surgery
from kaiju_grading.questions import Reply, read_reply
from kaiju_grading.steps import follow
from kaiju_grading.suite import Cell, Site, Test
from kaiju_tasks.prepare.cut import Cut
from kaiju_tasks.prepare.thinning import affordable, mixes_of_round, thinned
from kaiju_tasks.prepare.workshop import Assembly, Trial, Workshop

MAX_CULPRITS = 4
"""Alterations of one mix that are given up for the tests that they disturb; for more, the tests are."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """One site of one cell, or everything that it is asked."""

    tests: tuple[str, ...]
    site: Site
    also: tuple[Site, ...] = ()
    asks: bool = False

    @classmethod
    def asking(cls, cell: Cell) -> "Alteration":
        return cls(cell.tests, cell.asked[0], cell.asked[1:], asks=True)

    @property
    def sites(self) -> tuple[Site, ...]:
        return (self.site, *self.also)

    def proven(self, test: str, report: TestReport) -> bool:
        """Whether a test of its own did what it must."""
        outcome = report.outcomes.get(test, Outcome.ABSENT)
        if not self.asks:
            return outcome is Outcome.FAILED
        return read_reply(self.sites, outcome, report.answers.get(test, {})) is Reply.RIGHT


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became of alterations that were tried together."""

    refuted: frozenset[Alteration] = frozenset()
    """Did not fail all its tests, or broke others."""
    disturbed: frozenset[str] = frozenset()
    """Ids that failed unaltered, whichever alteration is to blame."""

    lost: bool = False
    """Whether the run has no outcome at all."""

    stuck: frozenset[str] = frozenset()
    """Of a lost run: ids of altered tests that had not ended when its time was up."""

    def __or__(self, other: "Verdicts") -> "Verdicts":
        return Verdicts(self.refuted | other.refuted, self.disturbed | other.disturbed)


@dataclass(frozen=True, slots=True)
class Proof:
    """The held-out tests of one file on the reference, to be altered."""

    workshop: Workshop
    path: str
    tests: tuple[Test, ...]
    reference: Files = field(repr=False)
    library: Files = field(repr=False)
    """The reference with build files and shared files."""
    heldout: Files = field(repr=False)
    also: tuple[str, ...] = ()
    """Further test files of the same run."""
    shared: Files = field(default_factory=dict, repr=False)
    """Helpers that an agent sees: they are read to understand the tests, and never altered."""
    lookups: tuple[Site, ...] = ()
    """What compiled tests look up at run time, altered or not."""
    program: Assembly | None = field(default=None, repr=False)
    """What the tests of all files are compiled in together; None: these files alone."""
    part: str = ""
    """Of `program`."""

    @classmethod
    def of(cls, workshop: Workshop, split: Split, cut: Cut, path: str) -> "Proof":
        heldout = {name: cut.heldout[name] for name in cut.mounted(path)}
        library = {**split.config, **split.library, **cut.shared}
        return cls(
            workshop=workshop,
            path=path,
            tests=cut.heldout_tests[path],
            reference=split.library,
            library=library,
            heldout=heldout,
            shared=cut.shared,
        )

    def with_lookups(self, cells: tuple[Cell, ...]) -> "Proof":
        """The same proof, of these cells."""
        return replace(self, lookups=lookups(cells))

    async def candidates(self, preparation: Preparation) -> tuple[Cell, ...]:
        """What is tried for its tests."""
        return self.chosen(await self.proposed(preparation))

    async def proposed(self, preparation: Preparation) -> tuple[Cell, ...]:
        """All that the language proposes for its tests."""
        workshop = self.workshop
        surgery = Surgery(
            library=self.library,
            files={**self.shared, **self.heldout},
            tests=self.tests,
            environment=workshop.environment,
            options=workshop.options,
        )
        return await follow(preparation.cells(surgery), workshop.build)

    def chosen(self, proposed: Iterable[Cell]) -> tuple[Cell, ...]:
        """Those of its own tests, thinned; a site that overlaps another cell's is left out."""
        ids = {test.id for test in self.tests}
        taken: list[Site] = []
        cells = []
        for cell in proposed:
            if not ids.issuperset(cell.tests):
                continue
            hidden = (site for site in cell.sites if site.path in self.heldout)
            sites = tuple(site for site in hidden if not _overlaps(site, taken))
            # Rows of one test ask by the same edit of its body.
            askable = all(
                site.path in self.heldout and not _overlaps(site, set(taken) - {site}) for site in cell.asked
            )
            asked = cell.asked if askable else ()
            taken += (*sites, *asked)
            if sites:
                cells.append(Cell(cell.tests, sites, asked))
        most = affordable(len(self.tests), len(cells))
        return tuple(replace(cell, sites=thinned(cell.sites, most)) for cell in cells)

    async def run(self, altered: frozenset[Alteration]) -> TestReport:
        """One run with these alterations together."""
        distinct = {site for one in altered for site in one.sites}
        sites = sorted(distinct, key=lambda site: (site.path, site.start))
        assembly = self.program or self._assembly(sites)
        part = self.part if self.program else self.path
        values = table(self.lookups, sites)
        trial = Trial(part, (self.path, *self.also), self.tests, values=values)
        return await self.workshop.test(assembly, trial)

    def _assembly(self, sites: list[Site]) -> Assembly:
        work = {**self.library, **apply_sites(self.heldout, self.lookups or sites)}
        return Assembly(work, self.reference, {self.path: tuple(sorted(self.heldout))})

    async def judge(self, altered: frozenset[Alteration], seen: Verdicts | None = None) -> Verdicts:
        """Who fails to fail, and who breaks others; culprits are found by halving and taken out.

        `seen` is what a first run said.

        What is left must leave every other test alone. Where it does not, they disturb only together, and the
        disturbed tests are the ones that cannot be relied on; neither can those that fail now and then.
        """
        seen = seen or await self.once(altered)
        if not seen.disturbed:
            return seen
        again = await self.once(altered)
        if not again.disturbed:
            # A run that was lost as a whole tells of no single test.
            return again if seen.lost else again | Verdicts(disturbed=seen.disturbed)
        failing = (await self._steady(frozenset())).disturbed
        if failing:
            # With nothing altered: no alteration is to blame.
            return Verdicts(disturbed=failing) | await self.less(failing).judge(altered)
        culprits = await self._culprits(altered)
        if len(culprits) > MAX_CULPRITS and not again.lost:
            return Verdicts(disturbed=again.disturbed) | await self.less(again.disturbed).judge(altered)
        return Verdicts(culprits) | await self._steady(altered - culprits)

    def less(self, failing: frozenset[str]) -> "Proof":
        """Without these tests."""
        return replace(self, tests=tuple(test for test in self.tests if test.id not in failing))

    async def _culprits(self, altered: frozenset[Alteration]) -> frozenset[Alteration]:
        """Those that disturb by themselves; no more are sought once there are too many."""
        if len(altered) < 2:
            return altered
        ordered = sorted(altered, key=order)
        found: frozenset[Alteration] = frozenset()
        for half in (frozenset(ordered[::2]), frozenset(ordered[1::2])):
            if len(found) <= MAX_CULPRITS and (await self._steady(half)).disturbed:
                found |= await self._culprits(half)
        return found

    async def _steady(self, altered: frozenset[Alteration]) -> Verdicts:
        """What a run says; a disturbed one is made again."""
        seen = await self.once(altered)
        return await self.once(altered) if seen.disturbed else seen

    async def once(self, altered: frozenset[Alteration]) -> Verdicts:
        """What one run says, with nobody to blame yet."""
        if not self.tests:
            return Verdicts()
        report = await self.run(altered)
        ids = {test.id for test in self.tests}
        planned = {test_id for one in altered for test_id in one.tests} & ids
        if not (report.sound and report.outcomes):
            # It tells of no single test: somebody broke the whole of it.
            stuck = {test_id for test_id in planned if report.outcomes.get(test_id) is Outcome.TIMED_OUT}
            return Verdicts(disturbed=frozenset(ids), lost=True, stuck=frozenset(stuck))
        return self._told(altered, report, ids - planned)

    def _told(self, altered: frozenset[Alteration], report: TestReport, real: set[str]) -> Verdicts:
        ids = {test.id for test in self.tests}
        refuted = (
            one
            for one in altered
            if not all(one.proven(test_id, report) for test_id in ids.intersection(one.tests))
        )
        disturbed = (test_id for test_id in real if report.outcomes.get(test_id) is not Outcome.PASSED)
        return Verdicts(frozenset(refuted), frozenset(disturbed))


def order(one: Alteration) -> tuple[str, int, str, str]:
    """Where it is, then what it says."""
    return one.site.path, one.site.start, one.site.replacement, str(one.site.choice)


def _overlaps(one: Site, taken: Iterable[Site]) -> bool:
    return any(one.path == other.path and one.start < other.end and other.start < one.end for other in taken)


def mixes(proof: Proof, cells: tuple[Cell, ...], count: int) -> tuple[frozenset[Alteration], ...]:
    """`count` mixes of real and altered tests, or more: until no pair of tests is untried.

    They come in rounds. In a round each cell is altered at one site in half of the mixes, no two cells in the
    same half: so each is real beside every other altered one, and as often real as altered. There are as many
    rounds as the richest cell has alterations.
    """
    if not cells:
        return (frozenset(),)
    chance = random.Random(proof.path)  # noqa: S311 - repeatable, not secret
    size = mixes_of_round(len(cells))
    halves = list(combinations(range(size), size // 2))
    options = [_options(cell) for cell in cells]
    most = max(len(option) for option in options)
    made: list[frozenset[Alteration]] = []
    for turn in range(max(most, math.ceil(count / size))):
        altered = [option[turn % len(option)] for option in options]
        placed = list(zip(altered, chance.sample(halves, len(cells)), strict=True))
        made += [frozenset(one for one, half in placed if place in half) for place in range(size)]
    return tuple(made)


def _options(cell: Cell) -> list[Alteration]:
    flips = [Alteration(cell.tests, site) for site in cell.sites]
    return [*flips, Alteration.asking(cell)] if cell.asked else flips


def without(cells: tuple[Cell, ...], refuted: frozenset[Alteration]) -> tuple[Cell, ...]:
    """The cells less what is refuted; a cell without a site is no cell."""
    bad = {(one.tests, one.site, one.asks) for one in refuted}
    left = (
        Cell(
            cell.tests,
            tuple(site for site in cell.sites if (cell.tests, site, False) not in bad),
            () if cell.asked and Alteration.asking(cell) in refuted else cell.asked,
        )
        for cell in cells
    )
    return tuple(cell for cell in left if cell.sites)
