"""Open a connection to a project's indexer, starting the indexer where none runs.

The client's side of the channel: one connection to a running indexer.

How a client comes to an indexer: the one that runs, or one that it starts.

What the indexer that runs says, without starting one and without staying connected.
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
"""So long an indexer may take to answer a hello; it does so in its event loop, whatever else it does."""

SEND_TIMEOUT_S = 5.0
_RECEIVE_BYTES = 1 << 16


class ConnectionLost(Exception):
    """The connection is gone."""


class IndexerConnection:
    """An open connection. Used by one thread, but for `Waker`."""

    @classmethod
    def open(cls, cache: Path) -> IndexerConnection | None:
        """Connects to the indexer whose address is known; None when nobody is there, or nobody that understands us."""
        address = read_address(cache)
        if address is None:
            return None
        try:
            link = cls(connect_to(address, HELLO_TIMEOUT_S))
        except (OSError, ValueError):
            return None
        try:
            link.send([Hello(index_format_version(), address.token)])
            link.welcome = link.receive_welcome()
        except ConnectionLost:
            link.close()
            return None
        return link

    def __init__(self, connection: socket.socket) -> None:
        """Use `open`."""
        self._connection = connection
        self._splitter = LineSplitter()
        self._unread: list[IndexerMessage] = []
        self.welcome = Welcome("", 0)

    def receive_welcome(self) -> Welcome:
        """The indexer's first words. Raises LinkLost when it does not speak in time, or speaks otherwise."""
        self._connection.settimeout(HELLO_TIMEOUT_S)
        replies: list[IndexerMessage] = []
        while not replies:
            replies = self.receive()
        first, *self._unread = replies
        if not isinstance(first, Welcome):
            raise ConnectionLost("no welcome")
        return first

    def send(self, requests: Sequence[ClientMessage]) -> None:
        """Sends all. Raises LinkLost."""
        try:
            self._connection.settimeout(SEND_TIMEOUT_S)
            for request in requests:
                self._connection.sendall(encode_message(request))
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    def receive(self) -> list[IndexerMessage]:
        """What has come, waiting for the next piece as long as the connection's timeout is. Raises LinkLost."""
        if self._unread:
            early, self._unread = self._unread, []
            return early
        try:
            piece = self._connection.recv(_RECEIVE_BYTES)
            if not piece:
                raise ConnectionLost("the indexer has ended")
            return [reply for line in self._splitter.feed(piece) if (reply := _decode_if_known(line)) is not None]
        except (OSError, InvalidMessage) as error:
            raise ConnectionLost(str(error)) from error

    def wait(self, waker: Waker, timeout: float | None = None) -> bool:
        """Waits until something has come, or the waker calls; says whether there is something to receive."""
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
        """Ends the connection."""
        self._connection.close()


def _decode_if_known(line: bytes) -> IndexerMessage | None:
    try:
        return decode_indexer_message(line)
    except InvalidMessage as error:  # of another version; what we need of it we understand
        log.info("a reply was not understood: %s", error)
        return None


