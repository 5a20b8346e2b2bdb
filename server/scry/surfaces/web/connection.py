"""One client's connection: uvicorn's, with an end to patience where it has none.

A client that sends its request byte by byte, or does not take its answer, would hold a connection for ever; one that
opens too many would keep the others out without a word.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from scry.surfaces.web.replies import HttpError

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle
    from uvicorn.server import ServerState

MAX_CONNECTIONS = 512
"""Connections at a time; each costs a file descriptor, of which a process often has 1,024."""

log = logging.getLogger(__name__)


def connection_class(timeout: float) -> type[H11Protocol]:
    """The class of connections on which a request's head, or the taking of an answer, may last so long."""

    class Patient(TimedConnection):
        patience = timeout

    return Patient


class TimedConnection(H11Protocol):
    """A connection that is cut off when its client is too slow."""

    patience = 10.0

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """As uvicorn makes them."""
        super().__init__(config, server_state, app_state, _loop)
        self._deadlines: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A client is there; it may be one too many."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            log.warning("%d connections are open: another one is turned away", MAX_CONNECTIONS)
            transport.write(_too_many_connections())
            transport.close()
            return
        self._start_deadline("head", self._time_out_request)

    def data_received(self, data: bytes) -> None:
        """Something came: a part of a head, or of a body, whose time the guard looks after."""
        before = cast("RequestResponseCycle | None", self.cycle)
        super().data_received(data)
        if self.cycle is not before:
            self._cancel_deadline("head")
        elif (before is None or before.response_complete) and "head" not in self._deadlines:
            self._start_deadline("head", self._time_out_request)

    def pause_writing(self) -> None:
        """The client takes its answer slower than it is given."""
        super().pause_writing()
        self._start_deadline("answer", self._abort_response)

    def resume_writing(self) -> None:
        """It has taken most of it."""
        super().resume_writing()
        self._cancel_deadline("answer")

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more is asked. What the client has not taken by the end of our patience is dropped."""
        super().timeout_keep_alive_handler()
        self._start_deadline("answer", self._abort_response)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        for name in list(self._deadlines):
            self._cancel_deadline(name)
        super().connection_lost(exc)

    def _start_deadline(self, name: str, late: Callable[[], None]) -> None:
        if name not in self._deadlines:
            self._deadlines[name] = self.loop.call_later(self.patience, late)

    def _cancel_deadline(self, name: str) -> None:
        if deadline := self._deadlines.pop(name, None):
            deadline.cancel()

    def _time_out_request(self) -> None:
        log.warning("a client did not finish its request within %g s", self.patience)
        if not self.transport.is_closing():
            self.transport.write(_raw_response(HttpError(408, "too_slow", f"no request came within {self.patience:g} s")))
        self.transport.close()
        self._start_deadline("answer", self._abort_response)

    def _abort_response(self) -> None:
        if not self.transport.is_closing():
            log.warning("a client did not take its answer within %g s", self.patience)
        self.transport.abort()


def _too_many_connections() -> bytes:
    return _raw_response(HttpError(503, "busy", f"{MAX_CONNECTIONS} connections are open; close some, or ask again in a moment"))


def _raw_response(refusal: HttpError) -> bytes:
    """A whole response, for a client that no request was read of."""
    body = msgspec.json.encode(refusal.report)
    phrase = {408: "Request Timeout", 503: "Service Unavailable"}[refusal.status]
    head = (
        f"HTTP/1.1 {refusal.status} {phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
