"""The two kinds of message, and locations in a text."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the messages that a client sends."""


class Result(msgspec.Struct, frozen=True):
    """Base of the messages that Scry returns."""


class Position(Result, frozen=True):
    """A position in a text, as in LSP.

    line: 0-based.
    character: 0-based, counted in the negotiated position encoding.
    """

    line: int
    character: int


class Range(Result, frozen=True):
    """A half-open range of a text, as in LSP.

    start: its first position.
    end: the position just after its last.
    """

    start: Position
    end: Position


class Location(Result, frozen=True):
    """A range in a file.

    uri: URI of the file.
    range: the range in it.
    name: the start of the symbol's name in the range: where a jump lands. Absent where that is the start of the range.
    """

    uri: str
    range: Range
    name: Position | UnsetType = UNSET