class Waker:
    """Wakes a thread that waits for a connection. `call` from any thread."""

    def __init__(self) -> None:
        """Opens a pair of sockets, since only these can be waited for on every platform."""
        self._write_end, self.read_end = socket.socketpair()
        self._write_end.setblocking(False)
        self.read_end.setblocking(False)

    def wake(self) -> None:
        """Wakes the waiting thread, now or when it waits next."""
        try:
            self._write_end.send(b"!")
        except OSError:  # full: it will wake anyway; closed: nobody waits any more
            return

    def wait(self, timeout: float | None) -> None:
        """Waits for a call alone."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.read_end, selectors.EVENT_READ)
            if selector.select(timeout):
                self.drain()

    def drain(self) -> None:
        """Takes note of all calls so far."""
        try:
            while self.read_end.recv(1024):
                pass
        except OSError:
            return

    def close(self) -> None:
        """Gives both ends free."""
        self._write_end.close()
        self.read_end.close()


START_TIMEOUT_S = 15.0
"""So long an indexer that was started may take to be heard; usually it is a quarter of a second."""

MAX_STARTS = 6
MAX_STARTS_WINDOW_S = 60.0
"""An indexer that dies this often within this time is not started again until someone asks for it."""

_END_TIMEOUT_S = 10.0
_POLL_INTERVAL_S = 0.03
_START_AGAIN_DELAY_S = 0.5
"""Until another is started when one has ended because it found the lock taken: its holder is opening, or ending."""


class ClientClosed(Exception):
    """The client was closed meanwhile."""


class IndexerConnector:
    """Finds or starts the project's indexer. Used by one thread."""

    def __init__(self, project: Project, settings: Settings, waker: Waker, is_closed: Callable[[], bool]) -> None:
        """waker: cuts waiting short. gone: whether the client was closed."""
        self._project = project
        self._settings = settings
        self._waker = waker
        self._is_closed = is_closed
        self._starts: deque[float] = deque(maxlen=MAX_STARTS)
        self._ended_versions: set[str] = set()

    def reset_failures(self) -> None:
        """Forgets how often it was started, and which editions came back."""
        self._starts.clear()
        self._ended_versions.clear()

    def connect_if_running(self) -> IndexerConnection | None:
        """A link to the indexer that runs, if it is of this edition; one of an older edition is asked to end, once.

        Raises IndexUnavailable for one of a newer edition, and for an older one that comes back: that is what is
        installed, and this process is what was installed before.
        """
        link = IndexerConnection.open(self._project.cache)
        if link is None or link.welcome.version == index_format_version():
            return link
        other = link.welcome.version
        if other in self._ended_versions or is_newer_format(other):
            link.close()
            raise IndexUnavailable(describe_other_version(other))
        log.info("an indexer of Scry %s is asked to end", other)
        self._ended_versions.add(other)
        self._end_other_version(link)
        return None

    def start_and_connect(self, meanwhile: Callable[[], None]) -> IndexerConnection:
        """A link to an indexer that is started now, or to the one that others have started at the same time.

        meanwhile: called when it was started; it takes a while to be heard.
        Raises IndexUnavailable saying why there can't be one, Gone.
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
                link = self.connect_if_running()
                if link is not None:
                    return link
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
        """Raises IndexUnavailable unless it ended because another one holds the lock, or was killed."""
        status = started.exit_status or 0
        if status <= 0:
            started.detach()
            if status == 0:
                self._starts.pop()
            return
        words = started.read_stderr().splitlines()
        reason = words[-1] if words else f"it ended with status {status}"
        raise IndexUnavailable(f"The indexer can't work: {reason}")

    def _log_hint(self) -> str:
        return f"{self._project.cache / 'indexer.log'} says more."

    def _pause(self) -> None:
        self._waker.wait(_POLL_INTERVAL_S)
        if self._is_closed():
            raise ClientClosed

    def _end_other_version(self, link: IndexerConnection) -> None:
        """Waits until the other indexer has ended; reminds it by a signal when it takes too long."""
        deadline = time.monotonic() + _END_TIMEOUT_S
        try:
            link.send([EndRequest(index_format_version())])
            while time.monotonic() < deadline and not self._is_closed():
                if link.wait(self._waker, 0.1):
                    link.receive()
            os.kill(link.welcome.pid, signal.SIGTERM)
        except (ConnectionLost, OSError):
            return
        finally:
            link.close()


class RunningIndexer(Struct, frozen=True):
    """An indexer that runs: its process, its version, its state."""

    pid: int
    version: str
    state: IndexState


def probe_indexer(project: Project) -> RunningIndexer | None:
    """The project's indexer; None when none runs, or it does not answer in time."""
    link = IndexerConnection.open(project.cache)
    if link is None:
        return None
    try:
        while True:
            for reply in link.receive():
                if isinstance(reply, StateMessage):
                    return RunningIndexer(link.welcome.pid, link.welcome.version, reply.state)
    except ConnectionLost:
        return None
    finally:
        link.close()
