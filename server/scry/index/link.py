"""The client's side of the channel: one connection to a running indexer."""

from __future__ import annotations

import logging
import selectors
import socket
from collections.abc import Sequence
from pathlib import Path

from scry.index.address import open_connection, read_address
from scry.index.channel import Hello, LineSplitter, NotOurs, Reply, Request, Welcome, decode_reply, encode
from scry.index.edition import edition

log = logging.getLogger(__name__)

GREETING_S = 3.0
"""So long an indexer may take to answer a hello; it does so in its event loop, whatever else it does."""

SEND_S = 5.0
_PIECE = 1 << 16


class LinkLost(Exception):
    """The connection is gone."""


class Link:
    """An open connection. Used by one thread, but for `Waker`."""

    @classmethod
    def open(cls, cache: Path) -> Link | None:
        """Connects to the indexer whose address is known; None when nobody is there, or nobody that understands us."""
        address = read_address(cache)
        if address is None:
            return None
        try:
            link = cls(open_connection(address, GREETING_S))
        except (OSError, ValueError):
            return None
        try:
            link.send([Hello(edition(), address.token)])
            link.welcome = link.receive_welcome()
        except LinkLost:
            link.close()
            return None
        return link

    def __init__(self, connection: socket.socket) -> None:
        """Use `open`."""
        self._connection = connection
        self._splitter = LineSplitter()
        self._early: list[Reply] = []
        self.welcome = Welcome("", 0)

    def receive_welcome(self) -> Welcome:
        """The indexer's first words. Raises LinkLost when it does not speak in time, or speaks otherwise."""
        self._connection.settimeout(GREETING_S)
        replies: list[Reply] = []
        while not replies:
            replies = self.receive()
        first, *self._early = replies
        if not isinstance(first, Welcome):
            raise LinkLost("no welcome")
        return first

    def send(self, requests: Sequence[Request]) -> None:
        """Sends all. Raises LinkLost."""
        try:
            self._connection.settimeout(SEND_S)
            for request in requests:
                self._connection.sendall(encode(request))
        except OSError as error:
            raise LinkLost(str(error)) from error

    def receive(self) -> list[Reply]:
        """What has come, waiting for the next piece as long as the connection's timeout is. Raises LinkLost."""
        if self._early:
            early, self._early = self._early, []
            return early
        try:
            piece = self._connection.recv(_PIECE)
            if not piece:
                raise LinkLost("the indexer has ended")
            return [reply for line in self._splitter.feed(piece) if (reply := _understood(line)) is not None]
        except (OSError, NotOurs) as error:
            raise LinkLost(str(error)) from error

    def wait(self, waker: Waker, timeout: float | None = None) -> bool:
        """Waits until something has come, or the waker calls; says whether there is something to receive."""
        if self._early:
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            selector.register(waker.end, selectors.EVENT_READ)
            ready = {key.fileobj for key, _ in selector.select(timeout)}
        if waker.end in ready:
            waker.hush()
        return self._connection in ready

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


def _understood(line: bytes) -> Reply | None:
    try:
        return decode_reply(line)
    except NotOurs as error:  # of another version; what we need of it we understand
        log.info("a reply was not understood: %s", error)
        return None


class Waker:
    """Wakes a thread that waits for a connection. `call` from any thread."""

    def __init__(self) -> None:
        """Opens a pair of sockets, since only these can be waited for on every platform."""
        self._call, self.end = socket.socketpair()
        self._call.setblocking(False)
        self.end.setblocking(False)

    def call(self) -> None:
        """Wakes the waiting thread, now or when it waits next."""
        try:
            self._call.send(b"!")
        except OSError:  # full: it will wake anyway; closed: nobody waits any more
            return

    def wait(self, timeout: float | None) -> None:
        """Waits for a call alone."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.end, selectors.EVENT_READ)
            if selector.select(timeout):
                self.hush()

    def hush(self) -> None:
        """Takes note of all calls so far."""
        try:
            while self.end.recv(1024):
                pass
        except OSError:
            return

    def close(self) -> None:
        """Gives both ends free."""
        self._call.close()
        self.end.close()
