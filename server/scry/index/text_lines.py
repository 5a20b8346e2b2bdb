"""Where a byte of a text lies: its line and its columns, as editors count them."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from scry.core.types import Point, Span

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
        """The 0-based line that holds a byte."""
        return bisect_right(self.starts, byte) - 1

    def point(self, byte: int) -> Point:
        """The place of a byte offset, which must not lie inside a character."""
        line = bisect_right(self.starts, byte) - 1
        start = self.starts[line]
        column = byte - start
        if self._ascii:
            return Point(line, column, column)
        before = self.data[start:byte]
        return Point(line, column, column if before.isascii() else utf16_length(before))

    def span(self, start: int, end: int) -> Span:
        """The span of the bytes from `start` up to `end`."""
        return Span(self.point(start), self.point(end))

    def text(self, start: int, end: int) -> str:
        """The text of the bytes from `start` up to `end`."""
        return self.data[start:end].decode("utf-8", "replace")


def utf16_length(utf8: bytes) -> int:
    """How many UTF-16 code units a piece of UTF-8 takes."""
    return len(utf8.decode("utf-8", "replace").encode("utf-16-le")) // 2
