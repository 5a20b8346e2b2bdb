"""A page as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scry.surfaces.text.line import Line, Piece, line
from scry.surfaces.text.page import Block, Cell, Heading, Items, Listing, Paragraph, Table, plain_cell
from scry.surfaces.text.printable import printable_lines
from scry.surfaces.text.width import cells, wrap

_INDENT = "  "
_GAP = "  "
_NARROWEST = 20


def to_lines(blocks: Iterable[Block], width: int | None = None) -> list[Line]:
    """The page. width: cells of the screen to wrap a table's last column at; None for one line each."""
    shown: list[Line] = []
    for block in blocks:
        if shown:
            shown.append(())
        shown += _block(block, width)
    return shown


def _block(block: Block, width: int | None) -> Iterator[Line]:
    if isinstance(block, Heading):
        yield line((block.text, "strong"))
    elif isinstance(block, Paragraph):
        yield block.line
    elif isinstance(block, Items):
        yield from ((Piece("- ", "plain"), *each) for each in block.lines)
    elif isinstance(block, Table):
        yield from _table(block, width)
    else:
        yield from _listing(block)


def _listing(listing: Listing) -> Iterator[Line]:
    for text in printable_lines(listing.text).split("\n"):
        yield line(_INDENT, text)


def _table(table: Table, width: int | None) -> Iterator[Line]:
    shown = table.shown
    if not shown:
        return
    head = [line((table.columns[at].removeprefix("#"), "quiet")) for at in shown]
    rows = [[row[at] for at in shown] for row in table.rows]
    right = [table.columns[at].startswith("#") for at in shown]
    widths = [max(cells(plain_cell(row[at])) for row in [head, *rows]) for at in range(len(shown))]
    for row in [head, *rows]:
        yield from _row(row, widths, right, width)


def _row(row: list[Cell], widths: list[int], right: list[bool], width: int | None) -> Iterator[Line]:
    pieces: list[Piece] = [Piece(_INDENT, "plain")]
    for cell, room, to_the_right in zip(row[:-1], widths, right, strict=False):
        blank = Piece(" " * (room - cells(plain_cell(cell))), "plain")
        pieces += [blank, *cell] if to_the_right else [*cell, blank]
        pieces.append(Piece(_GAP, "plain"))
    before = cells(plain_cell(tuple(pieces)))
    last = plain_cell(row[-1])
    if width is None or before + cells(last) <= width:
        lead = " " * (widths[-1] - cells(last)) if right[-1] else ""
        yield (*pieces, Piece(lead, "plain"), *row[-1])
        return
    first, *more = wrap(last, max(_NARROWEST, width - before))
    part = row[-1][0].part if row[-1] else "plain"
    yield (*pieces, Piece(first, part))
    yield from ((Piece(" " * before, "plain"), Piece(text, part)) for text in more)
