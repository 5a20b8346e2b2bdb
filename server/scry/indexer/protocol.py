"""Define the messages between clients and the indexer: JSON lines over a local socket.

    client                          indexer
    hello  ------------------------>            version and, over TCP, the token; always the first message
           <------------------------ welcome    version and process id, then the state
    told -------------------------->            settings of the client's environment or surface, also if there are none
    changed, control, sync, ask --->
    newest_commits ---------------->            somebody asks what changed, and no commit was read yet
           <------------------------ state      at every change; `answers` holds the id of the request it answers
           <------------------------ settled    answers sync: all changes known when the sync came are indexed
    encode ------------------------>            a query, and the identity of an embedder
           <------------------------ encoded    its vector, or the reason why there is none
    end ---------------------------->           a client of a newer version asks for the indexer's place
           <------------------------ replaced   to all other clients, before the indexer ends

Every version understands `hello`, `welcome` and `end`, and their shape never changes. Unknown fields are ignored. The
version in a message is the index format version (`scry.indexer.freshness`).

`multiprocessing.connection` was measured and not taken: it unpickles, a silent client blocks its accept, asyncio cannot
wait for it on Windows, and it cannot talk to installed versions (docs/decisions/0085).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from scry.core.decoding import json_decoder
from scry.core.text import escape_unencodable
from scry.core.types import IndexState

ControlAction = Literal["start", "pause", "resume", "rebuild", "repair"]

MAX_LINE_BYTES = 4 << 20
"""Maximum size of a message in bytes. A longer line is invalid and ends the connection."""

_PATHS_PER_MESSAGE = 200
"""Paths of one `changed` message. A path is at most 4 KiB, and a third more as base64, so a message stays far below
MAX_LINE_BYTES.
"""


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message of a client. token: of the address file, where the indexer listens on TCP."""

    version: str
    token: str = ""


class SettingsOverrides(msgspec.Struct, frozen=True, tag="told"):
    """Settings by name that are in no file, valid until a client sends others.

    Where there are none, the settings of a client that is still connected stay.
    """

    settings: dict[str, Any]


class PathsChanged(msgspec.Struct, frozen=True, tag="changed"):
    """Files or folders that may have changed: paths relative to the root, as bytes, since not all of them are text."""

    paths: tuple[bytes, ...]


class ControlRequest(msgspec.Struct, frozen=True, tag="control"):
    """A command to start, pause, resume, rebuild or repair. Answered by a state with the same `id`."""

    id: int
    action: ControlAction


class SyncRequest(msgspec.Struct, frozen=True, tag="sync"):
    """A request for a reply once all files as they are now are searchable. Answered by `settled`.

    vectors: wait for the vectors of a slow model, too; those of the bundled model are always waited for.
    """

    id: int
    vectors: bool = False


class StateRequest(msgspec.Struct, frozen=True, tag="ask"):
    """A request for the current state. Answered by a state with the same `id`."""

    id: int


class NewestCommitsRequest(msgspec.Struct, frozen=True, tag="newest_commits"):
    """A request to read the newest commits now, beside other work, where none was read yet. Not answered."""


class EncodeRequest(msgspec.Struct, frozen=True, tag="encode"):
    """A request for the vector of a query by the embedder of this identity. Answered by `encoded`."""

    id: int
    identity: str
    query: str


class EndRequest(msgspec.Struct, frozen=True, tag="end"):
    """A request to end after the current batch, because an indexer of `version` takes this one's place."""

    version: str


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The indexer's answer to hello."""

    version: str
    pid: int


class StateMessage(msgspec.Struct, frozen=True, tag="state"):
    """The state of the index. answers: id of the request that asked for it, if any."""

    state: IndexState
    answers: int | None = None


class SyncReply(msgspec.Struct, frozen=True, tag="settled"):
    """The answer to a sync. `state` says whether the index is current, or indexing is paused or has failed."""

    id: int
    state: IndexState


class EncodeReply(msgspec.Struct, frozen=True, tag="encoded"):
    """The answer to encode. vector: little-endian float32 values, or empty; then `problem` is the reason."""

    id: int
    vector: bytes = b""
    problem: str = ""


class ReplacedMessage(msgspec.Struct, frozen=True, tag="replaced"):
    """Notice that the indexer ends because one of another version takes its place."""

    version: str


ClientMessage = (
    Hello
    | SettingsOverrides
    | PathsChanged
    | ControlRequest
    | SyncRequest
    | StateRequest
    | NewestCommitsRequest
    | EncodeRequest
    | EndRequest
)
IndexerMessage = Welcome | StateMessage | SyncReply | EncodeReply | ReplacedMessage

_decode_client_message: Callable[[bytes], ClientMessage] = json_decoder(ClientMessage)
_decode_indexer_message: Callable[[bytes], IndexerMessage] = json_decoder(IndexerMessage)
_encoder = msgspec.json.Encoder()


class InvalidMessage(Exception):
    """The bytes received are no message of this protocol."""


def encode_message(message: ClientMessage | IndexerMessage) -> bytes:
    """Return the message as one line of bytes."""
    if isinstance(message, StateMessage | SyncReply):
        message = msgspec.structs.replace(message, state=_escape_undecodable(message.state))
    return _encoder.encode(message) + b"\n"


def decode_client_message(line: bytes) -> ClientMessage:
    """Decode a line from a client. Raises InvalidMessage."""
    try:
        return _decode_client_message(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidMessage(str(error)) from error


def decode_indexer_message(line: bytes) -> IndexerMessage:
    """Decode a line from the indexer. Raises InvalidMessage."""
    try:
        return _decode_indexer_message(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidMessage(str(error)) from error


def make_paths_changed(paths: Sequence[str]) -> Iterator[PathsChanged]:
    """Yield the paths in as many messages as needed."""
    for start in range(0, len(paths), _PATHS_PER_MESSAGE):
        yield PathsChanged(tuple(os.fsencode(path) for path in paths[start : start + _PATHS_PER_MESSAGE]))


def decode_changed_paths(message: PathsChanged) -> Iterable[str]:
    """Return the paths of a message as strings."""
    return (os.fsdecode(path) for path in message.paths)


class LineSplitter:
    """Split a stream of bytes into lines, wherever the received pieces begin and end."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        """Take the maximum length of a line in bytes."""
        self._rest = bytearray()
        self._limit = max_bytes

    def feed(self, data: bytes) -> list[bytes]:
        """Return the non-blank lines that these bytes complete. Raises InvalidMessage when a line is over the limit."""
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
    """Return the state with undecodable bytes of paths escaped, since JSON cannot hold them."""
    message = escape_unencodable(state.message)
    unsaved = tuple(escape_unencodable(path) for path in state.unsaved)
    return replace(state, message=message, unsaved=unsaved)
