"""Read and write JSON-RPC frames on standard input and output, whatever bytes arrive.

Standard input and output carry frames alone. Both descriptors are moved away at once: what a library prints goes to
standard error, and a child process reads an empty input instead of our frames. One thread reads and one writes, so that
neither a client that does not read nor one that does not write ever blocks the loop.

A frame is a header section (`Content-Length: N`, an empty line) and N bytes of JSON. `FrameReader` stands in front of
pygls, whose reader never answers again after a length that is no number, dies of one that is too large, and reads past
a body that is shorter than announced. Here each of these becomes one `MalformedMessage`, to be answered, and reading
goes on at the next header. The messages do not depend on how the bytes were cut into chunks, as a property test checks.

Searching a body for the next header is safe: `Content-Length: 12` and a line end can't occur inside valid JSON, because
a string can hold no raw line end and would have to close its quote before one. So a body that contains a header is cut
there.

A message that is passed on has `jsonrpc`, and either `method` and `params` (a request when it has `id`), or `id` and
`result` or `error` (a response to a request of ours). All others are malformed, with the request's id if it is usable.
"""

from __future__ import annotations

import json
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeGuard, cast

from msgspec import Struct

from scry.core.platform import keep_bytes_as_they_are

if TYPE_CHECKING:
    import asyncio

_READ_BYTES = 64 * 1024


def claim_stdio() -> tuple[int, int]:
    """Move descriptors 0 and 1 away; return the descriptors (to read frames from, to write frames to)."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    try:
        os.dup2(2, 1)
    except OSError:  # no standard error either
        with Path(os.devnull).open("wb") as null_device:
            os.dup2(null_device.fileno(), 1)
    sys.stdout = sys.stderr
    keep_bytes_as_they_are(source, sink)
    return source, sink


def start_reading(source: int, loop: asyncio.AbstractEventLoop, on_data: Callable[[bytes], None]) -> None:
    """Pass every chunk to `on_data` on the loop, `b""` at the end of input; each only after the one before returned."""
    taken = threading.Event()

    def step(data: bytes) -> None:
        try:
            on_data(data)
        finally:
            taken.set()

    def read() -> None:
        data = b"-"
        while data:
            data = _read_chunk(source)
            taken.clear()
            try:
                loop.call_soon_threadsafe(step, data)
            except RuntimeError:  # the loop is closed
                return
            taken.wait()

    # A daemon: at the end it sits in a read that nothing can interrupt.
    threading.Thread(target=read, name="scry-read", daemon=True).start()


def _read_chunk(source: int) -> bytes:
    try:
        return os.read(source, _READ_BYTES)
    except OSError:
        return b""


class FrameWriter:
    """Writes bytes in order, from a thread of its own."""

    def __init__(self, sink: int, on_broken: Callable[[], None]) -> None:
        """Start the thread. on_broken: called in the writing thread when the other end is closed."""
        self._sink = sink
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="scry-write", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write these bytes after all others; returns at once."""
        self._queue.put(data)

    def close(self) -> None:
        """End the thread after all that was queued is written."""
        self._queue.put(None)

    def finish(self, timeout: float) -> None:
        """Close, and wait until everything is written, at most `timeout` seconds."""
        self.close()
        self._thread.join(timeout)

    def _write(self) -> None:
        while (data := self._queue.get()) is not None:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
            except OSError:
                self._on_broken()
                return


PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

JsonRpcMessage = dict[str, object]
RequestId = int | str

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class MalformedMessage(Struct, frozen=True):
    """The error response to bytes that are no message: a JSON-RPC code, a text, and the id if one could be read."""

    code: int
    message: str
    id: RequestId | None = None


