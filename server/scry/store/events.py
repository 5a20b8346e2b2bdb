"""The log of events of a project, `events.sqlite`: what was asked, what was used of it, what was thought of it (E1-E5).

It is precious. What `append` has returned for is on the disk, even if the power fails in the next moment; several
processes write at the same time, each event in the order of its `sequence`. It is append-only but for the two acts in
store.event_upkeep. A log that is damaged, or of a newer version, is left as it is and refused.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scry.core.errors import LogUnavailable
from scry.core.events import LogEvent
from scry.core.sizes import format_size
from scry.store.database import open_shared_database, apply_migrations, schema_version
from scry.store.event_migrations import EVENT_MIGRATIONS
from scry.store.file_system import is_on_network_file_system

EVENTS_FILE = "events.sqlite"

BUSY_TIMEOUT_S = 5.0
"""How long a write waits for another process's."""

LARGE_LOG_BYTES = 1_000_000_000
"""From this size on the log warns of itself. Nothing is removed by itself."""


_INSERT = """
    INSERT INTO events (time, kind, query_id, act_id, body) SELECT ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM events WHERE kind = 'scry.query' AND kind = ? AND query_id = ?)
        AND NOT EXISTS (SELECT 1 FROM events WHERE act_id = ?)
"""
"""Asks first: an insertion that is refused would use up a number, and a gap would look like a loss."""


class EventLog:
    """The log, open for writing. Used by one thread at a time."""

    @classmethod
    def open(cls, folder: Path, make_folder: Callable[[], None]) -> EventLog:
        """The log in a folder, made where it is missing. make_folder: makes the folder; may raise OSError.

        Raises LogUnavailable, which says why in words for a person.
        """
        path = folder / EVENTS_FILE
        try:
            make_folder()
            is_new = not path.exists()
            log = cls(path)
            if is_new:
                _sync_folders(folder)
        except (sqlite3.Error, OSError) as error:
            raise LogUnavailable(explain_log_error(error, path)) from error
        return log

    def __init__(self, path: Path) -> None:
        """Use `open`."""
        self._path = path
        self._db = open_shared_database(path, timeout=BUSY_TIMEOUT_S, synchronous="FULL")
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
        """What a person should know of the log although it works; empty for nothing."""
        return warn_of_log_size(self._opened.st_size)

    def append(self, events: Sequence[LogEvent]) -> list[bool]:
        """Writes events, all or none; returns which of them were new. They are on the disk then.

        A query that is logged already, and a use whose act_id is, are passed over. Raises LogUnavailable.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            new = [self._insert(event) for event in events]
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise LogUnavailable(explain_log_error(error, self._path)) from error
        return new

    def is_in_place(self) -> bool:
        """Whether the file is still the one at its path; not so when it was removed or replaced."""
        try:
            return os.path.samestat(self._path.stat(), self._opened)
        except OSError:
            return False

    def close(self) -> None:
        """Gives the file free. Not needed for durability."""
        self._db.close()

    def _insert(self, event: LogEvent) -> bool:
        row = (event.time_ms, event.kind, event.query_id, event.act_id, event.body)
        return self._db.execute(_INSERT, (*row, event.kind, event.query_id, event.act_id)).rowcount > 0


def explain_log_error(error: Exception, path: Path) -> str:
    """What keeps the log from being read or written, and what to do, in words for a person."""
    if isinstance(error, OSError):
        return f"the log {path} can't be written: {error.strerror or error}"
    what = str(error)
    if type(error) is sqlite3.DatabaseError:
        return f"the log {path} is damaged ({what}); move it away, and a new one is begun"
    if "locked" in what or "busy" in what:
        return f"the log {path} is held by another program ({what})"
    if "full" in what or "disk I/O" in what:
        return f"the log {path} can't be written: the disk is full, or fails ({what})"
    return f"the log {path} can't be written ({what}); is it yours, and its folder writable?"


def warn_of_log_size(size: int) -> str:
    """What a person should know of how large the log is, in bytes; empty for nothing."""
    if size < LARGE_LOG_BYTES:
        return ""
    return f"the log of events is {format_size(size)}: scry log compact makes it smaller, scry log forget empties it"


def warn_of_network_folder(folder: Path) -> str:
    """What a person should know of where the log is; empty for nothing."""
    if not is_on_network_file_system(folder):
        return ""
    return f"{folder} is on a network file system: the log is written with a rollback journal, which is slower than WAL"


def _sync_folders(folder: Path) -> None:
    """A file that was made is on the disk once its folder is, and that once the folder above is."""
    if sys.platform == "win32":
        return
    for place in (folder, folder.parent):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
