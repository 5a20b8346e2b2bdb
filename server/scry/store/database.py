"""Opens SQLite files, and moves their shape forward.

A shape only moves forward: `user_version` counts the migrations that a file has had. A file with more of them than this
version knows was written by a newer Scry; a cache is then started anew, anything precious is refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from scry.core.errors import IndexUnavailable

BUSY_TIMEOUT_S = 5.0
"""How long a statement waits for another process's write before it gives up."""


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection in autocommit mode, usable from any thread under a lock of the caller's.

    Raises IndexUnavailable when the file can't be opened.
    """
    try:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode={'rwc' if write else 'ro'}",
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        if write:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA cache_size=-8192")
    except sqlite3.Error as error:
        raise IndexUnavailable(f"{path} can't be opened: {error}") from error
    return connection


def version(connection: sqlite3.Connection) -> int:
    """How many migrations the file has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: Sequence[str]) -> None:
    """Applies the migrations that the file has not had, each in a transaction of its own."""
    for number, script in enumerate(migrations[version(connection) :], version(connection) + 1):
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version={number};\nCOMMIT;")


def path_to_sql(path: str) -> str | bytes:
    """A path as SQLite can hold it: text, or its bytes where they are no UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def path_from_sql(value: str | bytes) -> str:
    """The path back from `path_to_sql`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
