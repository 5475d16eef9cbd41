"""Canaries: proven alterations of held-out tests, per environment."""

from typing import Literal

from pydantic import Field, field_validator

from kaiju_grading import plain
from kaiju_grading.suite import Cell, Choice, Question, Site, SiteKind
from kaiju_tasks.format import Part, TreePath

FILE = "tests/canaries.json"


class ChoiceEntry(Part):
    """A value that compiled tests look up: the real one and the altered one."""

    slot: str = Field(min_length=1)
    real: str
    altered: str

    @classmethod
    def of(cls, choice: Choice) -> "ChoiceEntry":
        return cls(slot=choice.slot, real=choice.real, altered=choice.altered)

    def as_choice(self) -> Choice:
        return Choice(self.slot, self.real, self.altered)


class QuestionEntry(Part):
    """What a computed value is compared with, as text of plain data (`kaiju_grading.plain`)."""

    key: str = Field(min_length=1)
    expected: str
    echoed: bool = False
    typed: bool = False

    @field_validator("expected")
    @classmethod
    def _is_plain(cls, expected: str) -> str:
        plain.decode(expected)
        return expected

    @classmethod
    def of(cls, question: Question) -> "QuestionEntry":
        return cls(key=question.key, expected=question.expected, echoed=question.echoed, typed=question.typed)

    def as_question(self) -> Question:
        return Question(self.key, self.expected, self.echoed, self.typed)


class SiteEntry(Part):
    """One proven edit of one held-out file."""

    path: TreePath
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    replacement: str
    kind: SiteKind
    weak: bool = False
    conditional: bool = False
    choice: ChoiceEntry | None = None
    question: QuestionEntry | None = None

    @classmethod
    def of(cls, site: Site) -> "SiteEntry":
        return cls(
            path=site.path,
            start=site.start,
            end=site.end,
            replacement=site.replacement,
            kind=site.kind,
            weak=site.weak,
            conditional=site.conditional,
            choice=ChoiceEntry.of(site.choice) if site.choice else None,
            question=QuestionEntry.of(site.question) if site.question else None,
        )

    def as_site(self) -> Site:
        return Site(
            path=self.path,
            start=self.start,
            end=self.end,
            replacement=self.replacement,
            kind=self.kind,
            weak=self.weak,
            conditional=self.conditional,
            choice=self.choice.as_choice() if self.choice else None,
            question=self.question.as_question() if self.question else None,
        )


class CellEntry(Part):
    """Tests that are altered together, the alternative ways, and what they are asked."""

    tests: tuple[str, ...] = Field(min_length=1)
    sites: tuple[SiteEntry, ...] = Field(min_length=1)
    asked: tuple[SiteEntry, ...] = ()

    @classmethod
    def of(cls, cell: Cell) -> "CellEntry":
        return cls(
            tests=cell.tests,
            sites=tuple(SiteEntry.of(site) for site in cell.sites),
            asked=tuple(SiteEntry.of(site) for site in cell.asked),
        )

    def as_cell(self) -> Cell:
        return Cell(
            self.tests,
            tuple(site.as_site() for site in self.sites),
            tuple(site.as_site() for site in self.asked),
        )


class Canaries(Part):
    """tests/canaries.json."""

    format: Literal[1] = 1
    environments: dict[str, tuple[CellEntry, ...]]
    """By environment digest."""
