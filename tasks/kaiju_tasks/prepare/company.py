"""A company: proofs of several test files that share their runs, as long as that changes no verdict.

A run costs much the same for one small file as for eight, so that this is most of what preparation saves.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import zip_longest
from operator import or_
from pathlib import PurePosixPath

from kaiju_grading.compose import apply_sites
from kaiju_grading.preparation import Preparation
from kaiju_grading.suite import Cell
from kaiju_tasks.prepare.proving import Alteration, Proof, Verdicts, mixes, order
from kaiju_tasks.prepare.trials import MAX_FILES
from kaiju_tasks.prepare.workshop import Assembly, Workshop

MAX_TESTS = 600
"""Of one run, so that it stays far from its limits."""
MAX_SUSPECTS = 16
"""Alterations that are tried one by one for a disturbed test; with more, the test is given up."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The proof of one file, its cells and the mixes that try them."""

    proof: Proof
    mixes: tuple[frozenset[Alteration], ...]
    touched: frozenset[str]
    """Files that its alterations change, and its own."""

    @classmethod
    def of(cls, proof: Proof, cells: tuple[Cell, ...], count: int) -> "Candidate":
        touched = {proof.path, *(site.path for cell in cells for site in (*cell.sites, *cell.asked))}
        return cls(proof, mixes(proof, cells, count), frozenset(touched))

    def minds(self, other: "Candidate") -> bool:
        """Whether the two cannot run in one process: one reads what the other changes, or equal names."""
        one, two = self.proof, other.proof
        if self.touched & two.heldout.keys() or other.touched & one.heldout.keys():
            return True
        return PurePosixPath(one.path).name == PurePosixPath(two.path).name


@dataclass(frozen=True, slots=True)
class Part:
    """One file's part of a mix that was run."""

    proof: Proof
    altered: frozenset[Alteration]
    seen: Verdicts
    alone: bool
    """Whether no other file shared the run, whose fault a disturbance could be."""

    @property
    def ids(self) -> frozenset[str]:
        """What was as written."""
        planned = {test_id for one in self.altered for test_id in one.tests}
        return frozenset(test.id for test in self.proof.tests if test.id not in planned)

    async def judge(self, known: Verdicts) -> Verdicts:
        """By itself, less what is known already."""
        proof, altered = self.proof.less(known.disturbed), self.altered - known.refuted
        same = self.alone and altered == self.altered and len(proof.tests) == len(self.proof.tests)
        return await proof.judge(altered, self.seen if same else None)


@dataclass(frozen=True, slots=True)
class Mix:
    """One turn of every candidate of a company."""

    parts: tuple[tuple[Proof, frozenset[Alteration]], ...]

    @property
    def altered(self) -> frozenset[Alteration]:
        """Of all files."""
        return frozenset[Alteration]().union(*(altered for _, altered in self.parts))

    def less(self, stuck: Collection[str]) -> "Mix":
        """Without alterations of these tests."""
        return Mix(tuple((proof, altered - waiting(altered, stuck)) for proof, altered in self.parts))

    async def run(self, stuck: set[str]) -> tuple[Part, ...]:
        """One run for all files. A test that an alteration leaves waiting until the time is up is not altered
        again, here or in any later run: each such run costs its whole limit. It is added to `stuck`."""
        together = joined([proof for proof, _ in self.parts])
        while True:
            mix = self.less(stuck)
            seen = await together.once(mix.altered)
            if not seen.stuck:
                return tuple(mix.part(proof, altered, seen) for proof, altered in mix.parts)
            stuck |= seen.stuck

    def part(self, proof: Proof, altered: frozenset[Alteration], seen: Verdicts) -> Part:
        """What a run says of one file."""
        ids = {test.id for test in proof.tests}
        verdicts = Verdicts(seen.refuted & altered, seen.disturbed & ids, seen.lost)
        return Part(proof, altered, verdicts, alone=len(self.parts) == 1)


def waiting(altered: Iterable[Alteration], stuck: Collection[str]) -> frozenset[Alteration]:
    """Those of tests that some alteration leaves waiting."""
    return frozenset(one for one in altered if not set(stuck).isdisjoint(one.tests))


async def judge(workshop: Workshop, mixes: Sequence[Mix]) -> Verdicts:
    """Run every mix; try what may have disturbed a test by itself; judge what was disturbed without it."""
    stuck: set[str] = set()
    parts = [part for ran in await workshop.each(mixes, lambda mix: mix.run(stuck)) for part in ran]
    suspects: dict[Alteration, Proof] = {}
    known = Verdicts(frozenset[Alteration]().union(*(waiting(mix.altered, stuck) for mix in mixes)))
    for path in dict.fromkeys(part.proof.path for part in parts):
        mine = [part for part in parts if part.proof.path == path and not part.seen.lost]
        for victim in sorted({test_id for part in mine for test_id in part.seen.disturbed}):
            found = _suspects(victim, mine)
            if len(found) > MAX_SUSPECTS:
                known |= Verdicts(disturbed=frozenset({victim}))
            else:
                suspects |= dict.fromkeys(sorted(found, key=order), mine[0].proof)

    async def accuse(pair: tuple[Alteration, Proof]) -> Verdicts:
        return await pair[1].less(known.disturbed).judge(frozenset({pair[0]}))

    tried = await workshop.each(suspects.items(), accuse)
    known = reduce(or_, tried, known)
    settled = await workshop.each(
        [part for part in parts if part.seen.disturbed], lambda part: part.judge(known)
    )
    clean = (part.seen for part in parts if not part.seen.disturbed)
    return reduce(or_, (*clean, *settled), known)


