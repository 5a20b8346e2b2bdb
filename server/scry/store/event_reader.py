"""The log of events, for reading alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scry.core.errors import BadRequest, LogUnavailable
from scry.core.events import Event, LoggedEvent, Selection
from scry.store.database import version
from scry.store.event_migrations import EVENTS
from scry.store.events import BUSY_TIMEOUT_S, FILE, explain

_COLUMNS = "sequence, kind, time, body, query_id, act_id"
_BATCH = 1000

_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
"""All that a person's SQL may do."""

_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "writefile", "readfile", "edit"})

Value = str | int | float | bytes | None


@dataclass(frozen=True, slots=True)
class Table:
    """What a SELECT answered."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]


class EventReader:
    """The log, open for reading. Used by one thread at a time."""

    @classmethod
    def open(cls, folder: Path) -> EventReader | None:
        """The log in a folder; None where nothing was logged yet. Raises LogUnavailable."""
        path = folder / FILE
        if not path.exists():
            return None
        try:
            return cls(path)
        except sqlite3.Error as error:
            raise LogUnavailable(explain(error, path)) from error

    def __init__(self, path: Path) -> None:
        """Use `open`."""
        self.path = path
        self._db = _connect(path)
        try:
            if version(self._db) > len(EVENTS):
                raise LogUnavailable(f"the log {path} was written by a newer version of Scry; update this one")
        except BaseException:
            self._db.close()
            raise

    def recent(self, limit: int) -> list[LoggedEvent]:
        """The last events, the newest first. Raises LogUnavailable."""
        return self._events(f"SELECT {_COLUMNS} FROM events ORDER BY sequence DESC LIMIT ?", (limit,))

    def all(self) -> Iterator[LoggedEvent]:
        """Every event, in order. Raises LogUnavailable."""
        last = 0
        sql = f"SELECT {_COLUMNS} FROM events WHERE sequence > ? ORDER BY sequence LIMIT {_BATCH}"
        while batch := self._events(sql, (last,)):
            yield from batch
            last = batch[-1].sequence

    def query(self, query_id: str) -> LoggedEvent | None:
        """A query as it was logged. Raises LogUnavailable."""
        sql = f"SELECT {_COLUMNS} FROM events WHERE query_id = ? AND kind = 'scry.query'"
        found = self._events(sql, (query_id,))
        return found[0] if found else None

    def selected(self, selection: Selection) -> list[LoggedEvent]:
        """The events that a person means, in order. Raises LogUnavailable."""
        condition, values = condition_of(selection)
        return self._events(f"SELECT {_COLUMNS} FROM events WHERE {condition} ORDER BY sequence", values)

    def select(self, sql: str) -> Table:
        """What a person's own SELECT answers; nothing else is allowed. Raises BadRequest naming the mistake."""
        self._db.set_authorizer(_allow_reading)
        try:
            cursor = self._db.execute(sql)
            rows = cursor.fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            what = "only SELECT is allowed here" if "not authorized" in str(error) else str(error)
            raise BadRequest("sql", what) from error
        finally:
            self._db.set_authorizer(None)
        if cursor.description is None:
            raise BadRequest("sql", "only SELECT is allowed here")
        return Table([column[0] for column in cursor.description], rows)

    def close(self) -> None:
        """Gives the file free."""
        self._db.close()

    def _events(self, sql: str, values: Sequence[Value]) -> list[LoggedEvent]:
        try:
            rows = self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise LogUnavailable(explain(error, self.path)) from error
        return [LoggedEvent(row[0], Event(*row[1:])) for row in rows]


def condition_of(selection: Selection) -> tuple[str, list[Value]]:
    """A selection as SQL over `events`, with its values. What is about a selected query is selected too."""
    wanted = ["kind = 'scry.query'"]
    values: list[Value] = []
    for column, value in (("query_id = ?", selection.query_id), ("time >= ?", selection.since)):
        if value is not None:
            wanted.append(column)
            values.append(value)
    if selection.until is not None:
        wanted.append("time < ?")
        values.append(selection.until)
    if selection.text is not None:
        wanted.append("instr(lower(body), lower(?)) > 0")
        values.append(selection.text)
    if not values:
        return "kind NOT IN ('scry.forget', 'scry.compact')", []
    queries = f"SELECT query_id FROM events WHERE {' AND '.join(wanted)}"
    return _with_what_is_about(queries, values, selection)


def _with_what_is_about(queries: str, values: list[Value], selection: Selection) -> tuple[str, list[Value]]:
    """Uses and ratings of selected queries; and those that are themselves in the time, or hold the text."""
    own = queries.replace("SELECT query_id FROM events WHERE kind = 'scry.query'", "kind IN ('scry.use', 'scry.feedback')")
    return f"(query_id IN ({queries}) OR ({own}))", [*values, *values]


def _connect(path: Path) -> sqlite3.Connection:
    """In a folder that can't be written, a log that nobody has open is read as it lies."""
    last: sqlite3.Error | None = None
    for mode in ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        try:
            connection.execute("PRAGMA query_only=ON")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            last = error
        else:
            return connection
    assert last is not None
    raise last


def _allow_reading(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
