"""Open a connection to a project's indexer, starting the indexer where none runs.

`IndexerConnection` is one connection, `IndexerConnector` finds or starts the indexer to connect to, and `probe_indexer`
asks a running indexer for its state without starting one.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from scry.core.errors import IndexUnavailable
from scry.core.settings import Settings
from scry.core.types import IndexState
from scry.indexer.client.launch import LaunchedIndexer, start_indexer
from scry.indexer.freshness import describe_other_version, index_format_version, is_newer_format
from scry.indexer.protocol import (
    ClientMessage,
    EndRequest,
    Hello,
    IndexerMessage,
    InvalidMessage,
    LineSplitter,
    StateMessage,
    Welcome,
    decode_indexer_message,
    encode_message,
)
from scry.projects.indexer_address import connect_to, read_address
from scry.projects.project import Project

log = logging.getLogger(__name__)


HELLO_TIMEOUT_S = 3.0
"""Time for an indexer to answer a hello. It answers in its event loop, whatever else it does."""


SEND_TIMEOUT_S = 5.0


_RECEIVE_BYTES = 1 << 16


START_TIMEOUT_S = 15.0
"""Time for a started indexer to be reachable; usually it takes a quarter of a second."""


MAX_STARTS = 6


MAX_STARTS_WINDOW_S = 60.0
"""An indexer that was started MAX_STARTS times within this time is not started again until someone asks for it."""


_END_TIMEOUT_S = 10.0


_POLL_INTERVAL_S = 0.03


_START_AGAIN_DELAY_S = 0.5
"""Delay before the next start after an indexer ended because it found the lock taken: the holder of the lock is opening
or ending.
"""


class ConnectionLost(Exception):
    """The connection is closed, or no valid message came in time."""


class IndexerConnection:
    """An open connection to an indexer. Used by one thread; only `Waker` may be used by others."""

    @classmethod
    def open(cls, cache: Path) -> IndexerConnection | None:
        """Connect to the indexer at the published address; return None where none answers, or none that understands the
        hello.
        """
        address = read_address(cache)
        if address is None:
            return None
        try:
            connection = cls(connect_to(address, HELLO_TIMEOUT_S))
        except (OSError, ValueError):
            return None
        try:
            connection.send([Hello(index_format_version(), address.token)])
            connection.welcome = connection.receive_welcome()
        except ConnectionLost:
            connection.close()
            return None
        return connection

    def __init__(self, connection: socket.socket) -> None:
        """Take an open socket; callers use `open`."""
        self._connection = connection
        self._splitter = LineSplitter()
        self._unread: list[IndexerMessage] = []
        self.welcome = Welcome("", 0)

    def receive_welcome(self) -> Welcome:
        """Return the indexer's first message. Raises ConnectionLost when it is no welcome or does not come in time."""
        self._connection.settimeout(HELLO_TIMEOUT_S)
        replies: list[IndexerMessage] = []
        while not replies:
            replies = self.receive()
        first, *self._unread = replies
        if not isinstance(first, Welcome):
            raise ConnectionLost("no welcome")
        return first

    def send(self, requests: Sequence[ClientMessage]) -> None:
        """Send all requests. Raises ConnectionLost."""
        try:
            self._connection.settimeout(SEND_TIMEOUT_S)
            for request in requests:
                self._connection.sendall(encode_message(request))
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    def receive(self) -> list[IndexerMessage]:
        """Return the messages that have come, waiting for the next bytes up to the socket's timeout. Raises
        ConnectionLost.
        """
        if self._unread:
            unread, self._unread = self._unread, []
            return unread
        try:
            piece = self._connection.recv(_RECEIVE_BYTES)
            if not piece:
                raise ConnectionLost("the indexer has ended")
            return [reply for line in self._splitter.feed(piece) if (reply := _decode_if_known(line)) is not None]
        except (OSError, InvalidMessage) as error:
            raise ConnectionLost(str(error)) from error

    def wait(self, waker: Waker, timeout: float | None = None) -> bool:
        """Wait for bytes or for the waker; return whether there is something to receive. timeout: seconds."""
        if self._unread:
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            selector.register(waker.read_end, selectors.EVENT_READ)
            ready = {key.fileobj for key, _ in selector.select(timeout)}
        if waker.read_end in ready:
            waker.drain()
        return self._connection in ready

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _decode_if_known(line: bytes) -> IndexerMessage | None:
    try:
        return decode_indexer_message(line)
    except InvalidMessage as error:  # of another version; the messages needed of it are stable
        log.info("a reply was not understood: %s", error)
        return None


