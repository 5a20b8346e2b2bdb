"""Append to the event log of a project, read it, and answer SELECT statements on it (E1-E5).

`events.sqlite` holds queries, uses of their results, and ratings, and is precious. Events are on the disk when `append`
returns, even if the power fails in the next moment; several processes write at the same time, each event in the order
of its `sequence`. It is append-only but for the two commands in `events.maintenance`. A log of a newer version is left
as it is and refused; what can be read of a damaged one is saved into a new one, and the damaged file is kept.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from scry.core.errors import BadRequest, LogUnavailable
from scry.core.events import EventFilter, LogEvent, StoredEvent
from scry.core.files import format_size
from scry.core.platform import is_on_network_file_system, sync_folder
from scry.store.events.schema import EVENT_MIGRATIONS
from scry.store.sqlite.database import (
    apply_migrations,
    describe_damage_error,
    is_same_file,
    open_shared_database,
    roll_back,
    schema_version,
    undecodable_schema_is_damage,
)
from scry.store.sqlite.folding import add_folding, holds_text

if TYPE_CHECKING:
    from scry.store.precious.file import PreciousFile


EVENTS_FILE = "events.sqlite"
LEARNT_FILE = "learnt.sqlite"
WEIGHTS_FILE = "weights.json"
"""Made from the log: see `store.events.learner`."""

_CHECKED_BYTES = 100_000
"""Size up to which the structure of the log is checked at every opening, in 0.3 ms; the indexer checks larger ones."""

BUSY_TIMEOUT_S = 5.0
"""How long a write waits for a write of another process."""

LARGE_LOG_BYTES = 1_000_000_000
"""Size from which the log warns of itself. Nothing is removed automatically."""


_INSERT = """
    INSERT INTO events (time, kind, query_id, act_id, body) SELECT ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM events WHERE kind = 'scry.query' AND kind = ? AND query_id = ?)
        AND NOT EXISTS (SELECT 1 FROM events WHERE act_id = ?)
"""
"""Checks for a duplicate first: a refused insertion would use up a sequence number, and a gap would look like a loss.
"""


def event_log_file(folder: Path) -> PreciousFile:
    """Return the log in a data folder as a file that can't be made again."""
    from scry.store.precious.file import PreciousFile  # wanted where the file is damaged

    return PreciousFile(folder / EVENTS_FILE, "the log of events", EVENT_MIGRATIONS, ("events",), is_valid=_is_valid)


def _is_valid(_: str, row: Mapping[str, object]) -> bool:
    """Return whether an event can be read."""
    body = row["body"]
    try:
        return isinstance(body, str) and isinstance(msgspec.json.decode(body), dict)
    except msgspec.MsgspecError:
        return False


class EventLog:
    """The log, open for writing. Used by one thread at a time."""

    @classmethod
    def open(cls, folder: Path, make_folder: Callable[[], None]) -> EventLog:
        """Open the log in a folder, created where it is missing. make_folder: creates the folder; may raise OSError.

        Raises LogUnavailable with a message for a person.
        """
        path = folder / EVENTS_FILE
        try:
            make_folder()
            is_new = not path.exists()
            try:
                log = cls(path)
            except sqlite3.Error as error:
                _save_damaged(path, error)
                log = cls(path)
            if is_new:
                _sync_folders(folder)
        except (sqlite3.Error, OSError) as error:
            raise LogUnavailable(explain_log_error(error, path)) from error
        return log

    def __init__(self, path: Path) -> None:
        """Use `open`."""
        self._path = path
        self._db = open_shared_database(path, timeout=BUSY_TIMEOUT_S, synchronous="FULL", checked_bytes=_CHECKED_BYTES)
        try:
            if schema_version(self._db) > len(EVENT_MIGRATIONS):
                raise LogUnavailable(f"the log {path} was written by a newer version of Scry; update this one")
            apply_migrations(self._db, EVENT_MIGRATIONS)
            self._opened = path.stat()
        except BaseException:
            self._db.close()
            raise

    @property
    def warning(self) -> str:
        """A warning for a person about a working log; "" for none."""
        return warn_of_log_size(self._opened.st_size)

    def append(self, events: Sequence[LogEvent]) -> list[bool]:
        """Write events durably, all or none; return which of them were new.

        A query that is logged already, and a use with a known act_id, are passed over. Raises LogUnavailable.
        """
        for is_first_try in (True, False):
            new: list[bool] = []
            try:
                self._db.execute("BEGIN IMMEDIATE")
                for event in events:
                    identity = (event.kind, event.query_id, event.act_id)
                    row = (event.time_ms, *identity, event.body, *identity)
                    new.append(self._db.execute(_INSERT, row).rowcount > 0)
                self._db.execute("COMMIT")
            except (sqlite3.Error, OSError) as error:
                if not is_first_try or not self._reopen_after(error):
                    raise LogUnavailable(explain_log_error(error, self._path)) from error
            else:
                break
        return new

    def _reopen_after(self, error: sqlite3.Error | OSError) -> bool:
        """Save what can be read of a damaged log into a new one, and open that; return whether it was damaged."""
        with suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        if not isinstance(error, sqlite3.Error) or isinstance(error, sqlite3.IntegrityError):
            return False
        try:
            _save_damaged(self._path, error)
        except (sqlite3.Error, OSError):
            return False
        self._db.close()
        self._db = open_shared_database(self._path, timeout=BUSY_TIMEOUT_S, synchronous="FULL")
        self._opened = self._path.stat()
        return True

    def is_in_place(self) -> bool:
        """Return whether the file is still the one at its path: not removed, not replaced."""
        return is_same_file(self._path, self._opened)

    def close(self) -> None:
        """Close the file. Not needed for durability."""
        self._db.close()


