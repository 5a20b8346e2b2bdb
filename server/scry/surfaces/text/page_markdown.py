"""A page as Markdown, for floats, panels and hovers. Foreign text can't become markup, nor end the block it is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.surfaces.text.line import Line, Piece
from scry.surfaces.text.page import Block, Heading, Items, Listing, Paragraph, Table
from scry.surfaces.text.printable import printable_lines
from scry.surfaces.text.width import cells

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~!&]|^[-+](?= )|^\d+(?=[.)] )|://)")
_TICKS = re.compile("`+")
_NARROWEST = 3
"""Of a column: fewer dashes are no table to some."""


def to_markdown(blocks: Iterable[Block]) -> str:
    """The page; it ends with a newline."""
    return "\n\n".join(_block(block) for block in blocks) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"### {_escape(block.text)}"
    if isinstance(block, Paragraph):
        return _line(block.line)
    if isinstance(block, Items):
        return "\n".join(f"- {_line(line)}" for line in block.lines)
    return _table(block) if isinstance(block, Table) else _listing(block)


def _table(table: Table) -> str:
    """Its columns are aligned in the text, too: not every float draws tables."""
    shown = table.shown
    right = [table.columns[at].startswith("#") for at in shown]
    head = [table.columns[at].removeprefix("#") for at in shown]
    rows = [head, *([_line(row[at]) for at in shown] for row in table.rows)]
    widths = [max(_NARROWEST, *(cells(row[at]) for row in rows)) for at in range(len(shown))]
    rule = ["-" * (width - 1) + (":" if aligned else "-") for width, aligned in zip(widths, right, strict=True)]
    filled = [[_fill(*cell) for cell in zip(row, widths, right, strict=True)] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (filled[0], rule, *filled[1:]))


def _fill(cell: str, width: int, to_the_right: bool) -> str:
    blank = " " * (width - cells(cell))
    return blank + cell if to_the_right else cell + blank


def _listing(listing: Listing) -> str:
    text = printable_lines(listing.text)
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in _TICKS.findall(text)), default=0))
    return f"{fence}{listing.language}\n{text}\n{fence}"


def _line(line: Line) -> str:
    return "".join(_piece(piece) for piece in line)


def _piece(piece: Piece) -> str:
    if not piece.text.strip():
        return piece.text
    if piece.part == "place":
        return _code(piece.text)
    escaped = _escape(piece.text)
    return f"**{escaped.strip()}**" if piece.part == "strong" else escaped


def _code(text: str) -> str:
    text = text.replace("|", "\\|")
    ticks = "`" * (1 + max((len(ticks) for ticks in _TICKS.findall(text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _escape(text: str) -> str:
    return _MARKUP.sub(lambda match: "\\" + match.group() if match.group() != "://" else ":\\//", text)
