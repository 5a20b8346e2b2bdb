"""A page: what a person reads of one thing, as blocks that the terminal and Markdown each show in their own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scry.surfaces.text.line import Line

Cell = Line
"""Pieces with the part that each plays; see surfaces.text.line. A `place` is a name, shown as code in Markdown."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What the blocks below are about."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line of pieces."""

    line: Line


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of as many cells as there are columns; a column whose cells are all empty is left out.

    columns: their names; one that begins with `#` is shown to the right, without that mark.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def shown(self) -> list[int]:
        """The columns that hold anything."""
        return [at for at in range(len(self.columns)) if any(plain_cell(row[at]) for row in self.rows)]


@dataclass(frozen=True, slots=True)
class Listing:
    """Foreign text of several lines, in a language."""

    language: str
    text: str


Block = Heading | Paragraph | Items | Table | Listing


def plain_cell(cell: Cell) -> str:
    """The text of a cell."""
    return "".join(piece.text for piece in cell)
