"""Serve the indexer's clients: accept connections, answer requests, push states."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import socket
from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from scry.core.errors import ModelUnavailable
from scry.core.types import IndexState
from scry.indexer.protocol import (
    MAX_LINE_BYTES,
    ClientMessage,
    ControlAction,
    ControlRequest,
    EncodeReply,
    EncodeRequest,
    EndRequest,
    Hello,
    IndexerMessage,
    InvalidMessage,
    NewestCommitsRequest,
    PathsChanged,
    ReplacedMessage,
    SettingsOverrides,
    StateMessage,
    StateRequest,
    SyncReply,
    SyncRequest,
    Welcome,
    decode_changed_paths,
    decode_client_message,
    encode_message,
)

log = logging.getLogger(__name__)

STATE_PUSH_INTERVAL_S = 0.05
"""Minimum time between two pushes of counts; a change of the state's name is pushed at once."""

HELLO_TIMEOUT_S = 10.0
"""A connection without a hello within this time is closed."""

_MAX_UNSENT_BYTES = 1 << 20
"""Maximum of unread bytes before a client is disconnected; one that was only suspended connects again."""


class RequestHandler(Protocol):
    """The operations that clients can request. Called from the event loop; they return at once."""

    def override_settings(self, settings: Mapping[str, object]) -> None:
        """Use these settings, which are in no file; they come from a client's environment or surface."""
        ...

    def index_saved_files(self, paths: list[str]) -> None:
        """Index these files or folders, which were saved, created or removed."""
        ...

    def control(self, action: ControlAction) -> None:
        """Start, pause, resume or rebuild."""
        ...

    def read_newest_commits(self) -> None:
        """Read the newest commits beside other work, where none was read yet."""
        ...

    def request_sync(self) -> int:
        """Request that the index be made current; return the number of the request."""
        ...

    def is_settled(self, number: int, *, vectors: bool) -> bool:
        """Return whether request `number` is done, or will not be done for now because it failed or indexing is paused.

        vectors: include the vectors of a slow model.
        """
        ...

    def encode_query(self, identity: str, query: str) -> bytes:
        """Return the vector of a query as bytes for `EncodeReply`. May take long; called from other threads.

        Raises ModelUnavailable.
        """
        ...

    def state(self) -> IndexState:
        """Return the current state."""
        ...


class _ClientConnection(Struct, eq=False):
    """A connection after its handshake."""

    writer: asyncio.StreamWriter
    pending_syncs: dict[SyncRequest, int] = field(default_factory=dict[SyncRequest, int])
    """Syncs not yet answered, each with the request number that it waits for."""

    def send(self, reply: IndexerMessage) -> None:
        if self.writer.transport.get_write_buffer_size() > _MAX_UNSENT_BYTES:
            self.writer.transport.abort()
        elif not self.writer.is_closing():
            self.writer.write(encode_message(reply))


