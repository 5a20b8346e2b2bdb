"""A page as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scry.surfaces.text.line import StyledLine, TextSpan, styled_line
from scry.surfaces.text.page import Block, Cell, Heading, BulletList, CodeBlock, Paragraph, TableBlock, cell_text
from scry.surfaces.text.printable import make_lines_printable
from scry.surfaces.text.width import display_width, wrap_text

_INDENT = "  "
_COLUMN_GAP = "  "
_MIN_COLUMN_WIDTH = 20


def render_lines(blocks: Iterable[Block], width: int | None = None) -> list[StyledLine]:
    """The page. width: cells of the screen to wrap a table's last column at; None for one line each."""
    shown: list[StyledLine] = []
    for block in blocks:
        if shown:
            shown.append(())
        shown += _block_lines(block, width)
    return shown


def _block_lines(block: Block, width: int | None) -> Iterator[StyledLine]:
    if isinstance(block, Heading):
        yield styled_line((block.text, "strong"))
    elif isinstance(block, Paragraph):
        yield block.line
    elif isinstance(block, BulletList):
        yield from ((TextSpan("- ", "plain"), *each) for each in block.lines)
    elif isinstance(block, TableBlock):
        yield from _table_lines(block, width)
    else:
        yield from _code_lines(block)


def _code_lines(listing: CodeBlock) -> Iterator[StyledLine]:
    for text in make_lines_printable(listing.text).split("\n"):
        yield styled_line(_INDENT, text)


def _table_lines(table: TableBlock, width: int | None) -> Iterator[StyledLine]:
    shown = table.visible_columns
    if not shown:
        return
    head = [styled_line((table.columns[at].removeprefix("#"), "quiet")) for at in shown]
    rows = [[row[at] for at in shown] for row in table.rows]
    right = [table.columns[at].startswith("#") for at in shown]
    widths = [max(display_width(cell_text(row[at])) for row in [head, *rows]) for at in range(len(shown))]
    for row in [head, *rows]:
        yield from _table_row_lines(row, widths, right, width)


def _table_row_lines(row: list[Cell], widths: list[int], right: list[bool], width: int | None) -> Iterator[StyledLine]:
    pieces: list[TextSpan] = [TextSpan(_INDENT, "plain")]
    for cell, room, to_the_right in zip(row[:-1], widths, right, strict=False):
        blank = TextSpan(" " * (room - display_width(cell_text(cell))), "plain")
        pieces += [blank, *cell] if to_the_right else [*cell, blank]
        pieces.append(TextSpan(_COLUMN_GAP, "plain"))
    before = display_width(cell_text(tuple(pieces)))
    last = cell_text(row[-1])
    if width is None or before + display_width(last) <= width:
        lead = " " * (widths[-1] - display_width(last)) if right[-1] else ""
        yield (*pieces, TextSpan(lead, "plain"), *row[-1])
        return
    first, *more = wrap_text(last, max(_MIN_COLUMN_WIDTH, width - before))
    part = row[-1][0].style if row[-1] else "plain"
    yield (*pieces, TextSpan(first, part))
    yield from ((TextSpan(" " * before, "plain"), TextSpan(text, part)) for text in more)