def parse_message(body: bytes) -> JsonRpcMessage | MalformedMessage:
    """Parse one frame's body."""
    try:
        text = body.decode("utf-8-sig")
        value: object = json.loads(text, parse_constant=_reject_constant)
        if _SURROGATE_ESCAPE.search(text):
            value = _replace_lone_surrogates(value)
    except UnicodeDecodeError as error:
        return MalformedMessage(PARSE_ERROR, f"The body is not UTF-8: byte {error.start} can't be read.")
    except RecursionError:
        return MalformedMessage(PARSE_ERROR, "The body is nested too deeply.")
    except ValueError as error:
        return MalformedMessage(PARSE_ERROR, f"The body is not JSON: {error}.")
    if isinstance(value, list):
        return MalformedMessage(INVALID_REQUEST, "Batches are not part of the language server protocol.")
    if not is_json_object(value):
        return MalformedMessage(INVALID_REQUEST, f"A message is an object, not {type(value).__name__}.")
    return _validate_message(value)


def is_json_object(value: object) -> TypeGuard[dict[str, object]]:
    """Return whether this JSON value is an object."""
    return isinstance(value, dict)


def is_request_id(value: object) -> TypeGuard[RequestId]:
    """Return whether a request may carry this as its id."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _validate_message(message_object: dict[str, object]) -> JsonRpcMessage | MalformedMessage:
    """Return the message with only the members that it may have, or the error to answer."""
    raw_id = message_object.get("id")
    known_id = raw_id if is_request_id(raw_id) else None
    if message_object.get("jsonrpc") != "2.0":
        return MalformedMessage(INVALID_REQUEST, 'jsonrpc: expected "2.0".', known_id)
    if "id" in message_object and known_id is None and ("method" in message_object or raw_id is not None):
        return MalformedMessage(INVALID_REQUEST, "id: expected an integer or a string.")
    if "method" in message_object:
        return _validate_call(message_object, known_id)
    if "id" in message_object and ("result" in message_object or is_json_object(message_object.get("error"))):
        return {key: message_object[key] for key in ("jsonrpc", "id", "result", "error") if key in message_object}
    return MalformedMessage(INVALID_REQUEST, "A message has a method, or an id with a result or an error.", known_id)


def _validate_call(message: dict[str, object], known_id: RequestId | None) -> JsonRpcMessage | MalformedMessage:
    """Return a request or a notification with only the members that it may have, or the error to answer."""
    params = message.get("params")
    if not isinstance(message["method"], str):
        return MalformedMessage(INVALID_REQUEST, "method: expected a string.", known_id)
    if params is not None and not isinstance(params, (dict, list)):
        return MalformedMessage(INVALID_PARAMS, "params: expected an object.", known_id)
    call: JsonRpcMessage = {"jsonrpc": "2.0", "method": message["method"], "params": cast("object", params)}
    return call if known_id is None else {**call, "id": known_id}


def _reject_constant(name: str) -> NoReturn:
    """Reject NaN and Infinity, which Python reads but JSON does not have."""
    raise ValueError(f"{name} is not a JSON value")


def _replace_lone_surrogates(value: object) -> object:
    """Replace every lone half of a surrogate pair by U+FFFD: text with one can't be encoded again."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_replace_lone_surrogates(item) for item in cast("list[object]", value)]
    if is_json_object(value):
        clean = _replace_lone_surrogates
        return {str(clean(key)): clean(item) for key, item in value.items()}
    return value


MAX_FRAME_BYTES = 16 * 1024 * 1024
"""Longest body that is read, in bytes: far more than any editor sends, far less than what exhausts memory."""

MAX_HEADER_LINE_BYTES = 4096
"""Longest header line in bytes; real ones are under a hundred."""

_NEXT_HEADER = re.compile(rb"content-length[ \t]{0,8}:[ \t]{0,8}[^\s\"]{0,40}[ \t]{0,8}\r?\n", re.IGNORECASE)
_SEARCH_OVERLAP = 96
"""More than the longest match of `_NEXT_HEADER`, so that one cut in two by a chunk's end is still found."""

_HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)", re.DOTALL)
_CONTENT_LENGTH = re.compile(rb"[0-9]{1,20}")


class _ReaderState(Enum):
    """The part of the input that the next bytes belong to; RESYNC: skipped up to the next header."""

    HEADER = 0
    BODY = 1
    RESYNC = 2