class IndexerServer:
    """All connections of clients. Runs in the event loop; other threads may call only `publish_state` and
    `answer_settled_syncs`.
    """

    def __init__(
        self,
        handler: RequestHandler,
        version: str,
        token: str,
        *,
        set_idle: Callable[[bool], None],
        shut_down: Callable[[], None],
    ) -> None:
        """Take the handler of requests, and the version and token of this indexer.

        set_idle: called with True when the last client has left and False when a client has come. shut_down: ends the
        indexer.
        """
        self._handler = handler
        self._version = version
        self._token = token
        self._set_idle = set_idle
        self._shut_down = shut_down
        self._loop = asyncio.get_running_loop()
        self._clients: set[_ClientConnection] = set()
        self._overriding: _ClientConnection | None = None
        self._newest = IndexState()
        self._pushed = IndexState()
        self._pushed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._server: asyncio.Server | None = None

    async def serve(self, listening: socket.socket) -> None:
        """Start accepting connections on this listening socket."""
        self._server = await asyncio.start_server(self._accept, sock=listening, limit=MAX_LINE_BYTES)

    def close(self) -> None:
        """Close all connections."""
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.writer.close()

    # Connections --------------------------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _ClientConnection(writer)
        try:
            await asyncio.wait_for(self._handshake(reader, client), HELLO_TIMEOUT_S)
            self._add_client(client)
            while line := await reader.readline():
                self._handle_line(client, line)
        except (
            OSError,
            InvalidMessage,
            ValueError,
            asyncio.TimeoutError,
        ) as error:  # ValueError: a line over the limit
            log.warning("a client is let go: %s", error or type(error).__name__)
        finally:
            self._remove_client(client)
            writer.close()

    async def _handshake(self, reader: asyncio.StreamReader, client: _ClientConnection) -> None:
        hello = decode_client_message(await reader.readline())
        if not isinstance(hello, Hello) or not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            raise InvalidMessage("no greeting, or a wrong token")
        client.send(Welcome(self._version, os.getpid()))

    def _add_client(self, client: _ClientConnection) -> None:
        self._clients.add(client)
        client.send(StateMessage(self._handler.state()))
        self._set_idle(False)

    def _remove_client(self, client: _ClientConnection) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._set_idle(not self._clients)

    def _handle_line(self, client: _ClientConnection, line: bytes) -> None:
        try:
            request = decode_client_message(line)
        except InvalidMessage as error:  # perhaps of a newer version: its other requests may be understood
            log.warning("a request was not understood: %s", error)
            return
        self._handle(client, request)

    def _handle(self, client: _ClientConnection, request: ClientMessage) -> None:
        if isinstance(request, PathsChanged):
            self._handler.index_saved_files(list(decode_changed_paths(request)))
        elif isinstance(request, SettingsOverrides):
            self._override_settings(client, request.settings)
        elif isinstance(request, ControlRequest):
            self._handler.control(request.action)
            client.send(StateMessage(self._handler.state(), request.id))
        elif isinstance(request, StateRequest):
            client.send(StateMessage(self._handler.state(), request.id))
        elif isinstance(request, NewestCommitsRequest):
            self._handler.read_newest_commits()
        elif isinstance(request, SyncRequest):
            client.pending_syncs[request] = self._handler.request_sync()
            self._answer_syncs()
        elif isinstance(request, EncodeRequest):
            encoding = self._loop.run_in_executor(None, self._encode, request)
            encoding.add_done_callback(lambda done: client.send(done.result()))
        elif isinstance(request, EndRequest):
            self._yield_to_successor(client, request.version)

    def _override_settings(self, client: _ClientConnection, settings: Mapping[str, object]) -> None:
        """Use the client's settings; a client without any takes back those of a client that has left."""
        if settings or self._overriding in (None, client) or self._overriding not in self._clients:
            self._overriding = client if settings else None
            self._handler.override_settings(settings)

    def _encode(self, request: EncodeRequest) -> EncodeReply:
        try:
            return EncodeReply(request.id, self._handler.encode_query(request.identity, request.query))
        except ModelUnavailable as error:
            return EncodeReply(request.id, problem=str(error))
        except Exception as error:  # whatever a model raises, the client gets an answer
            log.exception("a question could not be encoded")
            return EncodeReply(request.id, problem=f"{type(error).__name__}: {error}")

    def _yield_to_successor(self, successor: _ClientConnection, version: str) -> None:
        log.info("Scry %s takes over", version)
        for client in self._clients - {successor}:
            client.send(ReplacedMessage(version))
        self._shut_down()

    # States --------------------------------------------------------------------------------------------------------

    def publish_state(self, state: IndexState) -> None:
        """Push the state to all clients. May be called from any thread."""
        try:
            self._loop.call_soon_threadsafe(self._queue_state, state)
        except RuntimeError:  # the loop has ended
            log.debug("a state came after the end")

    def _queue_state(self, state: IndexState) -> None:
        self._newest = state
        if state.state != self._pushed.state:
            self._push()
        elif self._timer is None:
            wait = self._pushed_at + STATE_PUSH_INTERVAL_S - self._loop.time()
            self._timer = self._loop.call_later(max(0.0, wait), self._push)

    def _push(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._pushed, self._pushed_at = self._newest, self._loop.time()
        for client in self._clients:
            client.send(StateMessage(self._newest))
        self._answer_syncs()

    def answer_settled_syncs(self) -> None:
        """Answer the syncs whose request is settled. May be called from any thread, after the state was published."""
        try:
            self._loop.call_soon_threadsafe(self._push)
        except RuntimeError:
            log.debug("a task ended after the end")

    def _answer_syncs(self) -> None:
        done = [
            (client, request)
            for client in self._clients
            for request, task_number in client.pending_syncs.items()
            if self._handler.is_settled(task_number, vectors=request.vectors)
        ]
        if not done:
            return
        state = self._handler.state()
        if state.state == "indexing" and state.vectors == state.vectors_total:
            state = replace(state, state="ready")  # the remaining work came after the request
        for client, request in done:
            del client.pending_syncs[request]
            client.send(SyncReply(request.id, state))
