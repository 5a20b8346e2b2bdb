"""The indexer's side of the channel: who is connected, what they asked for, and the states that are pushed to them."""

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
from scry.index.channel import (
    MAX_LINE,
    Action,
    Ask,
    Changed,
    Control,
    Encode,
    Encoded,
    End,
    Hello,
    NotOurs,
    Replaced,
    Reply,
    Request,
    Settled,
    State,
    Sync,
    Told,
    Welcome,
    changed_paths,
    decode_request,
    encode,
)

log = logging.getLogger(__name__)

PUSH_EVERY_S = 0.05
"""Counts are pushed this often at most; a change of the state's name is pushed at once."""

HELLO_WITHIN_S = 10.0
"""Who connects and does not say hello within this is let go."""

_MOST_UNSENT = 1 << 20
"""Bytes a client may leave unread before it is let go; one that was only suspended connects again."""


class Work(Protocol):
    """What clients can ask for. Called from the event loop; returns at once."""

    def told(self, settings: Mapping[str, object]) -> None:
        """Settings that stand in no file, from a client's environment or surface."""
        ...

    def changed(self, paths: list[str]) -> None:
        """These files were saved, made or removed."""
        ...

    def control(self, action: Action) -> None:
        """Starts, pauses, resumes or rebuilds."""
        ...

    def sync(self) -> int:
        """Asks for the index to be made current; returns the number to wait for."""
        ...

    def settled(self, number: int, *, vectors: bool) -> bool:
        """Whether that is done, or will not be done for now because it failed or is paused.

        vectors: those of a slow model too.
        """
        ...

    def encode(self, identity: str, query: str) -> bytes:
        """A question's vector, as the channel carries it; may take long, and is called from other threads.

        Raises ModelUnavailable.
        """
        ...

    def state(self) -> IndexState:
        """The state as of now."""
        ...


class _Client(Struct, eq=False):
    """One connection that has said hello."""

    writer: asyncio.StreamWriter
    waiting: dict[Sync, int] = field(default_factory=dict[Sync, int])
    """Syncs not yet answered, with the number that each waits for."""

    def send(self, reply: Reply) -> None:
        if self.writer.transport.get_write_buffer_size() > _MOST_UNSENT:
            self.writer.transport.abort()
        elif not self.writer.is_closing():
            self.writer.write(encode(reply))


class Clients:
    """All connections. Lives in the event loop; only `publish` may be called from other threads."""

    def __init__(
        self, work: Work, version: str, token: str, *, alone: Callable[[bool], None], end: Callable[[], None]
    ) -> None:
        """alone: told True when the last client has gone and False when one has come. end: ends the indexer."""
        self._work = work
        self._version = version
        self._token = token
        self._alone = alone
        self._end = end
        self._loop = asyncio.get_running_loop()
        self._clients: set[_Client] = set()
        self._newest = IndexState()
        self._pushed = IndexState()
        self._pushed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._server: asyncio.Server | None = None

    async def serve(self, listening: socket.socket) -> None:
        """Accepts connections from now on."""
        if listening.family == socket.AF_INET:
            self._server = await asyncio.start_server(self._accept, sock=listening, limit=MAX_LINE)
        else:
            self._server = await asyncio.start_unix_server(self._accept, sock=listening, limit=MAX_LINE)

    def close(self) -> None:
        """Lets all go."""
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.writer.close()

    # Listening ----------------------------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _Client(writer)
        try:
            await asyncio.wait_for(self._greet(reader, client), HELLO_WITHIN_S)
            self._join(client)
            while line := await reader.readline():
                self._hear(client, line)
        except (OSError, NotOurs, ValueError, asyncio.TimeoutError) as error:  # ValueError: a line over the limit
            log.warning("a client is let go: %s", error or type(error).__name__)
        finally:
            self._leave(client)
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, client: _Client) -> None:
        hello = decode_request(await reader.readline())
        if not isinstance(hello, Hello) or not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            raise NotOurs("no greeting, or a wrong token")
        client.send(Welcome(self._version, os.getpid()))

    def _join(self, client: _Client) -> None:
        self._clients.add(client)
        client.send(State(self._work.state()))
        self._alone(False)

    def _leave(self, client: _Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._alone(not self._clients)

    def _hear(self, client: _Client, line: bytes) -> None:
        try:
            request = decode_request(line)
        except NotOurs as error:  # of a newer version, perhaps: the rest of the conversation may still be of use
            log.warning("a request was not understood: %s", error)
            return
        self._handle(client, request)

    def _handle(self, client: _Client, request: Request) -> None:
        if isinstance(request, Changed):
            self._work.changed(list(changed_paths(request)))
        elif isinstance(request, Told):
            self._work.told(request.settings)
        elif isinstance(request, Control):
            self._work.control(request.action)
            client.send(State(self._work.state(), request.id))
        elif isinstance(request, Ask):
            client.send(State(self._work.state(), request.id))
        elif isinstance(request, Sync):
            client.waiting[request] = self._work.sync()
            self._answer_syncs()
        elif isinstance(request, Encode):
            encoding = self._loop.run_in_executor(None, self._encode, request)
            encoding.add_done_callback(lambda done: client.send(done.result()))
        elif isinstance(request, End):
            self._replace(client, request.version)

    def _encode(self, request: Encode) -> Encoded:
        try:
            return Encoded(request.id, self._work.encode(request.identity, request.query))
        except ModelUnavailable as error:
            return Encoded(request.id, problem=str(error))
        except Exception as error:  # whatever a model does: who asks is to hear of it
            log.exception("a question could not be encoded")
            return Encoded(request.id, problem=f"{type(error).__name__}: {error}")

    def _replace(self, successor: _Client, version: str) -> None:
        log.info("Scry %s takes over", version)
        for client in self._clients - {successor}:
            client.send(Replaced(version))
        self._end()

    # Pushing ------------------------------------------------------------------------------------------------------

    def publish(self, state: IndexState) -> None:
        """Has the state pushed to all. From any thread."""
        try:
            self._loop.call_soon_threadsafe(self._take, state)
        except RuntimeError:  # the loop has ended
            log.debug("a state came after the end")

    def _take(self, state: IndexState) -> None:
        self._newest = state
        if state.state != self._pushed.state:
            self._push()
        elif self._timer is None:
            wait = self._pushed_at + PUSH_EVERY_S - self._loop.time()
            self._timer = self._loop.call_later(max(0.0, wait), self._push)

    def _push(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._pushed, self._pushed_at = self._newest, self._loop.time()
        for client in self._clients:
            client.send(State(self._newest))
        self._answer_syncs()

    def task_ended(self) -> None:
        """Answers the syncs that wait for no more. From any thread, after the state was published."""
        try:
            self._loop.call_soon_threadsafe(self._push)
        except RuntimeError:
            log.debug("a task ended after the end")

    def _answer_syncs(self) -> None:
        done = [
            (client, request)
            for client in self._clients
            for request, number in client.waiting.items()
            if self._work.settled(number, vectors=request.vectors)
        ]
        if not done:
            return
        state = self._work.state()
        if state.state == "indexing" and state.vectors == state.vectors_total:
            state = replace(state, state="ready")  # what came after the request; all that was asked for is there
        for client, request in done:
            del client.waiting[request]
            client.send(Settled(request.id, state))