class Waker:
    """Wakes a thread that waits for a connection. `wake` may be called from any thread."""

    def __init__(self) -> None:
        """Open a pair of sockets: only sockets can be selected on every platform."""
        self._write_end, self.read_end = socket.socketpair()
        self._write_end.setblocking(False)
        self.read_end.setblocking(False)

    def wake(self) -> None:
        """Wake the waiting thread now, or at its next wait."""
        try:
            self._write_end.send(b"!")
        except OSError:  # full: the thread wakes anyway; closed: no thread waits any more
            return

    def wait(self, timeout: float | None) -> None:
        """Wait for `wake` alone. timeout: seconds."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.read_end, selectors.EVENT_READ)
            if selector.select(timeout):
                self.drain()

    def drain(self) -> None:
        """Consume all calls of `wake` so far."""
        try:
            while self.read_end.recv(1024):
                pass
        except OSError:
            return

    def close(self) -> None:
        """Close both sockets."""
        self._write_end.close()
        self.read_end.close()


class ClientClosed(Exception):
    """The client was closed while it connected."""


class IndexerConnector:
    """Finds or starts the project's indexer. Used by one thread."""

    def __init__(self, project: Project, settings: Settings, waker: Waker, is_closed: Callable[[], bool]) -> None:
        """Take the project and settings of the indexer to start.

        waker: cuts waiting short. is_closed: whether the client was closed.
        """
        self._project = project
        self._settings = settings
        self._waker = waker
        self._is_closed = is_closed
        self._starts: deque[float] = deque(maxlen=MAX_STARTS)
        self._ended_versions: set[str] = set()

    def reset_failures(self) -> None:
        """Forget the starts so far, and which versions came back after they were asked to end."""
        self._starts.clear()
        self._ended_versions.clear()

    def connect_if_running(self) -> IndexerConnection | None:
        """Return a connection to a running indexer of this index format version, or None. One of an older version is
        asked to end, once.

        Raises IndexUnavailable for an indexer of a newer version, and for an older one that comes back: then the
        installed Scry is the older one, and this process runs code that was replaced.
        """
        connection = IndexerConnection.open(self._project.cache)
        if connection is None or connection.welcome.version == index_format_version():
            return connection
        version = connection.welcome.version
        if version in self._ended_versions or is_newer_format(version):
            connection.close()
            raise IndexUnavailable(describe_other_version(version))
        log.info("an indexer of Scry %s is asked to end", version)
        self._ended_versions.add(version)
        self._end_other_version(connection)
        return None

    def start_and_connect(self, meanwhile: Callable[[], None]) -> IndexerConnection:
        """Return a connection to an indexer that is started now, or to one that another process started at the same
        time.

        meanwhile: called once the indexer was started, since it takes a while to be reachable. Raises IndexUnavailable
        with the reason, and ClientClosed.
        """
        started: LaunchedIndexer | None = None
        next_start = 0.0
        deadline = time.monotonic() + START_TIMEOUT_S
        try:
            while time.monotonic() < deadline:
                if started is None and time.monotonic() >= next_start:
                    started = self._start()
                    meanwhile()
                self._pause()
                connection = self.connect_if_running()
                if connection is not None:
                    return connection
                if started is not None and started.exit_status is not None:
                    self._raise_unless_restartable(started)
                    started, next_start = None, time.monotonic() + _START_AGAIN_DELAY_S
        finally:
            if started is not None:
                started.detach()
        raise IndexUnavailable(
            f"The indexer of {self._project.root} did not answer within {START_TIMEOUT_S:.0f} s. {self._log_hint()}"
        )

    def _start(self) -> LaunchedIndexer:
        now = time.monotonic()
        if len(self._starts) == MAX_STARTS and now - self._starts[0] < MAX_STARTS_WINDOW_S:
            raise IndexUnavailable(
                f"The indexer has ended {MAX_STARTS} times within a minute and is not started again by itself. "
                f"{self._log_hint()}"
            )
        self._starts.append(now)
        try:
            return start_indexer(self._project, self._settings)
        except OSError as error:
            raise IndexUnavailable(f"The indexer can't be started: {error}") from error

    def _raise_unless_restartable(self, started: LaunchedIndexer) -> None:
        """Raise IndexUnavailable, unless the indexer ended because another one holds the lock, or was killed."""
        status = started.exit_status or 0
        if status <= 0:
            started.detach()
            if status == 0:
                self._starts.pop()
            return
        lines = started.read_stderr().splitlines()
        reason = lines[-1] if lines else f"it ended with status {status}"
        raise IndexUnavailable(f"The indexer can't work: {reason}")

    def _log_hint(self) -> str:
        return f"{self._project.cache / 'indexer.log'} says more."

    def _pause(self) -> None:
        self._waker.wait(_POLL_INTERVAL_S)
        if self._is_closed():
            raise ClientClosed

    def _end_other_version(self, connection: IndexerConnection) -> None:
        """Ask the other indexer to end and wait for that; send it SIGTERM when it takes too long."""
        deadline = time.monotonic() + _END_TIMEOUT_S
        try:
            connection.send([EndRequest(index_format_version())])
            while time.monotonic() < deadline and not self._is_closed():
                if connection.wait(self._waker, 0.1):
                    connection.receive()
            os.kill(connection.welcome.pid, signal.SIGTERM)
        except (ConnectionLost, OSError):
            return
        finally:
            connection.close()


class RunningIndexer(Struct, frozen=True):
    """A running indexer: its process id, index format version and state."""

    pid: int
    version: str
    state: IndexState


def probe_indexer(project: Project) -> RunningIndexer | None:
    """Return the project's running indexer; None when there is none, or it does not answer in time."""
    connection = IndexerConnection.open(project.cache)
    if connection is None:
        return None
    try:
        while True:
            for reply in connection.receive():
                if isinstance(reply, StateMessage):
                    return RunningIndexer(connection.welcome.pid, connection.welcome.version, reply.state)
    except ConnectionLost:
        return None
    finally:
        connection.close()
