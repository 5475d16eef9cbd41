"""Canaries: proven alterations of held-out tests, per environment."""

from typing import Literal

from pydantic import Field

from kaiju_grading.suite import Cell, Choice, Site, SiteKind
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
        )


class CellEntry(Part):
    """Tests that are altered together, and the alternative ways."""

    tests: tuple[str, ...] = Field(min_length=1)
    sites: tuple[SiteEntry, ...] = Field(min_length=1)

    @classmethod
    def of(cls, cell: Cell) -> "CellEntry":
        return cls(tests=cell.tests, sites=tuple(SiteEntry.of(site) for site in cell.sites))

    def as_cell(self) -> Cell:
        return Cell(self.tests, tuple(site.as_site() for site in self.sites))


class Canaries(Part):
    """tests/canaries.json."""

    format: Literal[1] = 1
    environments: dict[str, tuple[CellEntry, ...]]
    """By environment digest."""
