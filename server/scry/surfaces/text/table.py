"""Rows of values as columns of text."""

from __future__ import annotations

from collections.abc import Sequence

from scry.surfaces.text.line import StyledLine, styled_line
from scry.surfaces.text.printable import make_printable
from scry.surfaces.text.width import display_width

_MAX_COLUMN_WIDTH = 60
"""Cells; a longer value pushes the ones behind it to the right in its own line alone."""

CellValue = str | int | float | bytes | None


def render_table(columns: Sequence[str], rows: Sequence[Sequence[CellValue]]) -> list[StyledLine]:
    """A line of names, then one line a row; numbers to the right."""
    texts = [[_format_cell(value) for value in row] for row in rows]
    widths = [min(_MAX_COLUMN_WIDTH, max([display_width(name), *(display_width(row[at]) for row in texts)])) for at, name in enumerate(columns)]
    head = styled_line(("  ".join(_pad_cell_value(name, width, "") for name, width in zip(columns, widths, strict=True)), "strong"))
    body = [
        styled_line("  ".join(_pad_cell_value(text, width, value) for text, width, value in zip(each, widths, row, strict=True)))
        for each, row in zip(texts, rows, strict=True)
    ]
    return [head, *body]


def _format_cell(value: CellValue) -> str:
    if value is None:
        return ""
    return value.hex() if isinstance(value, bytes) else make_printable(str(value))


def _pad_cell_value(text: str, width: int, value: CellValue) -> str:
    space = " " * (width - display_width(text))
    return space + text if isinstance(value, (int, float)) else text + space
