"""What clients and the indexer of a project say to each other: JSON lines over a local socket.

    client                          indexer
    hello  ------------------------>            version and, over TCP, the token; nothing else is heard before
           <------------------------ welcome    version and process id, then the state
    told -------------------------->            settings that the client's environment or surface gave it, if any
    changed, control, sync, ask --->
           <------------------------ state      at every change; `answers` names the request that asked for it
           <------------------------ settled    the answer to sync: all that was known when it came is dealt with
    encode ------------------------>            a question, by the embedder of an identity
           <------------------------ encoded    its vector, or why there is none
    end ---------------------------->           a client of a newer version takes over
           <------------------------ replaced   to all others, before the indexer ends

`hello`, `welcome` and `end` are understood by every version and never change. Unknown fields are ignored. A version
here is the program's with those of the shapes that it writes (`scry.index.edition`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from scry.core.text import encodable
from scry.core.types import IndexState

Action = Literal["start", "pause", "resume", "rebuild"]

MAX_LINE = 4 << 20
"""Bytes of a message at most; a longer line is not ours and ends the connection."""

_PATHS_PER_MESSAGE = 200
"""Paths are at most 4 KiB each, a third more as base64: so many stay far below MAX_LINE."""


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first line of a client."""

    version: str
    token: str = ""


class Told(msgspec.Struct, frozen=True, tag="told"):
    """Settings, by name, that stand in no file. They hold until a client says others."""

    settings: dict[str, Any]


class Changed(msgspec.Struct, frozen=True, tag="changed"):
    """Files or folders that may have changed: relative paths, as the file system's bytes since not all are text."""

    paths: tuple[bytes, ...]


class Control(msgspec.Struct, frozen=True, tag="control"):
    """An act of the user. Answered by a state with the same `id`."""

    id: int
    action: Action


class Sync(msgspec.Struct, frozen=True, tag="sync"):
    """Asks to be told when all files as they are now are searchable. Answered by `settled`.

    vectors: also when a model has made all its vectors that takes long; the bundled one's are waited for anyway.
    """

    id: int
    vectors: bool = False


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Asks for the state at once. Answered by a state with the same `id`."""

    id: int


class Encode(msgspec.Struct, frozen=True, tag="encode"):
    """Asks for a question's vector by the embedder of that identity. Answered by `encoded`."""

    id: int
    identity: str
    query: str


class End(msgspec.Struct, frozen=True, tag="end"):
    """Asks the indexer to end after the batch in hand, because one of `version` takes its place."""

    version: str


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The indexer's answer to hello."""

    version: str
    pid: int


class State(msgspec.Struct, frozen=True, tag="state"):
    """The state of the index; `answers` is the id of the request that asked for it, if one did."""

    state: IndexState
    answers: int | None = None


class Settled(msgspec.Struct, frozen=True, tag="settled"):
    """The answer to a sync: done, or paused or failed, as `state` says."""

    id: int
    state: IndexState


class Encoded(msgspec.Struct, frozen=True, tag="encoded"):
    """The answer to encode: little-endian single precision numbers, or none, and `problem` says why."""

    id: int
    vector: bytes = b""
    problem: str = ""


class Replaced(msgspec.Struct, frozen=True, tag="replaced"):
    """The indexer ends and one of another version takes its place."""

    version: str


Request = Hello | Told | Changed | Control | Sync | Ask | Encode | End
Reply = Welcome | State | Settled | Encoded | Replaced

_requests = msgspec.json.Decoder(Request)
_replies = msgspec.json.Decoder(Reply)
_encoder = msgspec.json.Encoder()


class NotOurs(Exception):
    """What came is no message of this channel."""


def encode(message: Request | Reply) -> bytes:
    """The message as one line."""
    if isinstance(message, State | Settled):
        message = msgspec.structs.replace(message, state=_printable(message.state))
    return _encoder.encode(message) + b"\n"


def decode_request(line: bytes) -> Request:
    """A line of a client's. Raises NotOurs."""
    try:
        return _requests.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotOurs(str(error)) from error


def decode_reply(line: bytes) -> Reply:
    """A line of the indexer's. Raises NotOurs."""
    try:
        return _replies.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotOurs(str(error)) from error


def changed_messages(paths: Sequence[str]) -> Iterator[Changed]:
    """The paths in as many messages as it takes."""
    for start in range(0, len(paths), _PATHS_PER_MESSAGE):
        yield Changed(tuple(os.fsencode(path) for path in paths[start : start + _PATHS_PER_MESSAGE]))


def changed_paths(message: Changed) -> Iterable[str]:
    """The paths back."""
    return (os.fsdecode(path) for path in message.paths)


class LineSplitter:
    """Cuts a stream of bytes into lines, wherever the pieces that arrive begin and end."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        """limit: bytes of a line at most."""
        self._rest = bytearray()
        self._limit = limit

    def feed(self, data: bytes) -> list[bytes]:
        """The lines completed by these bytes. Raises NotOurs when one is over the limit."""
        start = len(self._rest)
        self._rest += data
        lines: list[bytes] = []
        while (end := self._rest.find(b"\n", start)) >= 0:
            lines.append(bytes(self._rest[:end]))
            del self._rest[: end + 1]
            start = 0
        if len(self._rest) > self._limit:
            raise NotOurs(f"a line of over {self._limit} bytes")
        return [line for line in lines if line.strip()]


def _printable(state: IndexState) -> IndexState:
    """The state with what JSON can't hold, the undecodable bytes of a path, written out."""
    message = encodable(state.message)
    unsaved = tuple(encodable(path) for path in state.unsaved)
    return replace(state, message=message, unsaved=unsaved)
