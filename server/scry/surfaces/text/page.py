"""A page: what a person reads of one thing, as blocks that the terminal and Markdown each show in their own way."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from scry.surfaces.text.line import Line

Cell = Line
"""Pieces with the part that each plays; see surfaces.text.line. A `place` is a name, shown as code in Markdown."""


class Heading(Struct, frozen=True):
    """What the blocks below are about."""

    text: str


class Paragraph(Struct, frozen=True):
    """One line of pieces."""

    line: Line


class Items(Struct, frozen=True):
    """A list."""

    lines: Sequence[Line]


class Table(Struct, frozen=True):
    """Rows of as many cells as there are columns; a column whose cells are all empty is left out.

    columns: their names; one that begins with `#` is shown to the right, without that mark.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def shown(self) -> list[int]:
        """The columns that hold anything."""
        return [at for at in range(len(self.columns)) if any(plain_cell(row[at]) for row in self.rows)]


class Listing(Struct, frozen=True):
    """Foreign text of several lines, in a language."""

    language: str
    text: str


Block = Heading | Paragraph | Items | Table | Listing


def plain_cell(cell: Cell) -> str:
    """The text of a cell."""
    return "".join(piece.text for piece in cell)
