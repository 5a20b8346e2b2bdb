"""Data, markup and style files in blocks that can be found: by key, table, rule, statement or element. No grammars.

A block is named where its first line tells a name, and never longer than a stretch of text; neighbours without a name
are one stretch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.stretches import chunk_gaps, make_text_symbol
from scry.index.text_lines import LineIndex

_MAX_BLOCK_LINES = 40
"""Lines of a block; a longer one is divided by what is nested in it, else cut."""

_MIN_KEY_LINES = 4
"""A key of fewer lines is no block of its own: it stands with its neighbours."""

_YAML_KEY = re.compile(r"([ ]*)(?:- )?([\w./$*-]+|\"[^\"]+\"|'[^']+')[ ]*:(?:\s|$)")
_JSON_KEY = re.compile(r"([ \t]*)(\"(?:[^\"\\]|\\.)+\")[ \t]*:")
_TOML_TABLE = re.compile(r"[ \t]*\[\[?([^\[\]]+)\]\]?[ \t]*(?:[#;].*)?$")
_SQL_STATEMENT = re.compile(
    r"\s*(?:create(?:\s+or\s+replace)?(?:\s+(?:unique|temp|temporary|materialized|recursive|global|local))*|alter|drop)\s+"
    r"(?:table|view|function|procedure|index|trigger|type|schema|sequence|domain|policy|role|database|extension)\s+"
    r"(?:concurrently\s+)?(?:if\s+(?:not\s+)?exists\s+)?([\w.\"`\[\]]+)|\s*insert\s+into\s+([\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_SQL_QUOTES = re.compile(r"[\"`\[\]]")
_HTML_ELEMENT = re.compile(
    r"\s*<(h[1-6]|section|article|main|nav|header|footer|aside|form|table|template|script|style|body|dialog)\b([^>]*)>?(.*)",
    re.IGNORECASE,
)
_HTML_ID = re.compile(r"\bid\s*=\s*[\"']?([\w:.-]+)", re.IGNORECASE)
_HTML_TAG = re.compile(r"<[^>]*>")


class _BlockStart(Struct, frozen=True):
    """Where a block begins: its first row, its name or "", and the least number of lines to be one."""

    row: int
    name: str
    min_lines: int = 1


_BlockFinder = Callable[[Sequence[str]], Iterator[_BlockStart]]


def split_blocks(lines: LineIndex, language: str) -> list[Symbol]:
    """The blocks of a text in one of `DIVIDED`, and the stretches between them."""
    rows = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    named = list(_named_blocks(lines, rows, 0, len(rows), "", BLOCK_FINDERS[language]))
    taken = [(symbol_start, symbol_end, False) for symbol_start, symbol_end, _ in named]
    found = [(start, symbol) for start, _, symbol in named]
    for symbol in chunk_gaps(lines, taken):
        found.append((lines.starts[symbol.span.start.line] + symbol.span.start.utf8, symbol))
    return [symbol for _, symbol in sorted(found, key=lambda item: item[0])]


def _named_blocks(
    lines: LineIndex, rows: Sequence[str], first: int, last: int, container: str, divide: _BlockFinder
) -> Iterator[tuple[int, int, Symbol]]:
    """The named blocks of the rows from `first` up to `last`, with their first and last byte."""
    starts = [_BlockStart(first + start.row, start.name, start.min_lines) for start in divide(rows[first:last])]
    ends = [*(start.row for start in starts[1:]), last]
    for start, end in zip(starts, ends, strict=False):  # without starts there is one end
        if start.name and end - start.row >= start.min_lines:
            inner = list(_nested_blocks(lines, rows, start, end, container, divide))
            yield from inner or _cut_block(lines, rows, start, end, container)


def _nested_blocks(
    lines: LineIndex, rows: Sequence[str], start: _BlockStart, end: int, container: str, divide: _BlockFinder
) -> Iterator[tuple[int, int, Symbol]]:
    """What a long block divides into, one level down."""
    if end - start.row > _MAX_BLOCK_LINES and not container and start.row + 1 < end:
        yield from _named_blocks(lines, rows, start.row + 1, end, start.name, divide)


def _cut_block(
    lines: LineIndex, rows: Sequence[str], start: _BlockStart, end: int, container: str
) -> Iterator[tuple[int, int, Symbol]]:
    for row in range(start.row, end, _MAX_BLOCK_LINES):
        first = lines.starts[row]
        stop = min(row + _MAX_BLOCK_LINES, end)
        after = lines.starts[stop] if stop < len(lines.starts) else len(lines.data)
        piece = lines.data[first:after]
        first, after = first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())
        if after > first:
            yield first, after, _block_symbol(lines, start, container, first, after, rows[row].strip())


def _block_symbol(lines: LineIndex, start: _BlockStart, container: str, first: int, after: int, head: str) -> Symbol:
    plain = make_text_symbol(lines, [(first, after)])
    return Symbol(start.name, "section", container, head[:200], "", plain.span, plain.name_span, plain.own_text)


def _find_keys_by_indent(rows: Sequence[str], pattern: re.Pattern[str]) -> Iterator[_BlockStart]:
    """Keys at the least indent at which there are keys."""
    keys = [(row, match) for row, text in enumerate(rows) if (match := pattern.match(text))]
    least = min((len(match[1]) for _, match in keys), default=0)
    for row, match in keys:
        if len(match[1]) == least:
            yield _BlockStart(row, match[2].strip("\"'"), _MIN_KEY_LINES)


def _find_yaml_blocks(rows: Sequence[str]) -> Iterator[_BlockStart]:
    return _find_keys_by_indent(rows, _YAML_KEY)


def _find_json_blocks(rows: Sequence[str]) -> Iterator[_BlockStart]:
    return _find_keys_by_indent(rows, _JSON_KEY)


def _find_toml_tables(rows: Sequence[str]) -> Iterator[_BlockStart]:
    for row, text in enumerate(rows):
        match = _TOML_TABLE.match(text)
        if match:
            yield _BlockStart(row, match[1].strip())


def _find_css_rules(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Rules outside of all braces; a selector may go over several lines."""
    depth, begun = 0, -1
    for row, text in enumerate(rows):
        if depth == 0 and begun < 0 and text.strip() and not text.lstrip().startswith(("/", "*", "}")):
            begun = row
        if depth == 0 and begun >= 0 and "{" in text:
            selector = " ".join(" ".join(rows[begun : row + 1]).partition("{")[0].split())
            yield _BlockStart(begun, selector[:100])
        depth = max(0, depth + text.count("{") - text.count("}"))
        if begun >= 0 and depth == 0 and ("}" in text or text.rstrip().endswith(";")):
            begun = -1


