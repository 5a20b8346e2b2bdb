"""Run the language server process: streams, log, signals, and an exit in every case.

The process ends on `exit`, at the end of its input, when its output is closed, when the client's process dies, and on
SIGTERM, SIGINT and SIGHUP. Whatever hangs then, it is gone within EXIT_TIMEOUT seconds.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from scry.core.heap import limit_heap
from scry.core.platform import call_on_signals, is_process_alive
from scry.surfaces.lsp.framing import FrameReader, FrameWriter, start_reading
from scry.surfaces.lsp.lsprotocol_types import import_lsprotocol_types
from scry.surfaces.lsp.startup import start_indexers_early

if TYPE_CHECKING:
    from scry.surfaces.lsp.server import ScryServer

EXIT_TIMEOUT = 5.0
"""Seconds after which a process that should have ended is terminated."""

CLOSE_TIMEOUT = 3.0
"""Seconds that engines may take to close."""

FLUSH_TIMEOUT = 1.0
"""Seconds that writing the last responses may take."""

CLIENT_CHECK_INTERVAL = 1.0
"""Seconds between two checks of the client's process."""

GC_THRESHOLD = 20_000
"""New objects that start a garbage collection: an answer makes some thousands, nearly all without cycles."""

LOG_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
"""Values of $SCRY_LOG_LEVEL."""

log = logging.getLogger(__name__)


def run_until_exit(source: int, sink: int, first_bytes: bytes) -> int:
    """Speak LSP on these descriptors until the session ends; return the exit status.

    first_bytes: read from `source` already; the indexers of the folders in them were started.
    """
    _configure_logging()
    limit_heap()
    return asyncio.run(_ServerProcess(sink, first_bytes).run(source))


class _ServerProcess:
    """One client's connection, from the first byte to the last."""

    def __init__(self, sink: int, first_bytes: bytes) -> None:
        self._sink = sink
        self._ended = asyncio.Event()
        self._status = 0
        self._frame_reader = FrameReader()
        self._server: ScryServer | None = None
        self._pending_input = [first_bytes] if first_bytes else []

    async def run(self, source: int) -> int:
        """Serve until the session ends; return the exit status."""
        loop = asyncio.get_running_loop()
        start_reading(source, loop, self._on_input)
        await loop.run_in_executor(None, _import_server)
        from scry.surfaces.lsp.server import ScryServer, end_session

        gc.freeze()  # imported objects stay: each collection that looked through them would delay answers
        gc.set_threshold(GC_THRESHOLD)
        gc.enable()
        writer = FrameWriter(self._sink, lambda: _call_on_loop(loop, self.end, 1))
        self._server = ScryServer(self.end)
        self._server.protocol.set_writer(writer)
        self._handle_signals(loop)
        for data in self._pending_input:
            self._process_input(self._server, data)
        watch = asyncio.create_task(self._watch_client(self._server))
        await self._ended.wait()
        _force_exit_after_timeout(self._status)
        watch.cancel()
        await end_session(self._server, CLOSE_TIMEOUT)
        writer.finish(FLUSH_TIMEOUT)
        return self._status

    def end(self, status: int) -> None:
        """End the session; the first call decides the exit status."""
        if not self._ended.is_set():
            self._status = status
            self._ended.set()

    def _on_input(self, data: bytes) -> None:
        """Process the next bytes, or keep them until the server is imported."""
        if self._server is not None:
            self._process_input(self._server, data)
            return
        if not self._pending_input:
            asyncio.get_running_loop().run_in_executor(None, start_indexers_early, data)
        self._pending_input.append(data)

    def _process_input(self, server: ScryServer, data: bytes) -> None:
        """Process these bytes; empty ones are the end of input."""
        for message in self._frame_reader.feed(data):
            server.connection.receive(message)
        if not data:
            if incomplete := self._frame_reader.finish():
                server.connection.receive(incomplete)
            self.end(0 if server.connection.is_shut_down else 1)

    def _handle_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        call_on_signals(loop, ("SIGTERM", "SIGINT", "SIGHUP"), partial(self.end, 0))

    async def _watch_client(self, server: ScryServer) -> None:
        """End when the client's process is gone. One that is never visible (in a container) is not watched."""
        while server.process_id is None:
            await asyncio.sleep(CLIENT_CHECK_INTERVAL)
        client = server.process_id
        is_parent = os.getppid() == client
        if not is_process_alive(client):
            log.info("the client's process %s can't be seen from here", client)
            return
        while is_process_alive(client) and (not is_parent or os.getppid() == client):
            await asyncio.sleep(CLIENT_CHECK_INTERVAL)
        self.end(1)


def _import_server() -> None:
    """Import the server, the slow part of the start, in a thread: the client's input is read meanwhile."""
    import_lsprotocol_types()
    import_module("scry.surfaces.lsp.server")


def _call_on_loop(loop: asyncio.AbstractEventLoop, end: Callable[[int], None], status: int) -> None:
    """Call `end(status)` on the loop, from any thread, if it still runs."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(end, status)


def _force_exit_after_timeout(status: int) -> None:
    """Exit the process after EXIT_TIMEOUT seconds, whatever it is busy with."""
    timer = threading.Timer(EXIT_TIMEOUT, os._exit, (status or 1,))
    timer.daemon = True
    timer.start()


def _configure_logging() -> None:
    """Log to standard error from WARNING on, or as $SCRY_LOG_LEVEL says; pygls' complaints only at debug."""
    level = LOG_LEVELS.get(os.environ.get("SCRY_LOG_LEVEL", "").lower(), logging.WARNING)
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if level > logging.DEBUG:
        for noisy in ("pygls", "asyncio"):
            logging.getLogger(noisy).setLevel(logging.CRITICAL)
