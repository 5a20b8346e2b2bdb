"""A SQLite file that holds a shelf beside its owner's own tables."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.store.database import BUSY_TIMEOUT_S, open_database, open_shared_database, apply_migrations, transaction, schema_version
from scry.store.shelf import NoteStore


class NoteDatabase:
    """One such file. Any number of processes read and write it; every method may be called from any thread.

    What is removed is overwritten: nothing of a forgotten text stays in the file (`forget_traces` does the rest).
    """

    def __init__(self, name: str, path: Path, migrations: Sequence[str], *, write: bool) -> None:
        """Opens the file, made where it is missing and `write` is set. name: of its shelf, of core.knowledge.

        The shelf's vectors lie in the same folder. Raises IndexUnavailable, also for a file of another version of
        Scry that can't be brought to this one's.
        """
        self.path = path
        self.lock = threading.RLock()
        try:
            self.connection = _open_note_database(path, migrations, write=write)
            self._opened = path.stat()
        except (sqlite3.Error, OSError) as error:
            raise IndexUnavailable(f"{path} can't be opened: {error}") from error
        self.notes = NoteStore(name, path.parent, self.connection, self.lock)

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All that is written inside, or nothing. Raises IndexUnavailable when it can't be written."""
        try:
            with self.lock, transaction(self.connection):
                yield self.connection
        except sqlite3.Error as error:
            raise IndexUnavailable(f"{self.path} can't be written: {error}") from error

    def erase_removed(self) -> None:
        """After texts were removed: leaves nothing of them in this file, its journal or the vectors beside it."""
        with self.transaction():
            self.notes.compact_vectors(force=True)
        try:
            with self.lock:
                self.connection.execute("VACUUM")
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise IndexUnavailable(f"{self.path} can't be cleared of what was removed: {error}") from error
        self.notes.delete_unused_files()

    def is_in_place(self) -> bool:
        """Whether the file is still the one at its path; not so when it was removed or replaced."""
        try:
            return os.path.samestat(self.path.stat(), self._opened)
        except OSError:
            return False

    def close(self) -> None:
        """Gives the file free."""
        with self.lock:
            self.connection.close()


def _open_note_database(path: Path, migrations: Sequence[str], *, write: bool) -> sqlite3.Connection:
    if not write:
        connection = open_database(path, write=False)
        if schema_version(connection) != len(migrations):
            connection.close()
            raise IndexUnavailable(f"{path} was written by another version of Scry")
        return connection
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = open_shared_database(path, timeout=BUSY_TIMEOUT_S, synchronous="FULL")
    try:
        if schema_version(connection) > len(migrations):
            raise IndexUnavailable(f"{path} was written by a newer version of Scry; update this one")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA foreign_keys=ON")
        apply_migrations(connection, migrations)
    except BaseException:
        connection.close()
        raise
    return connection
