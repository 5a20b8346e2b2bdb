"""Limit requests and connections: how many at once, how many waiting, how slow.

RequestPool runs requests in threads; TimedConnection cuts off a client that sends its request byte by byte, or does not
read its response, and refuses connections over a limit with a response.

TimedConnection extends a protocol class of uvicorn 0.54 because its settings were tried and fall short: it checks
`limit_concurrency` only once a request's head was read, `timeout_keep_alive` starts only after a response, and no
setting limits the time for sending a head or for reading a response.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar, cast

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from scry.core.errors import Busy, TookTooLong
from scry.surfaces.serving.replies import HttpError

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle
    from uvicorn.server import ServerState

T = TypeVar("T")

REQUEST_THREADS = 8
"""Requests that are answered at the same time; more of them wait."""

MAX_WAITING_REQUESTS = 256
"""Requests that may wait: a few seconds' work. Later ones are refused with Busy."""

REQUEST_TIMEOUT_S = 30.0
"""Seconds after which a request is given up: a later answer is of no use to the program that waits."""


class RequestPool:
    """The threads of one server, and the requests that wait for them. Used on the event loop."""

    def __init__(
        self,
        threads: int = REQUEST_THREADS,
        max_waiting: int = MAX_WAITING_REQUESTS,
        timeout: float = REQUEST_TIMEOUT_S,
    ) -> None:
        """Start no thread yet. timeout: seconds for a request, the time in the queue included."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="scry-ask")
        self._max_requests = threads + max_waiting
        self._timeout = timeout
        self._active = 0

    async def run(self, work: Callable[[Callable[[], bool]], T]) -> T:
        """Run `work` in a thread and return its result. The check that it is given turns true when nobody waits.

        Raises Busy, TookTooLong, and what `work` raises.
        """
        if self._active >= self._max_requests:
            raise Busy(f"{self._active:,} questions are being answered or wait; ask again in a moment")
        stop = threading.Event()
        self._active += 1
        try:
            return await asyncio.wait_for(self._in_thread(work, stop), self._timeout)
        except asyncio.TimeoutError:
            raise TookTooLong(f"there was no answer within {self._timeout:g} s; ask for less, or again later") from None
        finally:
            stop.set()
            self._active -= 1

    async def _in_thread(self, work: Callable[[Callable[[], bool]], T], stop: threading.Event) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, stop.is_set)

    def close(self) -> None:
        """Refuse further requests; those in progress may end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


MAX_CONNECTIONS = 512
"""Connections that are open at the same time; each costs a file descriptor, of which a process often has 1,024."""

log = logging.getLogger(__name__)


def connection_class(timeout: float) -> type[H11Protocol]:
    """Return the class of connections with this timeout in seconds for a request's head and for reading a response."""

    class Connection(TimedConnection):
        patience = timeout

    return Connection


class TimedConnection(H11Protocol):
    """A connection of uvicorn that is cut off when its client is too slow."""

    patience = 10.0

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Take what uvicorn passes. No deadline runs yet."""
        super().__init__(config, server_state, app_state, _loop)
        self._deadlines: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Start the deadline of the first request's head; refuse a connection over the limit."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            log.warning("%d connections are open: another one is turned away", MAX_CONNECTIONS)
            transport.write(_too_many_connections())
            transport.close()
            return
        self._start_deadline("head", self._time_out_request)

    def data_received(self, data: bytes) -> None:
        """Pass on a part of a head, whose deadline is kept here, or of a body, whose deadline AccessGuard keeps."""
        before = cast("RequestResponseCycle | None", self.cycle)
        super().data_received(data)
        if self.cycle is not before:
            self._cancel_deadline("head")
        elif (before is None or before.response_complete) and "head" not in self._deadlines:
            self._start_deadline("head", self._time_out_request)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP. A request whose head was right may be in hand: it gets no second answer."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is None or cycle.response_complete:
            super().send_400_response(msg)
            return
        if cycle.response_started:
            self.transport.close()
        else:
            super().send_400_response(msg)
        cycle.disconnected = True
        cycle.message_event.set()

    def pause_writing(self) -> None:
        """Start the deadline of a response that the client reads slower than it is written."""
        super().pause_writing()
        self._start_deadline("answer", self._abort_response)

    def resume_writing(self) -> None:
        """Cancel the deadline: the client has read most of the response."""
        super().resume_writing()
        self._cancel_deadline("answer")

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection; a response that the client has not read by the deadline is dropped."""
        super().timeout_keep_alive_handler()
        self._start_deadline("answer", self._abort_response)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all deadlines of a connection that has ended."""
        for name in list(self._deadlines):
            self._cancel_deadline(name)
        super().connection_lost(exc)

    def _start_deadline(self, name: str, on_timeout: Callable[[], None]) -> None:
        if name not in self._deadlines:
            self._deadlines[name] = self.loop.call_later(self.patience, on_timeout)

    def _cancel_deadline(self, name: str) -> None:
        if deadline := self._deadlines.pop(name, None):
            deadline.cancel()

    def _time_out_request(self) -> None:
        log.warning("a client did not finish its request within %g s", self.patience)
        if not self.transport.is_closing():
            self.transport.write(
                _raw_response(HttpError(408, "too_slow", f"no request came within {self.patience:g} s"))
            )
        self.transport.close()
        self._start_deadline("answer", self._abort_response)

    def _abort_response(self) -> None:
        if not self.transport.is_closing():
            log.warning("a client did not take its answer within %g s", self.patience)
        self.transport.abort()


def _too_many_connections() -> bytes:
    return _raw_response(
        HttpError(503, "busy", f"{MAX_CONNECTIONS} connections are open; close some, or ask again in a moment")
    )


def _raw_response(refusal: HttpError) -> bytes:
    """Return a whole response as bytes, for a client whose request was not read."""
    body = msgspec.json.encode(refusal.report)
    phrase = {408: "Request Timeout", 503: "Service Unavailable"}[refusal.status]
    head = (
        f"HTTP/1.1 {refusal.status} {phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
