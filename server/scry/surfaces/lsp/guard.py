"""Frames out of bytes, whatever the bytes are: the guard in front of pygls' reader.

A frame is a header section (`Content-Length: N`, an empty line) and N bytes of JSON. The reader of pygls falls silent
for ever on a length that is no number, dies of one that is too large, and reads past a body that is shorter than
announced. Here every such thing becomes one `Malformed`, to be answered, and reading goes on at the next header.

Finding the next header is safe: `Content-Length: 12` and a line end can't occur inside valid JSON, because a string can
hold no raw line end and would have to close its quote before one. So a body that contains one is cut there.

What comes out does not depend on how the bytes were cut into chunks; a property test holds that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from scry.surfaces.lsp.envelope import INVALID_REQUEST, PARSE_ERROR, Envelope, Malformed, read_envelope

FRAME_LIMIT = 16 * 1024 * 1024
"""Longest body that is read, in bytes: far more than any editor sends, far less than what exhausts memory."""

LINE_LIMIT = 4096
"""Longest header line in bytes; real ones are under a hundred."""

_NEXT_HEADER = re.compile(rb"content-length[ \t]{0,8}:[ \t]{0,8}[^\s\"]{0,40}[ \t]{0,8}\r?\n", re.IGNORECASE)
_OVERLAP = 96
"""More than the longest match of `_NEXT_HEADER`, so that one cut in two by a chunk's end is still found."""

_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*", re.DOTALL)
_LENGTH = re.compile(rb"[0-9]{1,20}")


class _Reading(Enum):
    """What the next bytes are."""

    HEADER = 0
    BODY = 1
    LOST = 2


class Guard:
    """Turns the bytes of one connection into envelopes and malformed frames, in order."""

    def __init__(self, frame_limit: int = FRAME_LIMIT) -> None:
        """`frame_limit` is the longest body in bytes."""
        self._frame_limit = frame_limit
        self._buffer = bytearray()
        self._reading = _Reading.HEADER
        self._section = 0  # bytes of header lines read in this section; they stay in the buffer until it is complete
        self._length: int | None = None
        self._scanned = 0  # bytes of the body already searched for a header

    def feed(self, data: bytes) -> Iterator[Envelope | Malformed]:
        """Take the next bytes; yield every message that they complete."""
        self._buffer += data
        steps = {_Reading.HEADER: self._header, _Reading.BODY: self._body, _Reading.LOST: self._search}
        while True:
            before = (self._reading, self._section, len(self._buffer))
            yield from steps[self._reading]()
            if before == (self._reading, self._section, len(self._buffer)):
                return

    def end(self) -> Malformed | None:
        """The input is over; what it broke off in, if it did."""
        if self._reading is _Reading.LOST or not self._buffer.strip():
            return None
        return Malformed(PARSE_ERROR, "The input ended in the middle of a frame.")

    def _header(self) -> Iterator[Malformed]:
        """Read one header line."""
        end = self._buffer.find(b"\n", self._section)
        if (end if end >= 0 else len(self._buffer)) - self._section > LINE_LIMIT:
            yield self._lose(self._section, "A header line is too long.")
        elif end >= 0:
            line = bytes(self._buffer[self._section : end]).rstrip(b"\r")
            malformed = self._header_line(line, end + 1) if line else self._header_end(end + 1)
            if malformed:
                yield malformed

    def _header_line(self, line: bytes, after: int) -> Malformed | None:
        """Take in `Name: value`; `after` is where the next line begins."""
        match = _HEADER.fullmatch(line)
        if not match:
            return self._lose(self._section, f"Expected a header such as `Content-Length: 12`, got {_shown(line)}.")
        if match[1].lower() == b"content-length":
            return self._length_line(match[2], after)
        self._section = after
        return None

    def _length_line(self, value: bytes, after: int) -> Malformed | None:
        """Take in the value of Content-Length."""
        if not _LENGTH.fullmatch(value):
            return self._lose(after, f"Content-Length: expected a count of bytes, got {_shown(value)}.")
        if int(value) > self._frame_limit:
            message = f"Content-Length: {int(value)} is over the limit of {self._frame_limit} bytes for one message."
            return self._lose(after, message, INVALID_REQUEST)
        if self._length is not None:
            del self._buffer[: self._section]
            self._section, self._length = after - self._section, int(value)
            return Malformed(PARSE_ERROR, "A header without its body: another Content-Length followed it.")
        self._section, self._length = after, int(value)
        return None

    def _header_end(self, after: int) -> Malformed | None:
        """Take in the empty line that ends a header section. Empty lines between frames mean nothing."""
        if self._section and self._length is None:
            return self._lose(0, "A header without Content-Length.")
        del self._buffer[:after]
        self._section = self._scanned = 0
        if self._length is not None:
            self._reading = _Reading.BODY
        return None

    def _body(self) -> Iterator[Envelope | Malformed]:
        """Read the body, and see whether the next frame began inside it."""
        length = self._length or 0
        there = min(length, len(self._buffer))
        if self._holds_header(there):
            yield self._lose(0, f"Content-Length: {length} is more than the body that came.")
        elif there < length:
            self._scanned = there
        else:
            yield self._message(length)

    def _message(self, length: int) -> Envelope | Malformed:
        """Take the complete body out of the buffer."""
        message = read_envelope(bytes(self._buffer[:length]))
        if isinstance(message, Malformed) and message.code == PARSE_ERROR:
            # The length may be wrong by a little, either way: the next header may begin within this body or after it.
            self._lose(0, "")
        else:
            del self._buffer[:length]
            self._reading, self._length = _Reading.HEADER, None
        return message

    def _holds_header(self, there: int) -> bool:
        """Whether a header begins in the bytes of the body that are there. What was searched before is left out."""
        if self._buffer.find(b"\n", self._scanned, there) < 0:
            return False
        return _NEXT_HEADER.search(self._buffer, max(0, self._scanned - _OVERLAP), there) is not None

    def _search(self) -> Iterator[Malformed]:
        """Drop everything before the next header."""
        match = _NEXT_HEADER.search(self._buffer)
        del self._buffer[: match.start() if match else max(0, len(self._buffer) - _OVERLAP)]
        if match:
            self._reading = _Reading.HEADER
        return iter(())

    def _lose(self, drop: int, message: str, code: int = PARSE_ERROR) -> Malformed:
        """Give this frame up: drop bytes, and look for a header in what follows."""
        del self._buffer[:drop]
        self._reading, self._section, self._length, self._scanned = _Reading.LOST, 0, None, 0
        return Malformed(code, message)


def _shown(raw: bytes) -> str:
    """At most 40 characters of what came, printable."""
    return repr(raw[:40].decode("utf-8", "replace")) + ("…" if len(raw) > 40 else "")
