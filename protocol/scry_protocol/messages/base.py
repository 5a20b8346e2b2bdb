"""The two kinds of message, and places in a text."""

from __future__ import annotations

import msgspec


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a client sends."""


class Result(msgspec.Struct, frozen=True):
    """Base of what Scry answers."""


class Position(Result, frozen=True):
    """A place in a text, as in LSP.

    line: 0-based.
    character: 0-based, counted in the negotiated position encoding.
    """

    line: int
    character: int


class Range(Result, frozen=True):
    """A half-open range of a text, as in LSP.

    start: its first place.
    end: the place just after its last.
    """

    start: Position
    end: Position


class Location(Result, frozen=True):
    """A range in a file.

    uri: the file's URI.
    range: the range in it.
    """

    uri: str
    range: Range
