"""Render page blocks as Markdown in which foreign text cannot become markup or end the block that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.surfaces.render.page import Block, BulletList, CodeBlock, Heading, Paragraph, TableBlock
from scry.surfaces.render.styled_text import StyledLine, TextSpan, display_width, make_lines_printable

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~!&]|^[-+=](?=[ =+-]|$)|^\d+(?=[.)] )|://|(?<=[Ww]{3})\.|(?<=\w)@(?=\w))")
_BACKTICKS = re.compile("`+")
_MIN_COLUMN_WIDTH = 3
"""Characters of a column: some Markdown parsers need three dashes to see a table."""


def render_markdown(blocks: Iterable[Block]) -> str:
    """Render a page; the text ends with a newline."""
    return "\n\n".join(_block_markdown(block) for block in blocks) + "\n"


def _block_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"### {_escape(block.text)}"
    if isinstance(block, Paragraph):
        return _line_markdown(block.line)
    if isinstance(block, BulletList):
        return "\n".join(f"- {_line_markdown(line)}" for line in block.lines)
    return _table_markdown(block) if isinstance(block, TableBlock) else _code_block_markdown(block)


def _table_markdown(table: TableBlock) -> str:
    """Render a table with aligned columns, readable also in an editor's window that does not draw tables."""
    shown = table.visible_columns
    right = [table.columns[at].startswith("#") for at in shown]
    head = [table.columns[at].removeprefix("#") for at in shown]
    rows = [head, *([_line_markdown(row[at]) for at in shown] for row in table.rows)]
    widths = [max(_MIN_COLUMN_WIDTH, *(display_width(row[at]) for row in rows)) for at in range(len(shown))]
    rule = ["-" * (width - 1) + (":" if aligned else "-") for width, aligned in zip(widths, right, strict=True)]
    filled = [[_pad_cell(*cell) for cell in zip(row, widths, right, strict=True)] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (filled[0], rule, *filled[1:]))


def _pad_cell(cell: str, width: int, to_the_right: bool) -> str:
    padding = " " * (width - display_width(cell))
    return padding + cell if to_the_right else cell + padding


def _code_block_markdown(listing: CodeBlock) -> str:
    text = make_lines_printable(listing.text)
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in _BACKTICKS.findall(text)), default=0))
    return f"{fence}{listing.language}\n{text}\n{fence}"


def _line_markdown(line: StyledLine) -> str:
    return "".join(_span_markdown(span) for span in line)


def _span_markdown(span: TextSpan) -> str:
    if not span.text.strip():
        return span.text
    if span.style == "place":
        return _inline_code(span.text)
    escaped = _escape(span.text)
    return f"**{escaped.strip()}**" if span.style == "strong" else escaped


def _inline_code(text: str) -> str:
    text = text.replace("|", "\\|")
    ticks = "`" * (1 + max((len(ticks) for ticks in _BACKTICKS.findall(text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _escape(text: str) -> str:
    return _MARKUP.sub(lambda match: "\\" + match.group() if match.group() != "://" else ":\\//", text)
