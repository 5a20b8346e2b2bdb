"""Where a server listens: a port of the loopback address, or a Unix socket. Never where other machines can reach it."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from scry.core.errors import BadRequest

LOOPBACK = "127.0.0.1"
_BACKLOG = 1024


class ListenAddress(Struct, frozen=True):
    """Where to listen: one of the two. port: 0 for any that is free."""

    port: int | None = None
    socket_path: Path | None = None


@contextmanager
def open_listening_socket(place: ListenAddress) -> Generator[socket.socket]:
    """The socket, bound and listening, closed and gone at the end. Raises BadRequest naming port or socket."""
    bound = _bind_port(place.port or 0) if place.socket_path is None else _bind_unix_socket(place.socket_path)
    try:
        yield bound
    finally:
        bound.close()
        if place.socket_path is not None:
            with suppress(OSError):
                place.socket_path.unlink()


def describe_address(bound: socket.socket, place: ListenAddress) -> str:
    """Where clients find it, as a URL, or `unix:` and a path."""
    return f"http://{LOOPBACK}:{bound.getsockname()[1]}" if place.socket_path is None else f"unix:{place.socket_path}"


def _bind_port(port: int) -> socket.socket:
    # With its protocol named: asyncio sets TCP_NODELAY on no other, and each answer would wait 40 ms for a delayed ACK.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":
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
    """Only this person may open it. What is left of a server that was killed is replaced; anything else is not."""
    if not hasattr(socket, "AF_UNIX"):
        raise BadRequest("socket", "there are no Unix sockets on this system; use --port")
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_stale_socket(path)
        before = os.umask(0o177)
        try:
            bound.bind(str(path))
        finally:
            os.umask(before)
        bound.listen(_BACKLOG)
    except BadRequest:
        bound.close()
        raise
    except OSError as error:
        bound.close()
        raise BadRequest("socket", f"{path} can't be listened on: {error.strerror or error}") from error
    return bound


def _remove_stale_socket(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise BadRequest("socket", f"{path} exists and is no socket; name another")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.settimeout(1)
        try:
            other.connect(str(path))
        except OSError:
            path.unlink()
            return
    raise BadRequest("socket", f"another server listens on {path}")
