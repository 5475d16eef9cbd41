"""A company: proofs of several test files that share their runs, as long as that changes no verdict.

A run costs much the same for one small file as for eight, so that this is most of what preparation saves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import zip_longest
from operator import or_
from pathlib import PurePosixPath

from kaiju_grading.suite import Cell
from kaiju_tasks.prepare.proving import Alteration, Proof, Verdicts, mixes
from kaiju_tasks.prepare.workshop import Workshop

MAX_FILES = 8
MAX_TESTS = 600
"""Of one run, so that it stays far from its limits."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The proof of one file, its cells and the mixes that try them."""

    proof: Proof
    mixes: tuple[frozenset[Alteration], ...]
    touched: frozenset[str]
    """Files that its alterations change, and its own."""

    @classmethod
    def of(cls, proof: Proof, cells: tuple[Cell, ...], count: int) -> "Candidate":
        touched = {proof.path, *(site.path for cell in cells for site in cell.sites)}
        return cls(proof, mixes(proof, cells, count), frozenset(touched))

    def minds(self, other: "Candidate") -> bool:
        """Whether the two cannot run in one process: one reads what the other changes, or equal names."""
        one, two = self.proof, other.proof
        if self.touched & two.heldout.keys() or other.touched & one.heldout.keys():
            return True
        return PurePosixPath(one.path).name == PurePosixPath(two.path).name


@dataclass(frozen=True, slots=True)
class Doubt:
    """What one file altered in a run that disturbed its tests."""

    proof: Proof
    altered: frozenset[Alteration]
    seen: Verdicts | None
    """What the run said; None when other files shared it, whose fault it may be."""


@dataclass(frozen=True, slots=True)
class Mix:
    """One turn of every candidate of a company."""

    parts: tuple[tuple[Proof, frozenset[Alteration]], ...]

    async def tried(self) -> tuple[Verdicts, tuple[Doubt, ...]]:
        """One run for all: the verdicts on files whose tests it leaves alone, and the others."""
        if len(self.parts) == 1:
            proof, altered = self.parts[0]
            seen = await proof.once(altered)
            return (Verdicts(), (Doubt(proof, altered, seen),)) if seen.disturbed else (seen, ())
        seen = await _joined([proof for proof, _ in self.parts]).once(
            frozenset[Alteration]().union(*(altered for _, altered in self.parts))
        )
        verdicts, doubts = Verdicts(), []
        for proof, altered in self.parts:
            if seen.disturbed & {test.id for test in proof.tests}:
                doubts.append(Doubt(proof, altered, None))
            else:
                verdicts |= Verdicts(seen.refuted & altered)
        return verdicts, tuple(doubts)


async def judge(workshop: Workshop, mixes: Sequence[Mix]) -> Verdicts:
    """Try every mix, then settle the doubts of each file."""
    tried = await workshop.each(mixes, Mix.tried)
    by_file: dict[str, list[Doubt]] = {}
    for _, doubts in tried:
        for doubt in doubts:
            by_file.setdefault(doubt.proof.path, []).append(doubt)
    settled = await workshop.each(by_file.values(), _settle)
    return reduce(or_, (*(verdicts for verdicts, _ in tried), *settled), Verdicts())


async def _settle(doubts: Sequence[Doubt]) -> Verdicts:
    """One after the other, so that a culprit is sought once: it is left out of the later ones."""
    found = Verdicts()
    for doubt in doubts:
        proof, altered = doubt.proof.less(found.disturbed), doubt.altered - found.refuted
        known = altered != doubt.altered or proof != doubt.proof
        found |= await proof.judge(altered, None if known else doubt.seen)
    return found


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


def _joined(proofs: Sequence[Proof]) -> Proof:
    first, *others = proofs
    return replace(
        first,
        also=tuple(proof.path for proof in others),
        tests=tuple(test for proof in proofs for test in proof.tests),
        heldout={path: file for proof in proofs for path, file in proof.heldout.items()},
        lookups=tuple(site for proof in proofs for site in proof.lookups),
    )
