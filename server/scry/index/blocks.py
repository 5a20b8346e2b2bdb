"""Data, markup and style files in blocks that can be found: by key, table, rule, statement or element. No grammars.

A block is named where its first line tells a name, and never longer than a stretch of text; neighbours without a name
are one stretch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.stretches import between, text_symbol
from scry.index.text_lines import TextLines

_LONGEST = 40
"""Lines of a block; a longer one is divided by what is nested in it, else cut."""

_LEAST = 4
"""A key of fewer lines is no block of its own: it stands with its neighbours."""

_YAML_KEY = re.compile(r"([ ]*)(?:- )?([\w./$*-]+|\"[^\"]+\"|'[^']+')[ ]*:(?:\s|$)")
_JSON_KEY = re.compile(r"([ \t]*)(\"(?:[^\"\\]|\\.)+\")[ \t]*:")
_TABLE = re.compile(r"[ \t]*\[\[?([^\[\]]+)\]\]?[ \t]*(?:[#;].*)?$")
_STATEMENT = re.compile(
    r"\s*(?:create(?:\s+or\s+replace)?(?:\s+(?:unique|temp|temporary|materialized|recursive|global|local))*|alter|drop)\s+"
    r"(?:table|view|function|procedure|index|trigger|type|schema|sequence|domain|policy|role|database|extension)\s+"
    r"(?:concurrently\s+)?(?:if\s+(?:not\s+)?exists\s+)?([\w.\"`\[\]]+)|\s*insert\s+into\s+([\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"[\"`\[\]]")
_ELEMENT = re.compile(
    r"\s*<(h[1-6]|section|article|main|nav|header|footer|aside|form|table|template|script|style|body|dialog)\b([^>]*)>?(.*)",
    re.IGNORECASE,
)
_ID = re.compile(r"\bid\s*=\s*[\"']?([\w:.-]+)", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


class _Start(Struct, frozen=True):
    """Where a block begins: its first row, its name or "", and the least number of lines to be one."""

    row: int
    name: str
    least: int = 1


_Divide = Callable[[Sequence[str]], Iterator[_Start]]


def blocks(lines: TextLines, language: str) -> list[Symbol]:
    """The blocks of a text in one of `DIVIDED`, and the stretches between them."""
    rows = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    named = list(_named(lines, rows, 0, len(rows), "", DIVIDED[language]))
    taken = [(symbol_start, symbol_end, False) for symbol_start, symbol_end, _ in named]
    found = [(start, symbol) for start, _, symbol in named]
    for symbol in between(lines, taken):
        found.append((lines.starts[symbol.span.start.line] + symbol.span.start.utf8, symbol))
    return [symbol for _, symbol in sorted(found, key=lambda item: item[0])]


def _named(
    lines: TextLines, rows: Sequence[str], first: int, last: int, container: str, divide: _Divide
) -> Iterator[tuple[int, int, Symbol]]:
    """The named blocks of the rows from `first` up to `last`, with their first and last byte."""
    starts = [_Start(first + start.row, start.name, start.least) for start in divide(rows[first:last])]
    ends = [*(start.row for start in starts[1:]), last]
    for start, end in zip(starts, ends, strict=False):  # without starts there is one end
        if start.name and end - start.row >= start.least:
            inner = list(_inner(lines, rows, start, end, container, divide))
            yield from inner or _pieces(lines, rows, start, end, container)


def _inner(
    lines: TextLines, rows: Sequence[str], start: _Start, end: int, container: str, divide: _Divide
) -> Iterator[tuple[int, int, Symbol]]:
    """What a long block divides into, one level down."""
    if end - start.row > _LONGEST and not container and start.row + 1 < end:
        yield from _named(lines, rows, start.row + 1, end, start.name, divide)


def _pieces(
    lines: TextLines, rows: Sequence[str], start: _Start, end: int, container: str
) -> Iterator[tuple[int, int, Symbol]]:
    for row in range(start.row, end, _LONGEST):
        first = lines.starts[row]
        stop = min(row + _LONGEST, end)
        after = lines.starts[stop] if stop < len(lines.starts) else len(lines.data)
        piece = lines.data[first:after]
        first, after = first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())
        if after > first:
            yield first, after, _symbol(lines, start, container, first, after, rows[row].strip())


def _symbol(lines: TextLines, start: _Start, container: str, first: int, after: int, head: str) -> Symbol:
    plain = text_symbol(lines, [(first, after)])
    return Symbol(start.name, "section", container, head[:200], "", plain.span, plain.name_span, plain.own_text)


def _by_indent(rows: Sequence[str], pattern: re.Pattern[str]) -> Iterator[_Start]:
    """Keys at the least indent at which there are keys."""
    keys = [(row, match) for row, text in enumerate(rows) if (match := pattern.match(text))]
    least = min((len(match[1]) for _, match in keys), default=0)
    for row, match in keys:
        if len(match[1]) == least:
            yield _Start(row, match[2].strip("\"'"), _LEAST)


def _yaml(rows: Sequence[str]) -> Iterator[_Start]:
    return _by_indent(rows, _YAML_KEY)


def _json(rows: Sequence[str]) -> Iterator[_Start]:
    return _by_indent(rows, _JSON_KEY)


def _tables(rows: Sequence[str]) -> Iterator[_Start]:
    for row, text in enumerate(rows):
        match = _TABLE.match(text)
        if match:
            yield _Start(row, match[1].strip())


def _rules(rows: Sequence[str]) -> Iterator[_Start]:
    """Rules outside of all braces; a selector may go over several lines."""
    depth, begun = 0, -1
    for row, text in enumerate(rows):
        if depth == 0 and begun < 0 and text.strip() and not text.lstrip().startswith(("/", "*", "}")):
            begun = row
        if depth == 0 and begun >= 0 and "{" in text:
            selector = " ".join(" ".join(rows[begun : row + 1]).partition("{")[0].split())
            yield _Start(begun, selector[:100])
        depth = max(0, depth + text.count("{") - text.count("}"))
        if begun >= 0 and depth == 0 and ("}" in text or text.rstrip().endswith(";")):
            begun = -1


def _statements(rows: Sequence[str]) -> Iterator[_Start]:
    """Statements by the `;` at the end of a line, outside of `$$`."""
    open_, quoted = False, False
    for row, text in enumerate(rows):
        if not open_ and text.strip() and not text.lstrip().startswith("--"):
            match = _STATEMENT.match(text)
            yield _Start(row, _QUOTES.sub("", match[1] or match[2]) if match else "")
            open_ = True
        quoted ^= text.count("$$") % 2 == 1
        if not quoted and text.partition("--")[0].rstrip().endswith(";"):
            open_ = False


def _elements(rows: Sequence[str]) -> Iterator[_Start]:
    """Headings by their text, other elements that divide a page by their id or their own name."""
    for row, text in enumerate(rows):
        match = _ELEMENT.match(text)
        if match:
            identity = _ID.search(match[2])
            title = " ".join(_TAG.sub(" ", match[3]).split()) if match[1][1:].isdigit() else ""
            yield _Start(row, (title or (identity[1] if identity else match[1].lower()))[:100], 1 if title else 2)


DIVIDED: dict[str, _Divide] = {
    "yaml": _yaml,
    "json": _json,
    "toml": _tables,
    "ini": _tables,
    "css": _rules,
    "sql": _statements,
    "html": _elements,
}
"""The languages that are divided, each with what finds where blocks begin."""
