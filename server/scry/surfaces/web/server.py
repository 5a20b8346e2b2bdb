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

from scry.surfaces.web.connection import MOST, patient_for

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PATIENCE_S = 10.0
"""A client on this machine that needs longer to send a request, or to take an answer, is broken or means no good."""

PATIENCE_VARIABLE = "SCRY_HTTP_PATIENCE"
KEEP_ALIVE_S = 30
"""Agents ask several questions in a row, with thought in between."""

_END_WITHIN_S = 10
_MOST_HEAD = 32 * 1024


def patience() -> float:
    """Seconds that a client may take; a variable shortens it for tests."""
    with suppress(ValueError):
        return float(os.environ.get(PATIENCE_VARIABLE, ""))
    return PATIENCE_S


def run_server(app: ASGIApp, bound: socket.socket) -> None:
    """Serves until SIGINT or SIGTERM, and then to the end of what is being answered."""
    _allow_many_files()
    config = uvicorn.Config(
        app,
        http=patient_for(patience()),
        ws="none",
        lifespan="on",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=_END_WITHIN_S,
        h11_max_incomplete_event_size=_MOST_HEAD,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    _Server(config).run([bound])


class _Server(uvicorn.Server):
    """Ends with status 0 when it is told to end: uvicorn would die by the signal after all is done."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """While inside, a signal asks for the end."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def _allow_many_files() -> None:
    """Room for all connections beside the indexes' own files."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8 * MOST if hard == resource.RLIM_INFINITY else min(8 * MOST, hard)
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
