"""Text tables: columns with a width and an alignment, drawn in one of several styles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Align = Literal["left", "right", "center"]

ALIGNMENTS = ("left", "right", "center")


class TableError(ValueError):
    """A wrong width or alignment, or a row that does not fit the columns."""


@dataclass(frozen=True)
class Bounded:
    """A descriptor: a whole number from `low` to `high`, kept under `name` in the owner's `__dict__`."""

    name: str
    low: int
    high: int

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """The number; the descriptor itself when asked for on the class."""
        return self if owner is None else owner.__dict__[self.name]

    def __set__(self, owner: Any, value: int) -> None:
        """Raises TableError, naming the attribute and its bounds, when `value` is outside of them."""
        if not self.low <= value <= self.high:
            raise TableError(f"{self.name} must be {self.low} to {self.high}, not {value}")
        owner.__dict__[self.name] = value


def wrap(text: str, width: int) -> list[str]:
    """Cut a text into lines of at most `width` characters.

    Lines break at white space, which is dropped there and is one space elsewhere; a word longer than
    `width` is cut hard, beginning on a line of its own. A line feed always breaks. Empty text is one empty line.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) <= width:
                line += " " + word
                continue
            if line:
                lines.append(line)
            while len(word) > width:
                lines.append(word[:width])
                word = word[width:]
            line = word
        lines.append(line)
    return lines


class Column:
    """One column: a title, an alignment, and the most characters that a line of it may have."""

    limit = Bounded("limit", 1, 200)

    def __init__(self, title: str, align: Align = "left", limit: int = 40) -> None:
        self.title = title
        self.align = align
        self.limit = limit

    @property
    def align(self) -> Align:
        """`left`, `right` or `center`; setting anything else raises TableError."""
        return self._align

    @align.setter
    def align(self, value: Align) -> None:
        if value not in ALIGNMENTS:
            raise TableError(f"align must be one of {', '.join(ALIGNMENTS)}, not {value!r}")
        self._align = value

    def pad(self, text: str, width: int) -> str:
        """Fill up to `width` with spaces; when centring, an odd space goes to the right."""
        if self.align == "left":
            return text.ljust(width)
        if self.align == "right":
            return text.rjust(width)
        left = (width - len(text)) // 2
        return " " * left + text + " " * (width - len(text) - left)


class Style(ABC):
    """How a table is drawn. Lines never end in white space."""

    @abstractmethod
    def row(self, cells: Sequence[str]) -> str:
        """One line of padded cells."""

    @abstractmethod
    def rule(self, columns: Sequence[Column], widths: Sequence[int]) -> str:
        """The line between the titles and the rows."""

    def frame(self, columns: Sequence[Column], widths: Sequence[int]) -> str | None:
        """The line above the titles and below the last row; None for no such line."""
        return None


class Plain(Style):
    """Cells two spaces apart, a rule of hyphens under each title."""

    def row(self, cells: Sequence[str]) -> str:
        return "  ".join(cells).rstrip()

    def rule(self, columns: Sequence[Column], widths: Sequence[int]) -> str:
        return "  ".join("-" * width for width in widths)


class Grid(Style):
    """`| a | b |` with `+---+---+` as rule and frame."""

    def row(self, cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def rule(self, columns: Sequence[Column], widths: Sequence[int]) -> str:
        return f"+{'+'.join('-' * (width + 2) for width in widths)}+"

    def frame(self, columns: Sequence[Column], widths: Sequence[int]) -> str | None:
        return self.rule(columns, widths)


class Markdown(Grid):
    """`| a | b |` with a rule whose colons show the alignment (`:--`, `--:`, `:-:`), and no frame.

    Columns are at least three characters wide, `|` in a cell is written `\\\\|` by the table.
    """

    def rule(self, columns: Sequence[Column], widths: Sequence[int]) -> str:
        parts = []
        for column, width in zip(columns, widths, strict=True):
            left = "-" if column.align == "right" else ":"
            right = "-" if column.align == "left" else ":"
            parts.append(left + "-" * (width - 2) + right)
        return f"| {' | '.join(parts)} |"

    def frame(self, columns: Sequence[Column], widths: Sequence[int]) -> str | None:
        return None


class Table:
    """Rows of cells under columns. Cells are shown with `str`, None as an empty cell."""

    def __init__(self, *columns: Column) -> None:
        self.columns = columns
        self.rows: list[tuple[str, ...]] = []

    def add(self, *cells: object) -> Table:
        """Append a row and return the table; raises TableError when the number of cells is not the columns'."""
        if len(cells) != len(self.columns):
            raise TableError(f"expected {len(self.columns)} cells, got {len(cells)}")
        self.rows.append(tuple("" if cell is None else str(cell) for cell in cells))
        return self

    def render(self, style: Style) -> str:
        """The table as text, without a line feed at the end.

        Cells are wrapped to their column's limit and may take several lines; a column is as wide as its longest
        line, title included. Under Markdown a row is always one line (nothing is wrapped, line feeds are spaces).
        """
        markdown = isinstance(style, Markdown)
        body = [self._cells(row, markdown) for row in self.rows]
        head = self._cells([column.title for column in self.columns], markdown)
        widths = [max(3 if markdown else 0, *(len(line) for row in [head, *body] for line in row[index]))
                  for index in range(len(self.columns))]  # fmt: skip
        lines = [*self._lines(style, head, widths), style.rule(self.columns, widths)]
        for row in body:
            lines += self._lines(style, row, widths)
        frame = style.frame(self.columns, widths)
        return "\n".join(lines if frame is None else [frame, *lines, frame])

    def _cells(self, texts: Sequence[str], markdown: bool) -> list[list[str]]:
        """The lines of each cell of one row."""
        if markdown:
            return [[text.replace("\n", " ").replace("|", "\\|")] for text in texts]
        return [wrap(text, column.limit) for column, text in zip(self.columns, texts, strict=True)]

    def _lines(self, style: Style, cells: list[list[str]], widths: Sequence[int]) -> Iterator[str]:
        """The lines of one row, cells padded and shorter cells filled up with empty lines."""
        for number in range(max(map(len, cells))):
            yield style.row([
                column.pad(cell[number] if number < len(cell) else "", width)
                for column, cell, width in zip(self.columns, cells, widths, strict=True)
            ])  # fmt: skip
