"""Split data, markup and style files into symbols without a grammar: by key, table, rule, statement or element.

A block is named where its first line has a name, and never longer than a chunk of text; neighbours without a name form
one chunk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.parse.chunks import LineIndex, chunk_gaps, make_text_symbol

_MAX_BLOCK_LINES = 40
"""Lines of a block; a longer one is divided into nested blocks, else cut."""

_MIN_KEY_LINES = 4
"""Lines of a key that is a block of its own; a shorter one joins its neighbours."""

_YAML_KEY = re.compile(r"([ ]*)(?:- )?([\w./$*-]+|\"[^\"]+\"|'[^']+')[ ]*:(?:\s|$)")
_NAMED_ITEM = re.compile(r"[ ]*- (?:name|id)[ ]*:[ ]+[\"']?([^\"'#{}\s][^\"'#{}]{0,100})")
_MANIFEST_FIELD = re.compile(r"(apiVersion:|kind:|  name:)[ ]+(\S.*?)[ ]*$")
_JSON_KEY = re.compile(r"([ \t]*)(\"(?!\")[^\"\\]*(?:\\.[^\"\\]*)*\")[ \t]*:")
_TOML_TABLE = re.compile(r"[ \t]*\[\[?([^\[\]]+)\]\]?[ \t]*(?:[#;].*)?$")
_SQL_STATEMENT = re.compile(
    r"\s*(?:create(?:\s+or\s+(?:replace|alter))?"
    r"(?:\s+(?:unique|temp|temporary|materialized|recursive|global|local|unlogged|external|foreign|constraint|event))*"
    r"|alter|drop)\s+"
    r"(?:table|view|function|procedure|proc|index|trigger|type|schema|sequence|domain|policy|role|database|extension"
    r"|aggregate|operator|rule|server|publication|macro|package(?:\s+body)?)\s+"
    r"(?:concurrently\s+)?(?:if\s+(?:not\s+)?exists\s+)?([\w.\"`\[\]]+|(?<=operator\s)[^\w\s(]+)"
    r"|\s*insert\s+into\s+([\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_SQL_QUOTE = re.compile(r"\$(?:[A-Za-z_]\w*)?\$")
_SQL_QUOTES = re.compile(r"[\"`\[\]]")
_PAGE_LANGUAGES = (
    *("html", "eex", "ejs", "erb", "freemarker", "go-template", "handlebars", "jinja", "jsp", "liquid", "mako"),
    *("razor", "twig", "velocity"),
)
"""HTML, and the languages of templates that mostly hold it."""

_HTML_ELEMENT = re.compile(
    r"\s*<(h[1-6]|section|article|main|nav|header|footer|aside|form|table|template|script|style|body|dialog)\b([^>]*)>?(.*)",
    re.IGNORECASE,
)
_HTML_ID = re.compile(r"\bid\s*=\s*[\"']?([\w:.-]+)", re.IGNORECASE)
_HTML_TAG = re.compile(r"<[^<>]*>")


class _BlockStart(Struct, frozen=True):
    """The start of a block: its first row, its name or "", and the number of lines from which it is a block.

    comments: the rows of comments right above it, which are a part of it.
    """

    row: int
    name: str
    min_lines: int = 1
    comments: int = 0

    @property
    def first(self) -> int:
        """The first row, comments included."""
        return self.row - self.comments


_BlockFinder = Callable[[Sequence[str]], Iterator[_BlockStart]]


def split_blocks(lines: LineIndex, language: str) -> list[Symbol]:
    """Return the blocks of a text in one of the languages of `BLOCK_FINDERS`, and the chunks between them."""
    rows = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    named = list(_named_blocks(lines, rows, 0, len(rows), "", BLOCK_FINDERS[language]))
    taken = [(symbol_start, symbol_end, False) for symbol_start, symbol_end, _ in named]
    symbols = [(start, symbol) for start, _, symbol in named]
    for symbol in chunk_gaps(lines, taken):
        symbols.append((lines.starts[symbol.span.start.line] + symbol.span.start.utf8, symbol))
    return [symbol for _, symbol in sorted(symbols, key=lambda item: item[0])]


def _named_blocks(
    lines: LineIndex, rows: Sequence[str], first: int, last: int, container: str, find_blocks: _BlockFinder
) -> Iterator[tuple[int, int, Symbol]]:
    """Yield the named blocks of the rows from `first` up to `last`, with their first and last byte."""
    starts = list[_BlockStart]()
    for start in find_blocks(rows[first:last]):
        above = starts[-1].row if starts else first - 1
        comments = _count_comments(rows, first + start.row, above, find_blocks)
        starts.append(_BlockStart(first + start.row, start.name, start.min_lines, comments))
    ends = [*(start.first for start in starts[1:]), last]
    for start, end in zip(starts, ends, strict=False):  # without starts there is one end
        if start.name and end - start.row >= start.min_lines:
            inner = list(_nested_blocks(lines, rows, start, end, container, find_blocks))
            yield from inner or _cut_block(lines, rows, start, end, container)


def _count_comments(rows: Sequence[str], row: int, above: int, find_blocks: _BlockFinder) -> int:
    """Return the number of rows of comments right above a row and behind another one."""
    marks = _COMMENT_MARKS.get(find_blocks, ())
    first = row
    while marks and first - 1 > above:
        opening = first - 1
        if "/*" in marks and rows[opening].rstrip().endswith("*/"):
            while opening - 1 > above and not rows[opening].lstrip().startswith("/*"):
                opening -= 1
        if not rows[opening].lstrip().startswith(marks):
            break
        first = opening
    return row - first


def _nested_blocks(
    lines: LineIndex, rows: Sequence[str], start: _BlockStart, end: int, container: str, find_blocks: _BlockFinder
) -> Iterator[tuple[int, int, Symbol]]:
    """Yield the blocks into which a long block divides, one level down."""
    find_blocks = _find_yaml_keys if find_blocks is _find_yaml_blocks else find_blocks
    if end - start.row > _MAX_BLOCK_LINES and not container and start.row + 1 < end:
        yield from _named_blocks(lines, rows, start.row + 1, end, start.name, find_blocks)


def _cut_block(
    lines: LineIndex, rows: Sequence[str], start: _BlockStart, end: int, container: str
) -> Iterator[tuple[int, int, Symbol]]:
    for row in range(start.first, end, _MAX_BLOCK_LINES):
        first = lines.starts[row]
        stop = min(row + _MAX_BLOCK_LINES, end)
        after = lines.starts[stop] if stop < len(lines.starts) else len(lines.data)
        piece = lines.data[first:after]
        first, after = first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())
        if after > first:
            head = start.row if row == start.first else row
            yield first, after, _block_symbol(lines, start, container, first, after, rows[head].strip())


def split_range(lines: LineIndex, start: int, end: int, name: str) -> Iterator[tuple[int, int, Symbol]]:
    """Yield the bytes from `start` up to `end` as blocks of a name, each with its first and last byte."""
    if start >= end:
        return
    last = lines.line(end - 1)
    for row in range(lines.line(start), last + 1, _MAX_BLOCK_LINES):
        stop = min(row + _MAX_BLOCK_LINES, last + 1)
        first = max(start, lines.starts[row])
        after = min(end, lines.starts[stop] if stop < len(lines.starts) else len(lines.data))
        piece = lines.data[first:after]
        first, after = first + len(piece) - len(piece.lstrip()), first + len(piece.rstrip())
        if after > first:
            head = lines.text(first, min(after, first + 200)).partition("\n")[0].strip()
            yield first, after, _block_symbol(lines, _BlockStart(row, name), "", first, after, head)


def _block_symbol(lines: LineIndex, start: _BlockStart, container: str, first: int, after: int, head: str) -> Symbol:
    plain = make_text_symbol(lines, [(first, after)])
    name_span = plain.name_span
    if start.comments and lines.line(first) == start.first:
        text = lines.data[lines.starts[start.row] : after]
        place = after - len(text.lstrip())
        name_span = lines.span(place, place)
    return Symbol(start.name, "section", container, head[:200], "", plain.span, name_span, plain.own_text)


def _find_keys_by_indent(rows: Sequence[str], pattern: re.Pattern[str]) -> Iterator[_BlockStart]:
    """Yield the keys at the smallest indent that has keys."""
    keys = [(row, match) for row, text in enumerate(rows) if (match := pattern.match(text))]
    least = min((len(match[1]) for _, match in keys), default=0)
    for row, match in keys:
        if len(match[1]) == least:
            yield _BlockStart(row, match[2].strip("\"'"), _MIN_KEY_LINES)


def _find_yaml_blocks(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Yield the objects of Kubernetes as `Deployment web`, or the keys of a file that holds none."""
    return iter(list(_find_manifests(rows)) or _find_yaml_keys(rows))


