"""A line of text as pieces, each with the part that it plays: a surface that shows colours has one for each part."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from scry.surfaces.text.printable import make_printable

TextStyle = Literal["plain", "strong", "place", "tag", "evidence", "quiet", "good", "warning", "bad"]
"""strong: what the eye should find. place: where a result is. evidence: what found it. quiet: can be skipped."""


class TextSpan(NamedTuple):
    """A stretch of a line."""

    text: str
    style: TextStyle


StyledLine = tuple[TextSpan, ...]


def styled_line(*pieces: str | tuple[str, TextStyle]) -> StyledLine:
    """A line of pieces, all made printable; a bare string is plain."""
    return tuple(_make_span(piece, "plain") if isinstance(piece, str) else _make_span(*piece) for piece in pieces)


def _make_span(text: str, part: TextStyle) -> TextSpan:
    return TextSpan(make_printable(text), part)


def to_plain_text(lines: Iterable[StyledLine]) -> str:
    """The lines as text without colours, each ended by a newline."""
    return "".join("".join(piece.text for piece in each).rstrip() + "\n" for each in lines)
