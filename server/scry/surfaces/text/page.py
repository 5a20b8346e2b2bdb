"""A page: what a person reads of one thing, as blocks that the terminal and Markdown each show in their own way."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from scry.surfaces.text.line import StyledLine

Cell = StyledLine
"""Pieces with the part that each plays; see surfaces.text.line. A `place` is a name, shown as code in Markdown."""


class Heading(Struct, frozen=True):
    """What the blocks below are about."""

    text: str


class Paragraph(Struct, frozen=True):
    """One line of pieces."""

    line: StyledLine


class BulletList(Struct, frozen=True):
    """A list."""

    lines: Sequence[StyledLine]


class TableBlock(Struct, frozen=True):
    """Rows of as many cells as there are columns; a column whose cells are all empty is left out.

    columns: their names; one that begins with `#` is shown to the right, without that mark.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def visible_columns(self) -> list[int]:
        """The columns that hold anything."""
        return [at for at in range(len(self.columns)) if any(cell_text(row[at]) for row in self.rows)]


class CodeBlock(Struct, frozen=True):
    """Foreign text of several lines, in a language."""

    language: str
    text: str


Block = Heading | Paragraph | BulletList | TableBlock | CodeBlock


def cell_text(cell: Cell) -> str:
    """The text of a cell."""
    return "".join(piece.text for piece in cell)