def _save_damaged(path: Path, error: sqlite3.Error) -> None:
    """Save what can be read of a damaged log into a new one. Raises the error where it is of another kind."""
    from scry.store.precious.salvage import ensure_intact  # a log is hardly ever damaged, and opened by every command

    if not describe_damage_error(error):
        raise error
    ensure_intact(event_log_file(path.parent), thorough=True)


def now_ms() -> int:
    """Return milliseconds since the epoch, by this machine's clock."""
    return time.time_ns() // 1_000_000


def explain_log_error(error: Exception, path: Path) -> str:
    """Return why the log cannot be read or written, and a remedy, in words for a person."""
    if isinstance(error, OSError):
        return f"the log {path} can't be written: {error.strerror or error}"
    reason = str(error)
    if describe_damage_error(error):
        return f"the log {path} is damaged ({reason}); what can be read of it is saved when something is next logged"
    if "locked" in reason or "busy" in reason:
        return f"the log {path} is held by another program ({reason})"
    if "full" in reason or "disk I/O" in reason:
        return f"the log {path} can't be written: the disk is full, or fails ({reason})"
    return f"the log {path} can't be written ({reason}); is it yours, and its folder writable?"


def warn_of_log_size(size: int) -> str:
    """Return a warning for a person about the size of the log in bytes; "" for none."""
    if size < LARGE_LOG_BYTES:
        return ""
    return f"the log of events is {format_size(size)}: scry log compact makes it smaller, scry log forget empties it"


def warn_of_network_folder(folder: Path) -> str:
    """Return a warning for a person about the place of the log; "" for none."""
    if not is_on_network_file_system(folder):
        return ""
    return f"{folder} is on a network file system: the log is written with a rollback journal, which is slower than WAL"


def _sync_folders(folder: Path) -> None:
    """Flush the folder of a new file, and the folder above: the file is durable only then."""
    for folder_or_parent in (folder, folder.parent):
        sync_folder(folder_or_parent)


_COLUMNS = "sequence, kind, time, body, query_id, act_id"
_BATCH = 1000
_PROGRESS_STEPS = 100_000
_MIN_FREE_BYTES = 65_536
"""Bytes that one event may need, with the pages of its indexes."""

_ALLOWED_ACTIONS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
"""Everything that SQL of a person may do."""

_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "writefile", "readfile", "edit"})

SqlValue = str | int | float | bytes | None


class SqlResult(Struct, frozen=True):
    """The result of a SELECT."""

    columns: Sequence[str]
    rows: Sequence[Sequence[SqlValue]]


LOG_VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "queries": "ORDER BY sequence DESC",
        "usage": "ORDER BY sequence DESC",
        "ratings": "ORDER BY sequence DESC",
        "query_analysis": "ORDER BY sequence DESC, rank",
        "modes": "ORDER BY queries DESC",
        "reformulations": "ORDER BY query_id DESC",
    }
)
"""The views that `read_log_view` reads, each with its order: the newest or the most frequent rows first."""


