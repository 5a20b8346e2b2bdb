"""A server from its start to a graceful end: what is being answered when it is told to end is answered."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import uvicorn

from scry.surfaces.web.connection import MAX_CONNECTIONS, connection_class

if TYPE_CHECKING:
    from starlette.types import ASGIApp

CLIENT_TIMEOUT_S = 10.0
"""A client on this machine that needs longer to send a request, or to take an answer, is broken or means no good."""

CLIENT_TIMEOUT_VARIABLE = "SCRY_HTTP_PATIENCE"
KEEP_ALIVE_S = 30
"""Agents ask several questions in a row, with thought in between."""

_SHUTDOWN_TIMEOUT_S = 10
_MAX_HEAD_BYTES = 32 * 1024


def client_timeout() -> float:
    """Seconds that a client may take; a variable shortens it for tests."""
    with suppress(ValueError):
        return float(os.environ.get(CLIENT_TIMEOUT_VARIABLE, ""))
    return CLIENT_TIMEOUT_S


def run_server(app: ASGIApp, bound: socket.socket) -> None:
    """Serves until SIGINT or SIGTERM, and then to the end of what is being answered."""
    _raise_open_file_limit()
    config = uvicorn.Config(
        app,
        http=connection_class(client_timeout()),
        ws="none",
        lifespan="on",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT_S,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    _GracefulServer(config).run([bound])


class _GracefulServer(uvicorn.Server):
    """Ends with status 0 when it is told to end: uvicorn would die by the signal after all is done."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """While inside, a signal asks for the end."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def _raise_open_file_limit() -> None:
    """Room for all connections beside the indexes' own files."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8 * MAX_CONNECTIONS if hard == resource.RLIM_INFINITY else min(8 * MAX_CONNECTIONS, hard)
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
