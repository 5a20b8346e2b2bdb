"""Open SQLite files, create or migrate their tables, bind values, cache values by folder, and tell damage.

A precious file is only migrated forward: `user_version` counts the migrations that it has had, and a file with more of
them than this version knows was written by a newer Scry and is refused. A cache has one schema with a format number in
`user_version`, and is rebuilt where that differs.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Sized
from contextlib import closing, contextmanager, suppress
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, ParamSpec, TypeVar

from scry.core.errors import IndexDamaged, IndexUnavailable, ScryError
from scry.core.platform import OTHERS, create_private_file, is_on_network_file_system, restrict_access

STORE_ERRORS = (ScryError, OSError, sqlite3.Error)
"""Errors of the disk, and Cancelled, which are no fault of the item that is stored."""

BUSY_TIMEOUT_S = 5.0
"""How long a statement waits for a write of another process."""

_MAX_SQL_VARIABLES = 900
"""Values in one statement; SQLite may be built for 999 at most."""

T = TypeVar("T")


def open_database(path: Path, *, write: bool) -> sqlite3.Connection:
    """Return a connection in autocommit mode, usable from any thread under a lock of the caller.

    Raises IndexUnavailable when the file cannot be opened.
    """
    if write:
        with suppress(OSError):  # created for this user alone, before SQLite creates it for all; SQLite says why not
            create_private_file(path)
    for options in ("mode=rwc",) if write else ("mode=ro", "mode=ro", "immutable=1"):
        try:
            connection = sqlite3.connect(
                f"{path.as_uri()}?{options}",
                uri=True,
                timeout=BUSY_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,
            )
            with undecodable_schema_is_damage():
                if write:
                    with _unsynchronized_while_new(connection):
                        connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA foreign_keys=ON")
                connection.execute("PRAGMA cache_size=-8192")
        except sqlite3.Error as error:
            if options != "mode=ro" or not (roll_back(path) or _is_read_only(path, error)):
                raise IndexUnavailable(f"{path} can't be opened: {error}") from error
        else:
            return connection
    raise AssertionError("the last way to open a file ends the loop")


@contextmanager
def _unsynchronized_while_new(connection: sqlite3.Connection) -> Generator[None]:
    """Wait for the disk only where a file has tables: a new one that a power cut damages is made again."""
    try:
        if not schema_version(connection):
            connection.execute("PRAGMA synchronous=OFF")
        yield
    finally:
        connection.execute("PRAGMA synchronous=NORMAL")


@contextmanager
def undecodable_schema_is_damage() -> Generator[None]:
    """Raise sqlite3.DatabaseError where the first statement of a connection finds a schema that is not UTF-8.

    SQLite quotes the schema in its message, and Python raises UnicodeDecodeError instead of the error.
    """
    try:
        yield
    except UnicodeDecodeError:
        raise sqlite3.DatabaseError("malformed database schema: it is not UTF-8") from None


def roll_back(path: Path) -> bool:
    """Undo the transaction that a process did not end because it was killed; return whether there was one.

    SQLite does that by itself, but for connections that only read. A file has a rollback journal while it is created,
    and always on a network file system.
    """
    try:
        if not Path(f"{path}-journal").stat().st_size:
            return False
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S)) as database:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except (OSError, sqlite3.Error):
        return False
    return True


def _is_read_only(path: Path, error: sqlite3.Error) -> bool:
    """Return whether a file without a journal lies in a folder in which SQLite can't make the index of a journal.

    Such a file is read as one that nobody changes.
    """
    journal = Path(f"{path}-wal")
    is_journal_empty = not journal.exists() or not journal.stat().st_size
    return isinstance(error, sqlite3.OperationalError) and not os.access(path.parent, os.W_OK) and is_journal_empty


CHECKED_BYTES = 2_000_000
"""Size up to which the structure of a file that can't be made again is checked whenever it is opened for writing."""


