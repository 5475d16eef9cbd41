"""Asking: which questions the reference answers as the tests expect, before they are proven in company."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kaiju_grading import plain
from kaiju_grading.outcome import Answer, Outcome, TestReport
from kaiju_grading.suite import Cell, Site
from kaiju_tasks.prepare.proving import Alteration, Proof


async def answered(proof: Proof, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The cells with those questions only that every one of their tests answers right, all asked at once."""
    altered = frozenset(Alteration.asking(cell) for cell in cells if cell.asked)
    if not altered:
        return cells
    report = await proof.run(altered)
    return tuple(replace(cell, asked=_kept(cell, report)) for cell in cells)


def _kept(cell: Cell, report: TestReport) -> tuple[Site, ...]:
    if not report.sound or any(report.outcomes.get(id) is not Outcome.PASSED for id in cell.tests):
        return ()
    answers = [report.answers.get(id, {}) for id in cell.tests]
    left = tuple(site for site in cell.asked if site.question is None or _holds(site, answers))
    # Edits that let a comparison ask are of no use without a key.
    return left if any(site.question for site in left) else ()


def _holds(site: Site, answers: Sequence[Mapping[str, tuple[Answer, ...]]]) -> bool:
    question = site.question
    assert question is not None
    given = [said.get(question.key, ()) for said in answers]
    return all(said and all(_is(answer, question.expected) for answer in said) for said in given)


def _is(answer: Answer, expected: str) -> bool:
    return answer.plain is not None and plain.same(answer.plain, expected)
