"""Text outside definitions, in stretches that can be found: what lies between definitions, and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from scry.core.types import Symbol
from scry.index.text_lines import TextLines

_LONGEST = 60
_USUAL = 40
_SHORTEST = 20
"""Lines of a stretch: one of more than _LONGEST is cut at the blank line nearest to _USUAL, not before _SHORTEST."""

_KEYWORDS = rb"export|default|declare|global|const|let|var|type|pub|static|extern|module|exports|else|end|then|do|try"
_FRAME = re.compile(rb"[\s(){}\[\];,=.]*(?:(?:" + _KEYWORDS + rb")\b[\s(){}\[\];,=.:]*)*(?:\w+\s*[({\[:])?[\s;,]*$")
"""A line of brackets and keywords, with at most one word that opens something, says nothing by itself: `const (`."""

_WORD = re.compile(r"[^\W_]")
"""What a stretch must have to be found: a ruler, `# ------` or `// ────`, says nothing."""

Range = tuple[int, int]


def paragraphs(lines: TextLines) -> list[Symbol]:
    """A whole text as stretches; of one without any word the first, so that the file can be found by its name."""
    pieces = list(_cut(lines, 0, len(lines.data), keep_frames=True))
    return [text_symbol(lines, [piece]) for piece in [piece for piece in pieces if _speaks(lines, piece)] or pieces[:1]]


def between(lines: TextLines, taken: Sequence[tuple[int, int, bool]]) -> list[Symbol]:
    """The stretches outside of what is `taken`: (start, end, small) by start, not overlapping.

    Two stretches with only small definitions (constants, variables) between them are one, if that stays short.
    """
    groups: list[list[Range]] = []
    place, mergeable = 0, False
    for start, end, small in (*taken, (len(lines.data), len(lines.data), False)):
        for index, piece in enumerate(_cut(lines, place, start)):
            if mergeable and not index and _is_short(lines, groups[-1][0][0], piece[1]):
                groups[-1].append(piece)
            else:
                groups.append([piece])
            mergeable = True
        mergeable = mergeable and small
        place = max(place, end)
    return [text_symbol(lines, group) for group in groups]


def text_symbol(lines: TextLines, pieces: Sequence[Range]) -> Symbol:
    """A symbol of kind `text` from the first piece to the end of the last."""
    span = lines.span(pieces[0][0], pieces[-1][1])
    name_span = lines.span(pieces[0][0], pieces[0][0])
    own_text = "\n".join(lines.text(*piece) for piece in pieces)
    return Symbol("", "text", "", "", "", span, name_span, own_text)


def _is_short(lines: TextLines, start: int, end: int) -> bool:
    return lines.line(end) - lines.line(start) < _USUAL


def _cut(lines: TextLines, start: int, end: int, *, keep_frames: bool = False) -> Iterator[Range]:
    """The parts of a range that say something, each at most _LONGEST lines."""
    rows = _rows(lines, start, end)
    first = 0
    while first < len(rows):
        part = rows[first : _part_end(lines, rows, first)]
        first += len(part)
        telling = [row for row in part if lines.data[slice(*row)].strip()]
        if not keep_frames:
            telling = _without_frames(lines, telling)
        if telling and (keep_frames or _speaks(lines, (telling[0][0], telling[-1][1]))):
            yield _trimmed(lines.data, telling[0][0], telling[-1][1])


def _speaks(lines: TextLines, piece: Range) -> bool:
    return _WORD.search(lines.text(*piece)) is not None


def _rows(lines: TextLines, start: int, end: int) -> list[Range]:
    """The range, line by line."""
    if start >= end:
        return []
    first, last = lines.line(start), lines.line(end - 1)
    edges = [start, *lines.starts[first + 1 : last + 1], end]
    return list(pairwise(edges))


def _part_end(lines: TextLines, rows: Sequence[Range], first: int) -> int:
    """The row after the part that begins with row `first`."""
    if len(rows) - first <= _LONGEST:
        return len(rows)
    usual = first + _USUAL
    near = range(first + _SHORTEST, first + _LONGEST)
    blank = [row for row in near if not lines.data[slice(*rows[row])].strip()]
    return min(blank, key=lambda row: abs(row - usual), default=usual)


def _without_frames(lines: TextLines, rows: list[Range]) -> list[Range]:
    """The rows without lines at either end that only open or close something."""
    first, last = 0, len(rows)
    while first < last and _FRAME.match(lines.data[slice(*rows[first])]):
        first += 1
    while first < last and _FRAME.match(lines.data[slice(*rows[last - 1])]):
        last -= 1
    return rows[first:last]


def _trimmed(data: bytes, start: int, end: int) -> Range:
    """The range without white space around it."""
    piece = data[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
