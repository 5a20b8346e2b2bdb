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

from scry.surfaces.lsp.envelope import INVALID_REQUEST, PARSE_ERROR, JsonRpcMessage, MalformedMessage, parse_message

MAX_FRAME_BYTES = 16 * 1024 * 1024
"""Longest body that is read, in bytes: far more than any editor sends, far less than what exhausts memory."""

MAX_HEADER_LINE_BYTES = 4096
"""Longest header line in bytes; real ones are under a hundred."""

_NEXT_HEADER = re.compile(rb"content-length[ \t]{0,8}:[ \t]{0,8}[^\s\"]{0,40}[ \t]{0,8}\r?\n", re.IGNORECASE)
_SEARCH_OVERLAP = 96
"""More than the longest match of `_NEXT_HEADER`, so that one cut in two by a chunk's end is still found."""

_HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*", re.DOTALL)
_CONTENT_LENGTH = re.compile(rb"[0-9]{1,20}")


class _ReaderState(Enum):
    """What the next bytes are."""

    HEADER = 0
    BODY = 1
    RESYNC = 2


class FrameReader:
    """Turns the bytes of one connection into envelopes and malformed frames, in order."""

    def __init__(self, frame_limit: int = MAX_FRAME_BYTES) -> None:
        """`frame_limit` is the longest body in bytes."""
        self._frame_limit = frame_limit
        self._buffer = bytearray()
        self._state = _ReaderState.HEADER
        self._section_end = 0  # bytes of header lines read in this section; they stay in the buffer until it is complete
        self._length: int | None = None
        self._searched = 0  # bytes of the body already searched for a header

    def feed(self, data: bytes) -> Iterator[JsonRpcMessage | MalformedMessage]:
        """Take the next bytes; yield every message that they complete."""
        self._buffer += data
        steps = {_ReaderState.HEADER: self._read_header_line, _ReaderState.BODY: self._read_body, _ReaderState.RESYNC: self._skip_to_header}
        while True:
            before = (self._state, self._section_end, len(self._buffer))
            yield from steps[self._state]()
            if before == (self._state, self._section_end, len(self._buffer)):
                return

    def finish(self) -> MalformedMessage | None:
        """The input is over; what it broke off in, if it did."""
        if self._state is _ReaderState.RESYNC or not self._buffer.strip():
            return None
        return MalformedMessage(PARSE_ERROR, "The input ended in the middle of a frame.")

    def _read_header_line(self) -> Iterator[MalformedMessage]:
        """Read one header line."""
        end = self._buffer.find(b"\n", self._section_end)
        if (end if end >= 0 else len(self._buffer)) - self._section_end > MAX_HEADER_LINE_BYTES:
            yield self._resynchronize(self._section_end, "A header line is too long.")
        elif end >= 0:
            line = bytes(self._buffer[self._section_end : end]).rstrip(b"\r")
            malformed = self._take_header_line(line, end + 1) if line else self._end_header_section(end + 1)
            if malformed:
                yield malformed

    def _take_header_line(self, line: bytes, after: int) -> MalformedMessage | None:
        """Take in `Name: value`; `after` is where the next line begins."""
        match = _HEADER_LINE.fullmatch(line)
        if not match:
            return self._resynchronize(self._section_end, f"Expected a header such as `Content-Length: 12`, got {_quote_bytes(line)}.")
        if match[1].lower() == b"content-length":
            return self._take_content_length(match[2], after)
        self._section_end = after
        return None

    def _take_content_length(self, value: bytes, after: int) -> MalformedMessage | None:
        """Take in the value of Content-Length."""
        if not _CONTENT_LENGTH.fullmatch(value):
            return self._resynchronize(after, f"Content-Length: expected a count of bytes, got {_quote_bytes(value)}.")
        if int(value) > self._frame_limit:
            message = f"Content-Length: {int(value)} is over the limit of {self._frame_limit} bytes for one message."
            return self._resynchronize(after, message, INVALID_REQUEST)
        if self._length is not None:
            del self._buffer[: self._section_end]
            self._section_end, self._length = after - self._section_end, int(value)
            return MalformedMessage(PARSE_ERROR, "A header without its body: another Content-Length followed it.")
        self._section_end, self._length = after, int(value)
        return None

    def _end_header_section(self, after: int) -> MalformedMessage | None:
        """Take in the empty line that ends a header section. Empty lines between frames mean nothing."""
        if self._section_end and self._length is None:
            return self._resynchronize(0, "A header without Content-Length.")
        del self._buffer[:after]
        self._section_end = self._searched = 0
        if self._length is not None:
            self._state = _ReaderState.BODY
        return None

    def _read_body(self) -> Iterator[JsonRpcMessage | MalformedMessage]:
        """Read the body, and see whether the next frame began inside it."""
        length = self._length or 0
        there = min(length, len(self._buffer))
        if self._contains_header(there):
            yield self._resynchronize(0, f"Content-Length: {length} is more than the body that came.")
        elif there < length:
            self._searched = there
        else:
            yield self._take_message(length)

    def _take_message(self, length: int) -> JsonRpcMessage | MalformedMessage:
        """Take the complete body out of the buffer."""
        message = parse_message(bytes(self._buffer[:length]))
        if isinstance(message, MalformedMessage) and message.code == PARSE_ERROR:
            # The length may be wrong by a little, either way: the next header may begin within this body or after it.
            self._resynchronize(0, "")
        else:
            del self._buffer[:length]
            self._state, self._length = _ReaderState.HEADER, None
        return message

    def _contains_header(self, there: int) -> bool:
        """Whether a header begins in the bytes of the body that are there. What was searched before is left out."""
        if self._buffer.find(b"\n", self._searched, there) < 0:
            return False
        return _NEXT_HEADER.search(self._buffer, max(0, self._searched - _SEARCH_OVERLAP), there) is not None

    def _skip_to_header(self) -> Iterator[MalformedMessage]:
        """Drop everything before the next header."""
        match = _NEXT_HEADER.search(self._buffer)
        del self._buffer[: match.start() if match else max(0, len(self._buffer) - _SEARCH_OVERLAP)]
        if match:
            self._state = _ReaderState.HEADER
        return iter(())

    def _resynchronize(self, drop: int, message: str, code: int = PARSE_ERROR) -> MalformedMessage:
        """Give this frame up: drop bytes, and look for a header in what follows."""
        del self._buffer[:drop]
        self._state, self._section_end, self._length, self._searched = _ReaderState.RESYNC, 0, None, 0
        return MalformedMessage(code, message)


def _quote_bytes(raw: bytes) -> str:
    """At most 40 characters of what came, printable."""
    return repr(raw[:40].decode("utf-8", "replace")) + ("…" if len(raw) > 40 else "")