class FrameReader:
    """Splits the bytes of one connection into messages and malformed messages, in order."""

    def __init__(self, frame_limit: int = MAX_FRAME_BYTES) -> None:
        """Expect a header first. frame_limit: the longest body in bytes."""
        self._frame_limit = frame_limit
        self._buffer = bytearray()
        self._state = _ReaderState.HEADER
        # Bytes of header lines read in this section; they stay in the buffer until it is complete.
        self._section_end = 0
        self._length: int | None = None
        self._searched = 0  # bytes of the body already searched for a header

    def feed(self, data: bytes) -> Iterator[JsonRpcMessage | MalformedMessage]:
        """Take the next bytes; yield every message that they complete."""
        self._buffer += data
        steps = {
            _ReaderState.HEADER: self._read_header_line,
            _ReaderState.BODY: self._read_body,
            _ReaderState.RESYNC: self._skip_to_header,
        }
        while True:
            before = (self._state, self._section_end, len(self._buffer))
            yield from steps[self._state]()
            if before == (self._state, self._section_end, len(self._buffer)):
                return

    def finish(self) -> MalformedMessage | None:
        """End the input; return the error for an incomplete frame, if there is one."""
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
        """Process `Name: value`. after: where the next line begins."""
        match = _HEADER_LINE.fullmatch(line)
        if not match:
            return self._resynchronize(
                self._section_end, f"Expected a header such as `Content-Length: 12`, got {_quote_bytes(line)}."
            )
        if match[1].lower() == b"content-length":
            return self._take_content_length(match[2].strip(b" \t"), after)
        if cut_off := _NEXT_HEADER.search(self._buffer, self._section_end, after):
            return self._resynchronize(cut_off.start(), "A header line ends where the next frame begins.")
        self._section_end = after
        return None

    def _take_content_length(self, value: bytes, after: int) -> MalformedMessage | None:
        """Process the value of Content-Length. after: where the next line begins."""
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
        """Process the empty line that ends a header section. Empty lines between frames are skipped."""
        if self._section_end and self._length is None:
            return self._resynchronize(0, "A header without Content-Length.")
        del self._buffer[:after]
        self._section_end = self._searched = 0
        if self._length is not None:
            self._state = _ReaderState.BODY
        return None

    def _read_body(self) -> Iterator[JsonRpcMessage | MalformedMessage]:
        """Read the body, and check whether the next frame begins inside it."""
        length = self._length or 0
        available = min(length, len(self._buffer))
        if self._contains_header(available):
            yield self._resynchronize(0, f"Content-Length: {length} is more than the body that came.")
        elif available < length:
            self._searched = available
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

    def _contains_header(self, available: int) -> bool:
        """Return whether a header begins in the available bytes of the body, of which some were searched before."""
        if self._buffer.find(b"\n", self._searched, available) < 0:
            return False
        return _NEXT_HEADER.search(self._buffer, max(0, self._searched - _SEARCH_OVERLAP), available) is not None

    def _skip_to_header(self) -> Iterator[MalformedMessage]:
        """Drop everything before the next header."""
        match = _NEXT_HEADER.search(self._buffer)
        del self._buffer[: match.start() if match else max(0, len(self._buffer) - _SEARCH_OVERLAP)]
        if match:
            self._state = _ReaderState.HEADER
        return iter(())

    def _resynchronize(self, drop: int, message: str, code: int = PARSE_ERROR) -> MalformedMessage:
        """Give up this frame: drop bytes, and skip to the next header after them."""
        del self._buffer[:drop]
        self._state, self._section_end, self._length, self._searched = _ReaderState.RESYNC, 0, None, 0
        return MalformedMessage(code, message)


def _quote_bytes(raw: bytes) -> str:
    """Quote at most 40 characters of the bytes, printable."""
    return repr(raw[:40].decode("utf-8", "replace")) + ("…" if len(raw) > 40 else "")
