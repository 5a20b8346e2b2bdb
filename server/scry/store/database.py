"""Opens SQLite files, and moves their shape forward.

A shape only moves forward: `user_version` counts the migrations that a file has had. A file with more of them than this
version knows was written by a newer Scry; a cache is then started anew, anything precious is refused.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from scry.core.errors import IndexUnavailable
from scry.store.file_system import is_on_network_file_system

BUSY_TIMEOUT_S = 5.0
"""How long a statement waits for another process's write before it gives up."""

_MAX_SQL_VARIABLES = 900
"""Values in one statement; SQLite may be built for 999 at most."""

T = TypeVar("T")


def open_database(path: Path, *, write: bool) -> sqlite3.Connection:
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


def open_shared_database(
    path: Path, *, timeout: float, synchronous: Literal["OFF", "FULL"], on_network: bool | None = None
) -> sqlite3.Connection:
    """A connection, in autocommit mode, to a file that several processes write at the same time.

    timeout: seconds that a statement waits for another process's write. on_network: whether the file is on a network
    file system; looked up when None. WAL needs memory that all its users share, so that such a file is kept with a
    rollback journal instead. Raises sqlite3.Error.
    """
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rwc", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    try:
        shared = is_on_network_file_system(path.parent) if on_network is None else on_network
        _set_journal(connection, "DELETE" if shared else "WAL", timeout)
        connection.execute(f"PRAGMA synchronous={synchronous}")
    except BaseException:
        connection.close()
        raise
    return connection


def _set_journal(connection: sqlite3.Connection, mode: str, timeout: float) -> None:
    """While another process makes the file, this fails at once instead of waiting."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode={mode}")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.005)
        else:
            return


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """All that is written inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def schema_version(connection: sqlite3.Connection) -> int:
    """How many migrations the file has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def apply_migrations(connection: sqlite3.Connection, scripts: Sequence[str]) -> None:
    """Applies the migrations that the file has not had, each in a transaction of its own.

    Another process may be doing the same: which one is next is read while nobody else can write. One that is applied
    twice need not fail, and would set the file back behind those that came after it.
    """
    while schema_version(connection) < len(scripts):
        with transaction(connection):
            number = schema_version(connection)
            if number < len(scripts):
                for statement in _split_statements(scripts[number]):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={number + 1}")


def _split_statements(script: str) -> Iterator[str]:
    """One by one, because `executescript` would end the transaction that it is called in."""
    statement = ""
    for part in script.split(";"):
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def write_counter(connection: sqlite3.Connection) -> tuple[int, int]:
    """What differs as soon as anything in the file was written since, by any connection; costs some microseconds."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0]), connection.total_changes


def encode_path(path: str) -> str | bytes:
    """A path as SQLite can hold it: text, or its bytes where they are no UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def decode_path(value: str | bytes) -> str:
    """The path back from `path_to_sql`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def batches(values: Sequence[T], variables_per_value: int = 1) -> Iterator[list[T]]:
    """Lists short enough for one statement's variables, of which each item takes `values_each`."""
    most = _MAX_SQL_VARIABLES // variables_per_value
    for start in range(0, len(values), most):
        yield list(values[start : start + most])


def placeholders(values: Sequence[object]) -> str:
    """As many question marks as there are values."""
    return ",".join("?" * len(values))