def read_log_view(folder: Path, view: str, limit: int) -> SqlResult:
    """Return the first rows of one of `LOG_VIEWS`, without columns where nothing was logged yet. Raises LogUnavailable.

    folder: the data folder of a project.
    """
    reader = EventReader.open(folder)
    if reader is None:
        return SqlResult([], [])
    with closing(reader):
        return reader.run_select(f"SELECT * FROM {view} {LOG_VIEWS[view]} LIMIT {limit}")


class EventReader:
    """The log, open for reading. Used by one thread at a time."""

    @classmethod
    def open(cls, folder: Path) -> EventReader | None:
        """Open the log in a folder; None where nothing was logged yet. Raises LogUnavailable."""
        path = folder / EVENTS_FILE
        if not path.exists():
            return None
        try:
            database = _connect(path)
            applied = schema_version(database)
        except sqlite3.Error as error:
            raise LogUnavailable(explain_log_error(error, path)) from error
        if applied in range(1, len(EVENT_MIGRATIONS) + 1):
            return cls(path, database)
        database.close()
        if applied:
            raise LogUnavailable(f"the log {path} was written by a newer version of Scry; update this one")
        return None  # the file is being created

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        """Use `open`."""
        self.path = path
        self._db = database

    def recent_events(self, limit: int) -> list[StoredEvent]:
        """Return the last events, the newest first. Raises LogUnavailable."""
        return self._events(f"SELECT {_COLUMNS} FROM events ORDER BY sequence DESC LIMIT ?", (limit,))

    def iter_events(self) -> Iterator[StoredEvent]:
        """Yield every event, in order. Raises LogUnavailable."""
        last = 0
        sql = f"SELECT {_COLUMNS} FROM events WHERE sequence > ? ORDER BY sequence LIMIT {_BATCH}"
        while batch := self._events(sql, (last,)):
            yield from batch
            last = batch[-1].sequence

    def find_query(self, query_id: str) -> StoredEvent | None:
        """Return a query as it was logged. Raises LogUnavailable."""
        sql = f"SELECT {_COLUMNS} FROM events WHERE query_id = ? AND kind = 'scry.query'"
        events = self._events(sql, (query_id,))
        return events[0] if events else None

    def make_scratch(self) -> sqlite3.Connection:
        """Return the connection, which may hold temporary tables from now on; the log itself stays read-only."""
        self._db.execute("PRAGMA temp_store=MEMORY")
        self._db.execute("PRAGMA query_only=OFF")
        self._db.text_factory = _decode_text
        return self._db

    # For `store.events.learner` --------------------------------------------------------------------------------------

    def acts_between(self, after: int, last: int) -> list[tuple[str, object, bytes, bytes]]:
        """Return kind, time and body of the uses and ratings among these events, in order, and their questions'."""
        sql = (
            "SELECT e.kind, e.time, CAST(e.body AS BLOB), CAST(q.body AS BLOB) FROM events e "
            "JOIN events q ON q.query_id = e.query_id AND q.kind = 'scry.query' WHERE e.sequence > ? AND "
            "e.sequence <= ? AND e.kind IN ('scry.use', 'scry.feedback') ORDER BY e.sequence"
        )
        return self._rows(sql, (after, last))

    def latest_uses(self, count: int, since_ms: int) -> list[tuple[str, object, bytes, bytes]]:
        """Return query_id, time and body of the last uses since a time, in order, and the bodies of their questions."""
        sql = (
            "SELECT e.query_id, e.time, CAST(e.body AS BLOB), CAST(q.body AS BLOB) FROM events e "
            "JOIN events q ON q.query_id = e.query_id AND q.kind = 'scry.query' WHERE e.kind = 'scry.use' "
            "AND e.time >= ? ORDER BY e.sequence DESC LIMIT ?"
        )
        return self._rows(sql, (since_ms, count))[::-1]

    def last_sequence(self) -> int:
        """Return the number of the last event; 0 for none."""
        return self._rows("SELECT coalesce(max(sequence), 0) FROM events", ())[0][0]

    def last_sequence_before(self, time_ms: int) -> int:
        """Return the number of an event before which all are older than a time, by the clocks of then; 0 for none."""
        rows = self._rows("SELECT min(sequence) FROM events WHERE time >= ?", (time_ms,))
        return self.last_sequence() if rows[0][0] is None else rows[0][0] - 1

    def stamp_of(self, sequence: int) -> str | None:
        """Return a text that no other event of this number has; None for none."""
        rows = self._rows("SELECT time, kind, query_id FROM events WHERE sequence = ?", (sequence,))
        return " ".join(map(str, rows[0])) if rows else None

    def select_events(self, selection: EventFilter) -> list[StoredEvent]:
        """Return the selected events, in order. Raises LogUnavailable."""
        condition, values = selection_condition(selection)
        return self._events(f"SELECT {_COLUMNS} FROM events WHERE {condition} ORDER BY sequence", values)

    def run_select(self, sql: str) -> SqlResult:
        """Return the result of a SELECT statement of a person.

        Raises BadRequest naming the mistake, for any other statement too.
        """
        self._db.set_authorizer(_allow_reading)
        try:
            cursor = self._db.execute(sql)
            rows = cursor.fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            reason = "only SELECT is allowed here" if "not authorized" in str(error) else str(error)
            raise BadRequest("sql", reason) from error
        finally:
            self._db.set_authorizer(None)
        if cursor.description is None:
            raise BadRequest("sql", "only SELECT is allowed here")
        return SqlResult([column[0] for column in cursor.description], rows)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _events(self, sql: str, values: Sequence[SqlValue]) -> list[StoredEvent]:
        return [StoredEvent(row[0], LogEvent(*row[1:])) for row in self._rows(sql, values)]

    def _rows(self, sql: str, values: Sequence[SqlValue]) -> list[Any]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise LogUnavailable(explain_log_error(error, self.path)) from error