def _find_sql_statements(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Statements by the `;` at the end of a line, outside of `$$`."""
    open_, quoted = False, False
    for row, text in enumerate(rows):
        if not open_ and text.strip() and not text.lstrip().startswith("--"):
            match = _SQL_STATEMENT.match(text)
            yield _BlockStart(row, _SQL_QUOTES.sub("", match[1] or match[2]) if match else "")
            open_ = True
        quoted ^= text.count("$$") % 2 == 1
        if not quoted and text.partition("--")[0].rstrip().endswith(";"):
            open_ = False


def _find_html_elements(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Headings by their text, other elements that divide a page by their id or their own name."""
    for row, text in enumerate(rows):
        match = _HTML_ELEMENT.match(text)
        if match:
            identity = _HTML_ID.search(match[2])
            title = " ".join(_HTML_TAG.sub(" ", match[3]).split()) if match[1][1:].isdigit() else ""
            yield _BlockStart(row, (title or (identity[1] if identity else match[1].lower()))[:100], 1 if title else 2)


BLOCK_FINDERS: dict[str, _BlockFinder] = {
    "yaml": _find_yaml_blocks,
    "json": _find_json_blocks,
    "toml": _find_toml_tables,
    "ini": _find_toml_tables,
    "css": _find_css_rules,
    "sql": _find_sql_statements,
    "html": _find_html_elements,
}
"""The languages that are divided, each with what finds where blocks begin."""
