"""Open the socket of a project's indexer, and record its address in the cache folder.

On POSIX it is a Unix socket in a folder that only the user can enter, on Windows a port of the loopback with a random
token. The address file, `indexer.json`, is only a hint: where nothing listens at its address, no indexer runs. So a
crash leaves nothing to clean up.
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

from scry.core.decoding import decode_json
from scry.core.platform import LOOPBACK, bind_private_socket, connect_to_socket, has_unix_sockets, is_private, user_id

ADDRESS_FILE = "indexer.json"
SOCKET_FILE = "indexer.sock"

_MAX_SOCKET_PATH_BYTES = 100
"""Maximum length of a socket's path. The kernel's limit is 108 bytes on Linux and 104 on macOS and the BSDs, with the
terminating zero.
"""

_BACKLOG = 16


class IndexerAddress(msgspec.Struct, frozen=True):
    """The address of an indexer: a Unix socket's path as bytes, or a port of the loopback with a token."""

    pid: int
    version: str
    socket: bytes = b""
    port: int = 0
    token: str = ""


def open_listening_socket(cache: Path, version: str) -> tuple[socket.socket, IndexerAddress]:
    """Open a listening socket and return it with its address. The caller holds the project's lock, so an old socket is
    stale.

    Raises OSError when no folder can hold a socket.
    """
    if not has_unix_sockets():
        return _listen_on_loopback(version)
    failure: OSError | None = None
    for path in _socket_path_candidates(cache):
        try:
            return _listen_on_unix_socket(path), IndexerAddress(os.getpid(), version, socket=os.fsencode(path))
        except OSError as error:  # a file system without sockets: the next candidate may have them
            failure = error
    raise failure or OSError("no place for a socket")


def _socket_path_candidates(cache: Path) -> Iterator[Path]:
    """Yield a path in the cache folder if it is short enough, then one in a private folder of the temporary folder."""
    inside = cache / SOCKET_FILE
    if len(os.fsencode(inside)) <= _MAX_SOCKET_PATH_BYTES:
        yield inside
    name = hashlib.blake2b(os.fsencode(cache), digest_size=8).hexdigest() + ".sock"
    yield _private_folder() / name


def _private_folder() -> Path:
    """Return a folder in the temporary folder that only this user can enter; a new one when the usual one is not
    private.
    """
    folder = Path(tempfile.gettempdir()) / f"scry-{user_id()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    private = stat.S_ISDIR(status.st_mode) and is_private(status)
    return folder if private else Path(tempfile.mkdtemp(prefix="scry-"))


def _listen_on_unix_socket(path: Path) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    return bind_private_socket(path, _BACKLOG)


def _listen_on_loopback(version: str) -> tuple[socket.socket, IndexerAddress]:
    server = socket.create_server((LOOPBACK, 0), backlog=_BACKLOG)
    port = int(server.getsockname()[1])
    return server, IndexerAddress(os.getpid(), version, port=port, token=secrets.token_hex(16))


def publish_address(cache: Path, address: IndexerAddress) -> None:
    """Write the address file atomically. Raises OSError."""
    # One fixed name: only the holder of the lock writes here, and a crash leaves at most one such file.
    draft = cache / f"{ADDRESS_FILE}.new"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.json.encode(address))
    draft.replace(cache / ADDRESS_FILE)


def read_address(cache: Path) -> IndexerAddress | None:
    """Return the last published address, whether or not an indexer listens there; None when there is none or it is
    unreadable.
    """
    try:
        return decode_json((cache / ADDRESS_FILE).read_bytes(), IndexerAddress)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def remove_address(cache: Path, address: IndexerAddress) -> None:
    """Remove the address file and its socket, if the file still holds this address."""
    if read_address(cache) != address:
        return
    with contextlib.suppress(OSError):
        (cache / ADDRESS_FILE).unlink()
    if address.socket:
        with contextlib.suppress(OSError):
            Path(os.fsdecode(address.socket)).unlink()


def connect_to(address: IndexerAddress, timeout: float) -> socket.socket:
    """Return a connection to the process that listens at the address. Raises OSError when none does."""
    if not address.socket:
        return socket.create_connection((LOOPBACK, address.port), timeout)
    return connect_to_socket(Path(os.fsdecode(address.socket)), timeout)