def explain_unwritable_log(folder: Path) -> str:
    """Return why the log in a folder cannot be written, in words for a person; "" where it can. Changes nothing."""
    existing = next(
        folder_or_parent
        for folder_or_parent in (folder / EVENTS_FILE, *(folder / EVENTS_FILE).parents)
        if folder_or_parent.exists()
    )
    try:
        reader = EventReader.open(folder)
        if reader is not None:
            reader.close()
    except LogUnavailable as error:
        return str(error)
    if not all(
        os.access(folder_or_parent, os.W_OK) for folder_or_parent in {existing, folder if folder.exists() else existing}
    ):
        return f"the log {folder / EVENTS_FILE} can't be written: {existing} is not yours to write"
    if shutil.disk_usage(existing).free < _MIN_FREE_BYTES:
        return f"the log {folder / EVENTS_FILE} can't be written: the disk is full"
    return ""


def selection_condition(selection: EventFilter) -> tuple[str, list[SqlValue]]:
    """Return a selection as a SQL condition on `events`, with its values, for a database with `add_folding`.

    Uses and ratings of a selected query are selected too.
    """
    if selection == EventFilter():
        return "kind NOT IN ('scry.forget', 'scry.compact')", []
    parts: list[tuple[str, SqlValue]] = [
        ("query_id = ?", selection.query_id),
        ("time >= ?", selection.since),
        ("time < ?", selection.until),
        (holds_text("body"), None if selection.text is None else _json_text(selection.text)),
    ]
    given = [(sql, value) for sql, value in parts if value is not None]
    wanted, values = " AND ".join(sql for sql, _ in given), [value for _, value in given]
    queries = f"SELECT query_id FROM events WHERE kind = 'scry.query' AND {wanted}"
    acts = f"kind IN ('scry.use', 'scry.feedback') AND {wanted}"
    return f"(query_id IN ({queries}) OR ({acts}))", [*values, *values]


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1].casefold()


def _connect(path: Path) -> sqlite3.Connection:
    """Open a log for reading.

    In a folder that cannot be written, the log is read as immutable, unless a part of it is still in its journal.
    """
    try:
        return _open_read_only(path, "mode=ro")
    except sqlite3.OperationalError:
        if roll_back(path):
            return _open_read_only(path, "mode=ro")
        journal = Path(f"{path}-wal")
        if journal.exists() and journal.stat().st_size:
            raise
        return _open_read_only(path, "immutable=1")


def _open_read_only(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only=ON")
        with undecodable_schema_is_damage():
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    connection.set_progress_handler(_continue_statement, _PROGRESS_STEPS)
    add_folding(connection)
    return connection


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _continue_statement() -> int:
    """Return 0, so that Python can interrupt an endless SELECT."""
    return 0


def _allow_reading(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action not in _ALLOWED_ACTIONS or (action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