def _find_yaml_keys(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Yield the keys; entries of a list that begin with their name, as tasks of Ansible do, bear it."""
    for start in _find_keys_by_indent(rows, _YAML_KEY):
        item = _NAMED_ITEM.match(rows[start.row])
        yield _BlockStart(start.row, item[1].strip(), start.min_lines) if item else start


def _find_manifests(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Yield the documents of a stream of YAML that bear an API version, by their kinds and names."""
    marks = [-1, *(row for row, text in enumerate(rows) if text.rstrip() == "---"), len(rows)]
    for above, below in pairwise(marks):
        fields = dict[str, str]()
        for text in rows[above + 1 : below]:
            match = _MANIFEST_FIELD.match(text)
            if match:
                fields.setdefault(match[1], match[2].strip("\"'"))
        if "apiVersion:" in fields and (kind := fields.get("kind:")):
            name = fields.get("  name:", "")
            yield _BlockStart(above + 1, kind if "{{" in name else f"{kind} {name}".strip()[:100])


def _find_json_blocks(rows: Sequence[str]) -> Iterator[_BlockStart]:
    return _find_keys_by_indent(rows, _JSON_KEY)


def _find_toml_tables(rows: Sequence[str]) -> Iterator[_BlockStart]:
    for row, text in enumerate(rows):
        match = _TOML_TABLE.match(text)
        if match:
            yield _BlockStart(row, match[1].strip())


def _find_css_rules(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Yield the rules outside of all braces; a selector may span several lines."""
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
    """Yield the statements outside of `$$`. One ends by a `;` at the end of a line, or before a definition that begins
    in the first column.

    Comments, and the commands of psql that begin with a backslash, are no statements.
    """
    is_open, quote, is_comment = False, "", False
    for row, text in enumerate(rows):
        bare = text.lstrip()
        if is_comment or (not quote and bare.startswith("/*")):
            is_comment = "*/" not in bare
            continue
        match = None if quote else _SQL_STATEMENT.match(text)
        if (not is_open and bare and not bare.startswith(("--", "\\"))) or (match and text[:6].lower() == "create"):
            yield _BlockStart(row, _SQL_QUOTES.sub("", match[1] or match[2]) if match else "")
            is_open = True
        for mark in _SQL_QUOTE.findall(text) if "$" in text else ():
            quote = mark if not quote else "" if mark == quote else quote
        if not quote and text.partition("--")[0].rstrip().endswith(";"):
            is_open = False


def _find_html_elements(rows: Sequence[str]) -> Iterator[_BlockStart]:
    """Yield headings by their text, and other elements that divide a page by their id or tag name."""
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
    **dict.fromkeys(_PAGE_LANGUAGES, _find_html_elements),
}
"""The function that finds the starts of blocks, for each language that is divided."""

_COMMENT_MARKS: dict[_BlockFinder, tuple[str, ...]] = {
    _find_yaml_blocks: ("#",),
    _find_yaml_keys: ("#",),
    _find_toml_tables: ("#", ";"),
    _find_sql_statements: ("--", "/*"),
}
"""The marks that begin the lines of comments, by the functions that find blocks."""