def open_shared_database(
    path: Path,
    *,
    timeout: float,
    synchronous: Literal["OFF", "FULL"],
    on_network: bool | None = None,
    checked_bytes: int | None = None,
) -> sqlite3.Connection:
    """Return a connection, in autocommit mode, to a file that several processes write at the same time.

    timeout: seconds that a statement waits for a write of another process. on_network: whether the file is on a network
    file system; looked up when None. WAL needs memory shared by all users of the file, so a file on a network has a
    rollback journal instead. checked_bytes: refuse an empty file that has a backup, and a damaged one of up to this
    size. Raises sqlite3.Error, for damage sqlite3.DatabaseError itself.
    """
    try:
        status = path.stat()
    except OSError:
        size = 0
        with suppress(OSError):
            create_private_file(path)
    else:
        size = status.st_size
        if status.st_mode & OTHERS:
            restrict_access(path)
        if checked_bytes is not None and not size and any(path.parent.glob(f"backups/{path.stem}-*.sqlite")):
            raise sqlite3.DatabaseError("it is empty")
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rwc", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    try:
        with undecodable_schema_is_damage():
            is_checked = 0 < size <= (checked_bytes or 0)
            problem = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0]) if is_checked else "ok"
            if problem != "ok":
                raise sqlite3.DatabaseError(problem)
            shared = is_on_network_file_system(path.parent) if on_network is None else on_network
            journal, deadline, is_set = "DELETE" if shared else "WAL", time.monotonic() + timeout, False
            while not is_set:  # while another process creates the file, setting its journal fails at once
                try:
                    connection.execute(f"PRAGMA journal_mode={journal}")
                    is_set = True
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() >= deadline:
                        raise
                    time.sleep(0.005)
            connection.execute(f"PRAGMA synchronous={synchronous}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Write everything inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the `user_version` of a file: the number of its migrations, or its format."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def apply_migrations(connection: sqlite3.Connection, scripts: Sequence[str]) -> None:
    """Apply the migrations that the file has not had, in one transaction: no reader sees a file that is half made.

    Another process may be doing the same, so the next one is determined while nobody else can write. A migration
    applied twice need not fail, and would set the file back behind later ones.
    """
    while schema_version(connection) < len(scripts):
        with transaction(connection):
            version = schema_version(connection)
            if version < len(scripts):
                for statement in (each for script in scripts[version:] for each in _split_statements(script)):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={len(scripts)}")


class CacheSchema(NamedTuple):
    """The tables of a file that can be rebuilt, as one script, with the number of their format.

    A file of an older format is not migrated: it is rebuilt.
    """

    format: int
    script: str


def create_cache_tables(
    connection: sqlite3.Connection, schema: CacheSchema, meta: Mapping[str, object] | None = None
) -> None:
    """Create the tables of a cache, in place of those of an older format. A file of a newer format stays as it is.

    Ids of AUTOINCREMENT columns go on where they were: no id is used twice, nor a file name that is made of one.
    meta: rows of its table `meta`, written in the same transaction: no process sees the tables without them. Another
    process may be doing the same: the format is read while nobody else can write.
    """
    if schema_version(connection) >= schema.format:
        return
    with _unsynchronized_while_new(connection), transaction(connection):
        if schema_version(connection) >= schema.format:
            return
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        last_ids = _last_ids(connection)
        for (table,) in rows.fetchall():
            connection.execute(f'DROP TABLE "{table}"')
        for statement in _split_statements(schema.script):
            connection.execute(statement)
        if meta:
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        if last_ids:
            connection.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", last_ids)
        connection.execute(f"PRAGMA user_version={schema.format}")


class CacheMeta:
    """The table `meta` of a cache: values by key.

    select: returns the rows of a statement, under the lock of the file. connection: writes, inside a transaction.
    """

    def __init__(self, select: Callable[[str, Sequence[object]], list[Any]], connection: sqlite3.Connection) -> None:
        """Read nothing yet."""
        self._select = select
        self._db = connection

    def get(self, key: str) -> object:
        """Return a value; None where there is none."""
        rows = self._select("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def get_text(self, key: str) -> str | None:
        """Return a text; None where there is none."""
        return value if isinstance(value := self.get(key), str) else None

    def get_int(self, key: str) -> int:
        """Return a whole number; 0 where there is none."""
        return value if isinstance(value := self.get(key), int) else 0

    def get_ids(self, key: str) -> list[int]:
        """Return ids, which are stored as JSON; none where that is damaged."""
        with suppress(ValueError):
            return json.loads(self.get_text(key) or "[]")
        return []

    def set(self, key: str, value: object) -> None:
        """Write a value, inside a transaction."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def set_all(self, **values: object) -> None:
        """Write values by key, inside a transaction."""
        for key, value in values.items():
            self.set(key, value)

    @property
    def generation(self) -> int:
        """The number of the published state; it rises with every change that can be searched."""
        return value if isinstance(value := self.get("generation"), int) else 0

    def raise_generation(self) -> None:
        """Count a change that can be searched, inside a transaction."""
        self.set("generation", self.generation + 1)


def _last_ids(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Return the highest id that each table with an AUTOINCREMENT column has given."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone() is None:
        return []
    return connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall()


def _split_statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, since `executescript` would end the transaction that it is called in."""
    statement = ""
    for part in script.split(";"):
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def is_same_file(path: Path, opened: os.stat_result) -> bool:
    """Return whether the file at a path is still the one that was opened: not removed, not replaced."""
    try:
        return os.path.samestat(path.stat(), opened)
    except OSError:
        return False


_WAL_TIMEOUT_S = 5.0
"""How long the truncation waits for other readers of the journal."""


def truncate_wal(attempt: Callable[[], bool]) -> bool:
    """Repeat an attempt to truncate a journal; return False when another process reads the journal all the time.

    attempt: `try_truncate_wal` under the lock of its connection; returns whether the journal was truncated.
    """
    deadline = time.monotonic() + _WAL_TIMEOUT_S
    while not attempt():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def try_truncate_wal(connection: sqlite3.Connection) -> bool:
    """Truncate the journal of a file; return whether no reader was in the way."""
    return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


def write_counter(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return a value that differs as soon as any connection has written to the file; costs some microseconds."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0]), connection.total_changes


def encode_path(path: str) -> str | bytes:
    """Return a path as SQLite can hold it: text, or bytes where it is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def decode_path(value: str | bytes) -> str:
    """Return the path of a value of `encode_path`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def batches(values: Sequence[T], variables_per_value: int = 1, *, pad: bool = False) -> Iterator[list[T]]:
    """Yield lists short enough for the variables of one statement, of which each item takes `variables_per_value`.

    pad: repeat the last value up to a power of two, for the set behind `IN`. SQLite keeps the last hundred statements,
    and to prepare one of another length takes as long as to read ten rows.
    """
    batch_size = _MAX_SQL_VARIABLES // variables_per_value
    for start in range(0, len(values), batch_size):
        part = list(values[start : start + batch_size])
        length = min(1 << (len(part) - 1).bit_length(), batch_size) if pad else len(part)
        yield part + part[-1:] * (length - len(part))


def placeholders(values: Sequence[object]) -> str:
    """Return `?,?,…`, one for each value."""
    return ",".join("?" * len(values))


MOST_FILES = 200_000
"""Files whose values are cached, in all folders together: some 50 MB."""

AFTER_SLASH = chr(ord("/") + 1)
SizedT = TypeVar("SizedT", bound=Sized)


class FolderCache(Generic[SizedT]):
    """Values of folders, each of the length of its files, cached until the next write to their database.

    Used under the lock of the connection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Cache nothing yet. connection: to the database that the values are read from."""
        self._db = connection
        self._counter_seen = (0, 0)
        self._values: dict[str, SizedT] = {}

    def get(self, folder: str, read: Callable[[], SizedT]) -> SizedT:
        """Return the value of a folder, read now unless it was read since the last write."""
        counter = write_counter(self._db)
        if counter != self._counter_seen or sum(map(len, self._values.values())) > MOST_FILES:
            self._values, self._counter_seen = {}, counter
        if folder not in self._values:
            self._values[folder] = read()
        return self._values[folder]


def folder_condition(column: str, folder: str) -> tuple[str, Sequence[str | bytes]]:
    """Return a condition on the column of a path, with its values: at or below a folder."""
    if not folder:
        return "1", ()
    ranges = path_ranges(folder)
    either = " OR ".join([f"({column} >= ? AND {column} < ?)"] * len(ranges))
    return f"({either})", tuple(chain.from_iterable(ranges))


def path_ranges(folder: str) -> list[tuple[str | bytes, str | bytes]]:
    """Return the ranges (end excluded) of the paths below a folder among all sorted paths.

    Paths that are not UTF-8 are bytes, which SQLite sorts after all text.
    """
    if not folder:
        return [("", b""), (b"", b"\xff" * 8)]
    text, data = encode_path(folder), folder.encode("utf-8", "surrogateescape")
    ranges: list[tuple[str | bytes, str | bytes]] = [(data + b"/", data + AFTER_SLASH.encode())]
    if isinstance(text, str):
        ranges.append((f"{text}/", f"{text}{AFTER_SLASH}"))
    return ranges


# Damage ---------------------------------------------------------------------------------------------------------------


_DAMAGE_MESSAGES = (
    "no such table",
    "no such column",
    "no such index",
    "malformed",
    "unsupported file format",
    "Could not decode",
)
"""Beginnings of what SQLite says where tables or texts are not those that were written."""


def describe_damage_error(error: BaseException) -> str:
    """Return the damage that an error, or the cause of it, shows; "" for an error of another kind.

    A disk that is full or can't be read, and a file that another process holds, are no damage.
    """
    current: BaseException | None = error
    while current is not None:
        if isinstance(current, IndexDamaged) or _is_database_damage(current):
            return str(current)
        current = current.__cause__
    return ""


def is_access_failure(error: BaseException) -> bool:
    """Return whether files could not be read or written, or were held by another process, and may well be intact."""
    current: BaseException | None = error
    while current is not None:
        if isinstance(current, IndexDamaged) or _is_database_damage(current):
            return False
        if isinstance(current, (OSError, sqlite3.OperationalError)):
            return True
        current = current.__cause__
    return False


def _is_database_damage(error: BaseException) -> bool:
    if isinstance(error, sqlite3.OperationalError):
        return str(error).startswith(_DAMAGE_MESSAGES)
    return type(error) is sqlite3.DatabaseError or isinstance(error, sqlite3.IntegrityError)


_P = ParamSpec("_P")

_FULL_OR_FORBIDDEN = re.compile(r"(os error|code:) (13|28|30|122)\b")
"""How the messages of tantivy name a missing permission, a full disk, a read-only disk, and a spent quota."""


def describes_damage(method: Callable[_P, T]) -> Callable[_P, T]:
    """Raise IndexDamaged in place of what tantivy raises where its files are not as it wrote them.

    It raises ValueError, or panics, which reaches Python as an exception of no module that could be imported. A disk
    that can't be written is no damage, and becomes IndexUnavailable.
    """

    @wraps(method)
    def guarded(*args: _P.args, **kwargs: _P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except IndexUnavailable:
            raise
        except (ValueError, OSError) as error:
            kind = IndexUnavailable if _FULL_OR_FORBIDDEN.search(str(error)) else IndexDamaged
            raise kind(f"the word index can't be used: {error}") from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise IndexDamaged(f"the word index is damaged: {error}") from error

    return guarded
