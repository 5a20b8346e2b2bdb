"""Open the socket of a project's indexer, and record its address in the cache folder.

Where the indexer of a project listens, and how that is made known: `indexer.json` in its cache folder.

On POSIX a Unix socket in a folder that only the user can enter; on Windows a port of the loopback with a random token.
The file is only a hint: who can't connect to what it says finds no indexer there. So a crash needs no tidying up.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

ADDRESS_FILE = "indexer.json"
SOCKET_FILE = "indexer.sock"

_MAX_SOCKET_PATH_BYTES = 100
"""Bytes. The kernel's own limit is 108 on Linux and 104 on macOS and the BSDs, with the closing zero."""

_BACKLOG = 16
_HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")


class IndexerAddress(msgspec.Struct, frozen=True):
    """Where an indexer listens: a Unix socket's path as the file system's bytes, or a port of the loopback."""

    pid: int
    version: str
    socket: bytes = b""
    port: int = 0
    token: str = ""


def open_listening_socket(cache: Path, version: str) -> tuple[socket.socket, IndexerAddress]:
    """Opens a listening socket for this process, which must hold the project's lock: what lies in its way is stale.

    Raises OSError when there is no place for one.
    """
    if not _HAS_UNIX_SOCKETS:
        return _listen_on_loopback(version)
    failure: OSError | None = None
    for path in _socket_path_candidates(cache):
        try:
            return _listen_on_unix_socket(path), IndexerAddress(os.getpid(), version, socket=os.fsencode(path))
        except OSError as error:  # a file system without sockets: the next place may have them
            failure = error
    raise failure or OSError("no place for a socket")


def _socket_path_candidates(cache: Path) -> Iterator[Path]:
    """In the cache folder if that path is short enough, else in a private folder of the temp folder."""
    inside = cache / SOCKET_FILE
    if len(os.fsencode(inside)) <= _MAX_SOCKET_PATH_BYTES:
        yield inside
    name = hashlib.blake2b(os.fsencode(cache), digest_size=8).hexdigest() + ".sock"
    yield _private_folder() / name


def _private_folder() -> Path:
    """A folder in the temp folder that only this user can enter; made anew when the usual one is not trustworthy."""
    folder = Path(tempfile.gettempdir()) / f"scry-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    private = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return folder if private else Path(tempfile.mkdtemp(prefix="scry-"))


def _listen_on_unix_socket(path: Path) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        server.bind(os.fspath(path))
        server.listen(_BACKLOG)
    except OSError:
        server.close()
        raise
    finally:
        os.umask(before)
    return server


def _listen_on_loopback(version: str) -> tuple[socket.socket, IndexerAddress]:
    server = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
    port = int(server.getsockname()[1])
    return server, IndexerAddress(os.getpid(), version, port=port, token=secrets.token_hex(16))


def publish_address(cache: Path, address: IndexerAddress) -> None:
    """Makes the address known: readers see the old one, or the new one, never a part. Raises OSError."""
    # Always the same name: only who holds the lock writes here, and a crash leaves just one such file.
    draft = cache / f"{ADDRESS_FILE}.new"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.json.encode(address))
    draft.replace(cache / ADDRESS_FILE)


def read_address(cache: Path) -> IndexerAddress | None:
    """The address made known last, whether or not anyone listens there; None when there is none or it can't be read."""
    try:
        return msgspec.json.decode((cache / ADDRESS_FILE).read_bytes(), type=IndexerAddress)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def remove_address(cache: Path, address: IndexerAddress) -> None:
    """Removes the address and its socket, if it is still the one that is known."""
    if read_address(cache) != address:
        return
    with contextlib.suppress(OSError):
        (cache / ADDRESS_FILE).unlink()
    if address.socket:
        with contextlib.suppress(OSError):
            Path(os.fsdecode(address.socket)).unlink()


def connect_to(address: IndexerAddress, timeout: float) -> socket.socket:
    """A connection to whoever listens there. Raises OSError when nobody does."""
    if not address.socket:
        return socket.create_connection(("127.0.0.1", address.port), timeout)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        connection.connect(os.fsdecode(address.socket))
    except OSError:
        connection.close()
        raise
    return connection
