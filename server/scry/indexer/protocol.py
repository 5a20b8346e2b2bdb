"""Define the messages between clients and the indexer: JSON lines over a local socket.

What clients and the indexer of a project say to each other: JSON lines over a local socket.

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
here is the program's with those of the shapes that it writes (`scry.indexer.freshness`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from scry.core.text import escape_unencodable
from scry.core.types import IndexState

ControlAction = Literal["start", "pause", "resume", "rebuild"]

MAX_LINE_BYTES = 4 << 20
"""Bytes of a message at most; a longer line is not ours and ends the connection."""

_PATHS_PER_MESSAGE = 200
"""Paths are at most 4 KiB each, a third more as base64: so many stay far below MAX_LINE."""


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first line of a client."""

    version: str
    token: str = ""


class SettingsOverrides(msgspec.Struct, frozen=True, tag="told"):
    """Settings, by name, that stand in no file. They hold until a client says others."""

    settings: dict[str, Any]


class PathsChanged(msgspec.Struct, frozen=True, tag="changed"):
    """Files or folders that may have changed: relative paths, as the file system's bytes since not all are text."""

    paths: tuple[bytes, ...]


class ControlRequest(msgspec.Struct, frozen=True, tag="control"):
    """An act of the user. Answered by a state with the same `id`."""

    id: int
    action: ControlAction


class SyncRequest(msgspec.Struct, frozen=True, tag="sync"):
    """Asks to be told when all files as they are now are searchable. Answered by `settled`.

    vectors: also when a model has made all its vectors that takes long; the bundled one's are waited for anyway.
    """

    id: int
    vectors: bool = False


class StateRequest(msgspec.Struct, frozen=True, tag="ask"):
    """Asks for the state at once. Answered by a state with the same `id`."""

    id: int


class EncodeRequest(msgspec.Struct, frozen=True, tag="encode"):
    """Asks for a question's vector by the embedder of that identity. Answered by `encoded`."""

    id: int
    identity: str
    query: str


class EndRequest(msgspec.Struct, frozen=True, tag="end"):
    """Asks the indexer to end after the batch in hand, because one of `version` takes its place."""

    version: str


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The indexer's answer to hello."""

    version: str
    pid: int


class StateMessage(msgspec.Struct, frozen=True, tag="state"):
    """The state of the index; `answers` is the id of the request that asked for it, if one did."""

    state: IndexState
    answers: int | None = None


class SyncReply(msgspec.Struct, frozen=True, tag="settled"):
    """The answer to a sync: done, or paused or failed, as `state` says."""

    id: int
    state: IndexState


class EncodeReply(msgspec.Struct, frozen=True, tag="encoded"):
    """The answer to encode: little-endian single precision numbers, or none, and `problem` says why."""

    id: int
    vector: bytes = b""
    problem: str = ""


class ReplacedMessage(msgspec.Struct, frozen=True, tag="replaced"):
    """The indexer ends and one of another version takes its place."""

    version: str


ClientMessage = (
    Hello | SettingsOverrides | PathsChanged | ControlRequest | SyncRequest | StateRequest | EncodeRequest | EndRequest
)
IndexerMessage = Welcome | StateMessage | SyncReply | EncodeReply | ReplacedMessage

_client_message_decoder = msgspec.json.Decoder(ClientMessage)
_indexer_message_decoder = msgspec.json.Decoder(IndexerMessage)
_encoder = msgspec.json.Encoder()


class InvalidMessage(Exception):
    """What came is no message of this channel."""


def encode_message(message: ClientMessage | IndexerMessage) -> bytes:
    """The message as one line."""
    if isinstance(message, StateMessage | SyncReply):
        message = msgspec.structs.replace(message, state=_escape_undecodable(message.state))
    return _encoder.encode(message) + b"\n"


def decode_client_message(line: bytes) -> ClientMessage:
    """A line of a client's. Raises NotOurs."""
    try:
        return _client_message_decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidMessage(str(error)) from error


def decode_indexer_message(line: bytes) -> IndexerMessage:
    """A line of the indexer's. Raises NotOurs."""
    try:
        return _indexer_message_decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidMessage(str(error)) from error


def make_paths_changed(paths: Sequence[str]) -> Iterator[PathsChanged]:
    """The paths in as many messages as it takes."""
    for start in range(0, len(paths), _PATHS_PER_MESSAGE):
        yield PathsChanged(tuple(os.fsencode(path) for path in paths[start : start + _PATHS_PER_MESSAGE]))


def decode_changed_paths(message: PathsChanged) -> Iterable[str]:
    """The paths back."""
    return (os.fsdecode(path) for path in message.paths)


class LineSplitter:
    """Cuts a stream of bytes into lines, wherever the pieces that arrive begin and end."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        """limit: bytes of a line at most."""
        self._rest = bytearray()
        self._limit = max_bytes

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
            raise InvalidMessage(f"a line of over {self._limit} bytes")
        return [line for line in lines if line.strip()]


def _escape_undecodable(state: IndexState) -> IndexState:
    """The state with what JSON can't hold, the undecodable bytes of a path, written out."""
    message = escape_unencodable(state.message)
    unsaved = tuple(escape_unencodable(path) for path in state.unsaved)
    return replace(state, message=message, unsaved=unsaved)
