"""Describe a page as blocks, and render blocks and tables as terminal lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from scry.surfaces.render.styled_text import (
    StyledLine,
    TextSpan,
    display_width,
    make_lines_printable,
    make_printable,
    styled_line,
    wrap_text,
)

Cell = StyledLine
"""Content of a table cell. In Markdown a span of the style `place` becomes code."""


class Heading(Struct, frozen=True):
    """Title of the blocks below it."""

    text: str


class Paragraph(Struct, frozen=True):
    """One line of text."""

    line: StyledLine


class BulletList(Struct, frozen=True):
    """An unordered list, one line an entry."""

    lines: Sequence[StyledLine]


class TableBlock(Struct, frozen=True):
    """Rows of as many cells as there are columns; a column whose cells are all empty is not shown.

    columns: their names; one that begins with `#` is aligned to the right and shown without that mark.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def visible_columns(self) -> list[int]:
        """Indices of the columns that have a cell with text."""
        return [at for at in range(len(self.columns)) if any(cell_text(row[at]) for row in self.rows)]


class CodeBlock(Struct, frozen=True):
    """Foreign text of several lines. language: of the code, as Markdown fences name it."""

    language: str
    text: str


Block = Heading | Paragraph | BulletList | TableBlock | CodeBlock


def cell_text(cell: Cell) -> str:
    """Return the text of a cell without styles."""
    return "".join(span.text for span in cell)


_INDENT = "  "
_COLUMN_GAP = "  "
_MIN_COLUMN_WIDTH = 20


def render_lines(blocks: Iterable[Block], width: int | None = None) -> list[StyledLine]:
    """Render a page. width: terminal cells at which all but code wraps; None for one line a row."""
    lines: list[StyledLine] = []
    for block in blocks:
        if lines:
            lines.append(())
        lines += _block_lines(block, width)
    return lines


def _block_lines(block: Block, width: int | None) -> Iterator[StyledLine]:
    if isinstance(block, Heading):
        yield styled_line((block.text, "strong"))
    elif isinstance(block, Paragraph):
        yield from wrap_line(block.line, width)
    elif isinstance(block, BulletList):
        for each in block.lines:
            first, *more = wrap_line(each, None if width is None else width - len(_INDENT))
            yield (TextSpan("- ", "plain"), *first)
            yield from ((TextSpan(_INDENT, "plain"), *rest) for rest in more)
    elif isinstance(block, TableBlock):
        yield from _table_lines(block, width)
    else:
        yield from _code_lines(block)


def _code_lines(listing: CodeBlock) -> Iterator[StyledLine]:
    for text in make_lines_printable(listing.text).split("\n"):
        yield (TextSpan(_INDENT, "plain"), TextSpan(text, "plain"))  # `styled_line` would flatten the tabs


def _table_lines(table: TableBlock, width: int | None) -> Iterator[StyledLine]:
    shown = table.visible_columns
    if not shown:
        return
    head = [styled_line((table.columns[at].removeprefix("#"), "quiet")) for at in shown]
    rows = [[row[at] for at in shown] for row in table.rows]
    right = [table.columns[at].startswith("#") for at in shown]
    widths = [max(display_width(cell_text(row[at])) for row in [head, *rows]) for at in range(len(shown))]
    if width is not None and sum(widths[:-1]) + len(_COLUMN_GAP) * len(widths) + _MIN_COLUMN_WIDTH > width:
        yield from _stacked_lines(head, rows, width)
        return
    for row in [head, *rows]:
        yield from _table_row_lines(row, widths, right, width)


def _stacked_lines(head: Sequence[Cell], rows: Sequence[Sequence[Cell]], width: int) -> Iterator[StyledLine]:
    """Yield the rows of a table that is wider than the terminal: the first cell, and below it each other by name."""
    for row in rows:
        yield from wrap_line((TextSpan(_INDENT, "plain"), *row[0]), width)
        for name, cell in zip(head[1:], row[1:], strict=True):
            if cell_text(cell):
                for line in wrap_line((*name, TextSpan(" ", "plain"), *cell), width - 2 * len(_INDENT)):
                    yield (TextSpan(2 * _INDENT, "plain"), *line)


def wrap_line(line: StyledLine, width: int | None) -> list[StyledLine]:
    """Wrap a line of styled text into lines of at most `width` cells; None for no wrapping."""
    text = cell_text(line)
    if width is None or display_width(text) <= width:
        return [line]
    lines: list[StyledLine] = []
    end = 0
    for part in wrap_text(text, max(1, width)):
        start = text.index(part, end)  # only blanks are left out between two parts
        end, at, spans = start + len(part), 0, list[TextSpan]()
        for span in line:
            piece = span.text[max(0, start - at) : max(0, end - at)]
            at += len(span.text)
            if piece:
                spans.append(TextSpan(piece, span.style))
        lines.append(tuple(spans))
    return lines


def _table_row_lines(row: list[Cell], widths: list[int], right: list[bool], width: int | None) -> Iterator[StyledLine]:
    spans: list[TextSpan] = [TextSpan(_INDENT, "plain")]
    for cell, room, to_the_right in zip(row[:-1], widths, right, strict=False):
        padding = TextSpan(" " * (room - display_width(cell_text(cell))), "plain")
        spans += [padding, *cell] if to_the_right else [*cell, padding]
        spans.append(TextSpan(_COLUMN_GAP, "plain"))
    before = display_width(cell_text(tuple(spans)))
    last = cell_text(row[-1])
    if width is None or before + display_width(last) <= width:
        lead = " " * (widths[-1] - display_width(last)) if right[-1] else ""
        yield (*spans, TextSpan(lead, "plain"), *row[-1])
        return
    first, *more = wrap_text(last, max(_MIN_COLUMN_WIDTH, width - before))
    style = row[-1][0].style if row[-1] else "plain"
    yield (*spans, TextSpan(first, style))
    yield from ((TextSpan(" " * before, "plain"), TextSpan(text, style)) for text in more)


_MAX_COLUMN_WIDTH = 60
"""Terminal cells; a longer value shifts the rest of its own row only."""

CellValue = str | int | float | bytes | None


def render_table(columns: Sequence[str], rows: Sequence[Sequence[CellValue]]) -> list[StyledLine]:
    """Render a line of column names, then one line a row, with numbers aligned to the right."""
    texts = [[_format_cell(value) for value in row] for row in rows]
    widths = [
        min(_MAX_COLUMN_WIDTH, max([display_width(name), *(display_width(row[at]) for row in texts)]))
        for at, name in enumerate(columns)
    ]
    head = styled_line(
        ("  ".join(_pad_cell_value(name, width, "") for name, width in zip(columns, widths, strict=True)), "strong")
    )
    body = [
        styled_line(
            "  ".join(_pad_cell_value(text, width, value) for text, width, value in zip(each, widths, row, strict=True))
        )
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