def _suspects(victim: str, parts: Sequence[Part]) -> frozenset[Alteration]:
    """What was altered in some run that disturbed the test, and in none that left it alone."""
    near = frozenset[Alteration]()
    cleared = frozenset[Alteration]()
    for part in parts:
        if victim in part.seen.disturbed:
            near |= part.altered
        elif victim in part.ids:
            cleared |= part.altered
    return near - cleared


def companies(candidates: Iterable[Candidate]) -> tuple[tuple[Candidate, ...], ...]:
    """Each candidate in the first company that has room and nobody who minds."""
    found: list[list[Candidate]] = []
    for candidate in candidates:
        weight = len(candidate.proof.tests)
        for company in found:
            room = MAX_TESTS - sum(len(member.proof.tests) for member in company)
            minded = any(candidate.minds(member) for member in company)
            if len(company) < MAX_FILES and weight <= room and not minded:
                company.append(candidate)
                break
        else:
            found.append([candidate])
    return tuple(tuple(company) for company in found)


def compiled(found: Sequence[Sequence[Candidate]]) -> tuple[tuple[Candidate, ...], ...]:
    """The same companies, with the tests of all of them compiled once."""
    made = in_one_program([[member.proof for member in company] for company in found])
    return tuple(
        tuple(replace(member, proof=proof) for member, proof in zip(company, proofs, strict=True))
        for company, proofs in zip(found, made, strict=True)
    )


def in_one_program(groups: Sequence[Sequence[Proof]]) -> tuple[tuple[Proof, ...], ...]:
    """Proofs of compiled tests: each group is a part that runs by itself, and all compile together."""
    proofs = [proof for group in groups for proof in group]
    if not proofs:
        return ()
    everything = joined(proofs)
    parts = {str(number): _files(group) for number, group in enumerate(groups)}
    work = {**everything.library, **apply_sites(everything.heldout, everything.lookups)}
    program = Assembly(work, everything.reference, parts)
    return tuple(
        tuple(replace(proof, lookups=everything.lookups, program=program, part=part) for proof in group)
        for part, group in zip(parts, groups, strict=True)
    )


def _files(proofs: Sequence[Proof]) -> tuple[str, ...]:
    return tuple(sorted({path for proof in proofs for path in proof.heldout}))


def turns(company: Sequence[Candidate]) -> tuple[Mix, ...]:
    """The first mix of every member together, the second of every member, and so on."""
    return tuple(
        Mix(
            tuple(
                (member.proof, altered)
                for member, altered in zip(company, turn, strict=True)
                if altered is not None
            )
        )
        for turn in zip_longest(*(member.mixes for member in company))
    )


async def propose(preparation: Preparation, proofs: Sequence[Proof]) -> tuple[tuple[Cell, ...], ...]:
    """The candidates of every file. Where tests are compiled, those of all files compile together."""
    if not proofs:
        return ()
    workshop = proofs[0].workshop
    if workshop.compiles:
        found = await joined(proofs).proposed(preparation)
        if found:
            return unshared(proofs, [proof.chosen(found) for proof in proofs])
    # One file that the language cannot cope with must not cost the others theirs.
    return unshared(proofs, await workshop.each(proofs, lambda proof: proof.candidates(preparation)))


def unshared(proofs: Sequence[Proof], proposed: Sequence[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """Less the questions in files that runs of another file mount, too.

    Tests that are inherited there would show what is asked, or compare nothing where it is hidden from them.
    """
    mounted = Counter(path for proof in proofs for path in proof.heldout)

    def alone(cell: Cell) -> bool:
        return all(mounted[site.path] == 1 for site in cell.asked)

    return tuple(
        tuple(cell if alone(cell) else replace(cell, asked=()) for cell in cells) for cells in proposed
    )


def joined(proofs: Sequence[Proof]) -> Proof:
    """One proof of all these files."""
    first, *others = proofs
    edits = dict.fromkeys(site for proof in proofs for site in proof.lookups)
    return replace(
        first,
        also=tuple(proof.path for proof in others),
        tests=tuple(test for proof in proofs for test in proof.tests),
        heldout={path: file for proof in proofs for path, file in proof.heldout.items()},
        lookups=tuple(edits),
    )
