"""The client's side of the channel: one connection to a running indexer."""

from __future__ import annotations

import logging
import selectors
import socket
from collections.abc import Sequence
from pathlib import Path

from scry.index.address import connect_to, read_address
from scry.index.channel import Hello, LineSplitter, InvalidMessage, IndexerMessage, ClientMessage, Welcome, decode_indexer_message, encode_message
from scry.index.edition import index_format_version

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
