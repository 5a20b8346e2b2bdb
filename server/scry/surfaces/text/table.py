"""Rows of values as columns of text."""

from __future__ import annotations

from collections.abc import Sequence

from scry.surfaces.text.line import Line, line
from scry.surfaces.text.printable import printable
from scry.surfaces.text.width import cells

_WIDEST = 60
"""Cells; a longer value pushes the ones behind it to the right in its own line alone."""

Value = str | int | float | bytes | None


def show_table(columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> list[Line]:
    """A line of names, then one line a row; numbers to the right."""
    texts = [[_text(value) for value in row] for row in rows]
    widths = [min(_WIDEST, max([cells(name), *(cells(row[at]) for row in texts)])) for at, name in enumerate(columns)]
    head = line(("  ".join(_padded(name, width, "") for name, width in zip(columns, widths, strict=True)), "strong"))
    body = [
        line("  ".join(_padded(text, width, value) for text, width, value in zip(each, widths, row, strict=True)))
        for each, row in zip(texts, rows, strict=True)
    ]
    return [head, *body]


def _text(value: Value) -> str:
    if value is None:
        return ""
    return value.hex() if isinstance(value, bytes) else printable(str(value))


def _padded(text: str, width: int, value: Value) -> str:
    space = " " * (width - cells(text))
    return space + text if isinstance(value, (int, float)) else text + space
