"""Map byte offsets to editor positions, and cut the text outside definitions into chunks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from scry.core.types import Point, Span, Symbol

_SURROGATE = re.compile("[\ud800-\udfff]")


class LineIndex:
    """A text as UTF-8 with its line starts. Lines end at LF, CR LF and CR (LSP 3.17, "Text Documents").

    A lone surrogate, which UTF-8 can't hold, becomes U+FFFD: as wide in UTF-16, so that columns stay right.
    """

    __slots__ = ("_ascii", "data", "starts")

    def __init__(self, text: str) -> None:
        try:
            self.data = text.encode()
        except UnicodeEncodeError:
            self.data = _SURROGATE.sub("\ufffd", text).encode()
        self._ascii = len(self.data) == len(text)
        self.starts = [0, *accumulate(map(len, self.data.splitlines(keepends=True)))]
        if len(self.starts) > 1 and not self.data.endswith((b"\n", b"\r")):
            self.starts.pop()

    def line(self, byte: int) -> int:
        """Return the 0-based line that holds a byte offset."""
        return bisect_right(self.starts, byte) - 1

    def point(self, byte: int) -> Point:
        """Return the line and columns of a byte offset, which must not lie inside a character."""
        line = bisect_right(self.starts, byte) - 1
        start = self.starts[line]
        column = byte - start
        if self._ascii:
            return Point(line, column, column)
        before = self.data[start:byte]
        return Point(line, column, column if before.isascii() else utf16_length(before))

    def span(self, start: int, end: int) -> Span:
        """Return the span of the bytes from `start` up to `end`."""
        return Span(self.point(start), self.point(end))

    def text(self, start: int, end: int) -> str:
        """Return the text of the bytes from `start` up to `end`."""
        return self.data[start:end].decode("utf-8", "replace")


def utf16_length(utf8: bytes) -> int:
    """Return the number of UTF-16 code units of a piece of UTF-8."""
    return len(utf8.decode("utf-8", "replace").encode("utf-16-le")) // 2


_MAX_CHUNK_LINES = 60
_TARGET_CHUNK_LINES = 40
_MIN_CHUNK_LINES = 20
"""Lines of a chunk: one of more than _MAX_CHUNK_LINES is cut at the blank line nearest to _TARGET_CHUNK_LINES, not
before _MIN_CHUNK_LINES.
"""

_KEYWORDS = rb"export|default|declare|global|const|let|var|type|pub|static|extern|module|exports|else|end|then|do|try"
_DELIMITER_LINE = re.compile(
    rb"[\s(){}\[\];,=.]*(?:(?:" + _KEYWORDS + rb")\b[\s(){}\[\];,=.:]*)*(?:\w+\s*[({\[:][\s;,]*)?$"
)
"""A line of brackets and keywords, with at most one word that opens something, says nothing by itself: `const (`."""

_WORD = re.compile(r"[^\W_]")
"""A letter or digit. A chunk without any, such as a ruler `# ------` or `// ────`, is dropped."""

ByteRange = tuple[int, int]


def chunk_text(lines: LineIndex) -> list[Symbol]:
    """Return a whole text as chunks; for one without any word the first chunk, so that the file can be found by its
    name.
    """
    pieces = list(_split_range(lines, 0, len(lines.data), keep_frames=True))
    return [
        make_text_symbol(lines, [piece])
        for piece in [piece for piece in pieces if _has_words(lines, piece)] or pieces[:1]
    ]


def chunk_gaps(lines: LineIndex, taken: Sequence[tuple[int, int, bool]]) -> list[Symbol]:
    """Return the chunks outside of the ranges `taken`: (start, end, small) by start, not overlapping.

    Two chunks with only small definitions (constants, variables) between them are one, if that stays short.
    """
    groups: list[list[ByteRange]] = []
    position, mergeable = 0, False
    for start, end, small in (*taken, (len(lines.data), len(lines.data), False)):
        for index, piece in enumerate(_split_range(lines, position, start)):
            if mergeable and not index and _fits_one_chunk(lines, groups[-1][0][0], piece[1]):
                groups[-1].append(piece)
            else:
                groups.append([piece])
            mergeable = True
        mergeable = mergeable and small
        position = max(position, end)
    return [make_text_symbol(lines, group) for group in groups]


def split_into_chunks(lines: LineIndex, start: int, end: int) -> list[ByteRange]:
    """Return the parts of a range that hold a word, each no longer than a chunk."""
    return [piece for piece in _split_range(lines, start, end, keep_frames=True) if _has_words(lines, piece)]


def make_text_symbol(lines: LineIndex, pieces: Sequence[ByteRange]) -> Symbol:
    """Return a symbol of kind `text` from the first range to the end of the last."""
    span = lines.span(pieces[0][0], pieces[-1][1])
    name_span = lines.span(pieces[0][0], pieces[0][0])
    own_text = "\n".join(lines.text(*piece) for piece in pieces)
    return Symbol("", "text", "", "", "", span, name_span, own_text)


def _fits_one_chunk(lines: LineIndex, start: int, end: int) -> bool:
    return lines.line(end) - lines.line(start) < _TARGET_CHUNK_LINES


def _split_range(lines: LineIndex, start: int, end: int, *, keep_frames: bool = False) -> Iterator[ByteRange]:
    """Yield the parts of a range that contain words, each of at most _MAX_CHUNK_LINES lines."""
    rows = _line_ranges(lines, start, end)
    first = 0
    while first < len(rows):
        part = rows[first : _chunk_end(lines, rows, first)]
        first += len(part)
        content_rows = [row for row in part if lines.data[slice(*row)].strip()]
        if not keep_frames:
            content_rows = _trim_delimiter_lines(lines, content_rows)
        if content_rows and (keep_frames or _has_words(lines, (content_rows[0][0], content_rows[-1][1]))):
            yield _trim_whitespace(lines.data, content_rows[0][0], content_rows[-1][1])


def _has_words(lines: LineIndex, piece: ByteRange) -> bool:
    return _WORD.search(lines.text(*piece)) is not None


def _line_ranges(lines: LineIndex, start: int, end: int) -> list[ByteRange]:
    """Return the range divided into lines."""
    if start >= end:
        return []
    first, last = lines.line(start), lines.line(end - 1)
    edges = [start, *lines.starts[first + 1 : last + 1], end]
    return list(pairwise(edges))


def _chunk_end(lines: LineIndex, rows: Sequence[ByteRange], first: int) -> int:
    """Return the row after the chunk that begins with row `first`."""
    if len(rows) - first <= _MAX_CHUNK_LINES:
        return len(rows)
    usual = first + _TARGET_CHUNK_LINES
    near = range(first + _MIN_CHUNK_LINES, first + _MAX_CHUNK_LINES)
    blank = [row for row in near if not lines.data[slice(*rows[row])].strip()]
    return min(blank, key=lambda row: abs(row - usual), default=usual)


def _trim_delimiter_lines(lines: LineIndex, rows: list[ByteRange]) -> list[ByteRange]:
    """Return the rows without lines at either end that only open or close something."""
    first, last = 0, len(rows)
    while first < last and _DELIMITER_LINE.match(lines.data[slice(*rows[first])]):
        first += 1
    while first < last and _DELIMITER_LINE.match(lines.data[slice(*rows[last - 1])]):
        last -= 1
    return rows[first:last]


def _trim_whitespace(data: bytes, start: int, end: int) -> ByteRange:
    """Return the range without white space around it."""
    piece = data[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
