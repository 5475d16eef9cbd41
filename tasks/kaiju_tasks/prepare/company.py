"""A company: proofs of several test files that share their runs, as long as that changes no verdict.

A run costs much the same for one small file as for eight, so that this is most of what preparation saves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePosixPath

from kaiju_grading.suite import Cell
from kaiju_tasks.prepare.proving import Alteration, Proof, Verdicts, mixes

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
class Mix:
    """One turn of every candidate of a company."""

    parts: tuple[tuple[Proof, frozenset[Alteration]], ...]

    async def judge(self) -> Verdicts:
        """One run for all; a file whose tests it disturbs is judged again, by itself."""
        if len(self.parts) == 1:
            proof, altered = self.parts[0]
            return await proof.judge(altered)
        seen = await _joined([proof for proof, _ in self.parts]).once(
            frozenset[Alteration]().union(*(altered for _, altered in self.parts))
        )
        verdicts = Verdicts()
        for proof, altered in self.parts:
            if seen.disturbed & {test.id for test in proof.tests}:
                verdicts |= await proof.judge(altered)
            else:
                verdicts |= Verdicts(seen.refuted & altered)
        return verdicts


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
