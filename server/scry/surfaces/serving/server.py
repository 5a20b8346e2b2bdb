"""Listen on loopback or a Unix socket, serve until a signal, and log each request.

A server never listens where other machines can reach it. A request is one line on standard error, without the query
unless the person wants that. On a signal the requests in progress are answered before the server ends.
"""

from __future__ import annotations

import logging
import os
import socket
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.heap import limit_heap
from scry.core.platform import (
    IS_WINDOWS,
    bind_private_socket,
    connect_to_socket,
    has_unix_sockets,
    raise_open_file_limit,
)
from scry.surfaces.render.styled_text import make_printable
from scry.surfaces.serving.limits import MAX_CONNECTIONS, connection_class
from scry.surfaces.serving.tokens import load_or_create_token, token_path

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"
_BACKLOG = 1024


class ListenAddress(Struct, frozen=True):
    """The address to listen on: one of the two. port: 0 for any free port."""

    port: int | None = None
    socket_path: Path | None = None


@contextmanager
def open_listening_socket(address: ListenAddress) -> Generator[socket.socket]:
    """Open the listening socket; close it, and remove its file, at the end. Raises BadRequest for port or socket."""
    bound = _bind_port(address.port or 0) if address.socket_path is None else _bind_unix_socket(address.socket_path)
    try:
        yield bound
    finally:
        bound.close()
        if address.socket_path is not None:
            with suppress(OSError):
                address.socket_path.unlink()


def describe_address(bound: socket.socket, address: ListenAddress) -> str:
    """Return the address for clients: a URL, or `unix:` and a path."""
    return (
        f"http://{LOOPBACK}:{bound.getsockname()[1]}" if address.socket_path is None else f"unix:{address.socket_path}"
    )


def _bind_port(port: int) -> socket.socket:
    # The protocol is named: asyncio sets TCP_NODELAY on no other socket, and each response would wait 40 ms for an ACK.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if not IS_WINDOWS:  # where the option lets two servers share a port
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        bound.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        bound.close()
        why = getattr(error, "strerror", None) or error
        raise BadRequest("port", f"{port} can't be had ({why}); name another with --port") from error
    return bound


def _bind_unix_socket(path: Path) -> socket.socket:
    """Bind a socket that only this person may open. The file of a dead server is replaced, nothing else."""
    if not has_unix_sockets():
        raise BadRequest("socket", "there are no Unix sockets on this system; use --port")
    try:
        _remove_stale_socket(path)
        return bind_private_socket(path, _BACKLOG)
    except OSError as error:
        raise BadRequest("socket", f"{path} can't be listened on: {error.strerror or error}") from error


def _remove_stale_socket(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise BadRequest("socket", f"{path} exists and is no socket; name another")
    except FileNotFoundError:
        return
    try:
        connect_to_socket(path, 1).close()
    except OSError:
        path.unlink()
        return
    raise BadRequest("socket", f"another server listens on {path}")


request_log = logging.getLogger("scry.requests")


def configure_request_log(*, requests: bool = True) -> None:
    """Log warnings to standard error. requests: also a line for each request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    for name in ("scry", "uvicorn", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
        logging.getLogger(name).addHandler(handler)
    request_log.setLevel(logging.INFO if requests else logging.WARNING)


def log_request(mode: str, status: int, seconds: float, query: str | None) -> None:
    """Log an answered request. query: its text, if that is to be logged."""
    words = "" if query is None else f' "{make_printable(query)}"'
    request_log.info("%s %d %.0f ms%s", mode, status, seconds * 1000, words)


CLIENT_TIMEOUT_S = 10.0
"""Seconds for sending a request and for reading a response; a local client that needs longer is broken or hostile."""

CLIENT_TIMEOUT_VARIABLE = "SCRY_HTTP_PATIENCE"
KEEP_ALIVE_S = 30
"""Seconds that an idle connection stays open: agents ask several questions in a row, with pauses."""

_SHUTDOWN_TIMEOUT_S = 10
_MAX_HEAD_BYTES = 32 * 1024


def client_timeout() -> float:
    """Return CLIENT_TIMEOUT_S, or the value of CLIENT_TIMEOUT_VARIABLE, which tests set."""
    with suppress(ValueError):
        return float(os.environ.get(CLIENT_TIMEOUT_VARIABLE, ""))
    return CLIENT_TIMEOUT_S


def serve_with_token(address: ListenAddress, make_app: Callable[[str | None], ASGIApp], url_path: str = "") -> None:
    """Serve at an address until a signal, and print where.

    make_app: returns the application, given the token that requests show; None where the address is a socket, which
    the file system protects. url_path: the path below which the application answers.
    """
    token = load_or_create_token() if address.socket_path is None else None
    with open_listening_socket(address) as bound:
        app = make_app(token)
        print(f"Scry listens on {describe_address(bound, address)}{url_path}")
        if token is not None:
            print(f"The token is in {token_path()}")
        sys.stdout.flush()
        _run_server(app, bound)


def _run_server(app: ASGIApp, bound: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM, and then until the requests in progress are answered."""
    limit_heap()
    raise_open_file_limit(8 * MAX_CONNECTIONS)  # those of the indexes beside them
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
    """A server that ends with status 0 on a signal: uvicorn would raise the signal again after its shutdown."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Request the shutdown when a signal comes while inside."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()
