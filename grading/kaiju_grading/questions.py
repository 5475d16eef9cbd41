"""Questions: what an asked test answered, and how hard its answers are to guess. Pure functions.

A question takes an expected value out of the held-out file; the runner hands over what the library computed
in its place, and the comparison happens here, outside. That needs no secrecy: all questions of a module are
put in its first run, before any file shows what is expected.

An answer of a type with its own idea of equality is opaque: nobody outside can tell what it equals. It
accuses nobody. Its test is flipped instead, in runs of its own.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kaiju_grading import plain
from kaiju_grading.outcome import Answer, Outcome
from kaiju_grading.suite import Cell, Question, Site

MOST_BITS = 8.0
"""Of one cell: nobody knows how well somebody guesses who reads the test."""
ECHOED_BITS = 1.0
"""Of a value that the test still says."""


class Reply(StrEnum):
    """What an asked test said."""

    RIGHT = "right"
    WRONG = "wrong"
    """It passed, and at least one plain answer is not the expected one."""
    OPAQUE = "opaque"
    """It passed, and an answer is no plain data; the others are right."""
    NONE = "none"
    """It did not pass, or a question has no answer."""


def read_reply(sites: Iterable[Site], outcome: Outcome, answers: Mapping[str, Sequence[Answer]]) -> Reply:
    """Every answer to every question of these sites."""
    if outcome is not Outcome.PASSED:
        return Reply.NONE
    replies = [
        _read_answer(site.question, answer)
        for site in sites
        if site.question is not None
        for answer in answers.get(site.question.key, ()) or (None,)
    ]
    for reply in (Reply.WRONG, Reply.NONE, Reply.OPAQUE):
        if reply in replies:
            return reply
    return Reply.RIGHT if replies else Reply.NONE


def _read_answer(question: Question, answer: Answer | None) -> Reply:
    if answer is None or (answer.plain is None and question.typed):
        return Reply.NONE
    if answer.plain is None:
        return Reply.OPAQUE
    return Reply.RIGHT if plain.same(answer.plain, question.expected) else Reply.WRONG


@dataclass(frozen=True, slots=True)
class Pool:
    """All answers of a task: what a forger that has seen tests of this kind would guess from."""

    values: Mapping[str, Mapping[str, tuple[str, ...]]] = field(repr=False)
    """By kind, then without case and space: every expected value, as often as it is expected."""

    @classmethod
    def of(cls, cells: Iterable[Cell]) -> "Pool":
        """Each question once, however many tests share it."""
        asked = dict.fromkeys(site.question for cell in cells for site in cell.asked if site.question)
        values: dict[str, dict[str, tuple[str, ...]]] = {}
        for expected in sorted(question.expected for question in asked):
            alike = values.setdefault(plain.kind(expected), {})
            alike[fold(expected)] = (*alike.get(fold(expected), ()), expected)
        return cls(values)

    def bits(self, cell: Cell, module: "Pool") -> float:
        """What its answers leave to be guessed: its hardest question alone, for answers go together.

        One that is common in `module`, the answers of the cell's module, is easier to guess there.
        """
        questions = [site.question for site in cell.asked if site.question]
        return max((self._bits(question, module) for question in questions), default=0.0)

    def _bits(self, question: Question, module: "Pool") -> float:
        most = ECHOED_BITS if question.echoed else MOST_BITS
        share = max(self._share(question, 1), module._share(question, 2))
        return min(most, -math.log2(share)) if share else 0.0

    def _share(self, question: Question, least: int) -> float:
        """Of the commonest answer of its kind; what comes less often than `least` is not common."""
        alike = [len(values) for values in self._alike(question)]
        common = max(alike, default=0)
        return common / sum(alike) if common >= least else 0.0

    def ranked(self, question: Question) -> tuple[tuple[str, ...], ...]:
        """Values of its kind, the commonest first; those that differ in case or space alone together."""
        return tuple(sorted(self._alike(question), key=lambda values: (-len(values), values)))

    def _alike(self, question: Question) -> Iterable[tuple[str, ...]]:
        return self.values.get(plain.kind(question.expected), {}).values()


def fold(text: str) -> str:
    """Without case and space: what a loose equality may not see."""
    return "".join(text.split()).casefold()
