"""A line of text as pieces, each with the part that it plays: a surface that shows colours has one for each part."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from scry.surfaces.text.printable import printable

Part = Literal["plain", "strong", "place", "tag", "evidence", "quiet", "good", "warning", "bad"]
"""strong: what the eye should find. place: where a result is. evidence: what found it. quiet: can be skipped."""


class Piece(NamedTuple):
    """A stretch of a line."""

    text: str
    part: Part


Line = tuple[Piece, ...]


def line(*pieces: str | tuple[str, Part]) -> Line:
    """A line of pieces, all made printable; a bare string is plain."""
    return tuple(_piece(piece, "plain") if isinstance(piece, str) else _piece(*piece) for piece in pieces)


def _piece(text: str, part: Part) -> Piece:
    return Piece(printable(text), part)


def plain(lines: Iterable[Line]) -> str:
    """The lines as text without colours, each ended by a newline."""
    return "".join("".join(piece.text for piece in each).rstrip() + "\n" for each in lines)
