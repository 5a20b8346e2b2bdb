"""A page as Markdown, for floats, panels and hovers. Foreign text can't become markup, nor end the block it is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.surfaces.text.line import Line, Piece
from scry.surfaces.text.page import Block, Heading, Items, Listing, Paragraph, Table
from scry.surfaces.text.printable import printable_lines

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~!&]|^[-+](?= )|^\d+(?=[.)] )|://)")
_TICKS = re.compile("`+")


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
    shown = table.shown
    head = [table.columns[at].removeprefix("#") for at in shown]
    rule = ["---:" if table.columns[at].startswith("#") else "---" for at in shown]
    rows = [[_line(row[at]) for at in shown] for row in table.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


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
