"""The SQLite file of a note store: one connection under one lock, its transactions and its generation."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from scry.core.errors import IndexDamaged, IndexMissing, IndexUnavailable
from scry.core.knowledge import FIRST_DOC_KEYS
from scry.core.platform import make_private_folder
from scry.store.precious.file import PreciousFile
from scry.store.seals import CacheSeal
from scry.store.sqlite.database import (
    BUSY_TIMEOUT_S,
    CacheSchema,
    apply_migrations,
    batches,
    create_cache_tables,
    describe_damage_error,
    is_same_file,
    open_database,
    open_shared_database,
    placeholders,
    schema_version,
    transaction,
    try_truncate_wal,
)

NoteSchema = CacheSchema | PreciousFile
"""The tables of a cache, or what is to be known of a file that cannot be rebuilt."""


class NoteDatabase:
    """A SQLite file with a note store, shared by the parts that read and write it and by the owner of its other tables.

    Any number of processes read and write it; every method may be called from any thread. Removed content is
    overwritten: nothing of a forgotten text stays in the file (`NoteStore.erase_removed` does the rest).
    """

    def __init__(self, name: str, path: Path, schema: NoteSchema, *, write: bool) -> None:
        """Open the file, created where it is missing and `write` is set. name: of its note store, of core.knowledge.

        The vectors of the note store lie in the same folder. Raises IndexUnavailable, also for a file of another
        version of Scry that cannot be migrated.
        """
        self.name = name
        self.first_doc_key = FIRST_DOC_KEYS[name]
        self.path = path
        self.lock = threading.RLock()
        self._schema = schema
        self._seal = CacheSeal(path.parent, path.stem) if isinstance(schema, CacheSchema) else None
        self._is_sealed = write and self._seal is not None and self._seal.exists
        try:
            self.connection = _open_note_database(path, schema, write=write)
            self._opened = path.stat()
        except (sqlite3.Error, OSError) as error:
            raise IndexUnavailable(f"{path} can't be opened: {error}") from error

    @property
    def generation(self) -> int:
        """A number that rises with every change of the documents or their vectors."""
        rows = self.select("SELECT value FROM shelf_state WHERE key = 'generation'")
        return int(rows[0][0]) if rows else 0

    def raise_generation(self) -> None:
        """Count a change of the documents or their vectors, inside a transaction."""
        self.connection.execute(
            "INSERT INTO shelf_state VALUES ('generation', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )

    def select(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows of a statement. Raises IndexUnavailable."""
        with self.read_errors():
            return self.connection.execute(sql, values).fetchall()

    def select_in(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Return all rows of a statement in which `{}` stands for the values. Raises IndexUnavailable."""
        return [row for part in batches(values) for row in self.select(sql.format(placeholders(part)), part)]

    @contextmanager
    def read_errors(self) -> Generator[None]:
        """Hold the lock, and raise IndexUnavailable for what can't be read inside."""
        try:
            with self.lock:
                yield
        except (sqlite3.Error, FileNotFoundError) as error:
            raise IndexUnavailable(f"the {self.name} notes can't be read: {error}") from error

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Write everything inside, or nothing. Raises IndexUnavailable when it cannot be written."""
        try:
            with self.lock:
                self._remove_seal()
                with transaction(self.connection):
                    yield self.connection
        except sqlite3.Error as error:
            if isinstance(self._schema, PreciousFile) and describe_damage_error(error):
                self._save_damaged(self._schema)
            raise IndexUnavailable(f"{self.path} can't be written: {error}") from error

    def _save_damaged(self, file: PreciousFile) -> None:
        """Save what can be read of a damaged file into a new one, which is opened by whoever comes next.

        Raises IndexUnavailable, which says so.
        """
        with suppress(sqlite3.Error):
            self.connection.close()
        from scry.store.precious.salvage import ensure_intact

        report = None
        with suppress(OSError, sqlite3.Error):
            report = ensure_intact(file, thorough=True)
        if report is not None:
            raise IndexUnavailable(f"{report.describe()}. Nothing was written just now: do it again")

    def seal(self, vector_files: Sequence[Path]) -> bool:
        """Record the checksums of the files of a cache, unless a reader holds the journal; return whether it is done.

        Raises OSError.
        """
        with self.lock:
            if self._seal is None or self._is_sealed:
                return True
            if not self.try_truncate_wal():
                return False
            self._seal.write([self.path, *vector_files])
            self._is_sealed = True
            return True

    def _remove_seal(self) -> None:
        if self._seal is not None and self._is_sealed:
            self._seal.remove()
            self._is_sealed = False

    def is_in_place(self) -> bool:
        """Return whether the file is still the one at its path: not removed, not replaced."""
        return is_same_file(self.path, self._opened)

    def try_truncate_wal(self) -> bool:
        """Truncate the journal; return whether no reader was in the way. Raises sqlite3.Error."""
        with self.lock:
            return try_truncate_wal(self.connection)

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()


def _open_note_database(path: Path, schema: NoteSchema, *, write: bool) -> sqlite3.Connection:
    current = schema.format if isinstance(schema, CacheSchema) else len(schema.migrations)
    if isinstance(schema, CacheSchema):
        seal = CacheSeal(path.parent, path.stem)
        if damage := describe_cache_damage(path) if write else seal.describe_damage(thorough=False):
            raise IndexDamaged(damage)
    if not write:
        return _open_for_reading(path, current)
    make_private_folder(path.parent)
    if isinstance(schema, PreciousFile):
        from scry.store.precious.salvage import require_intact  # to read needs none of it

        require_intact(schema)
    connection = open_shared_database(path, timeout=BUSY_TIMEOUT_S, synchronous="FULL")
    try:
        version = schema_version(connection)
        if version > current:
            raise IndexUnavailable(f"{path} was written by a newer version of Scry; update this one")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA foreign_keys=ON")
        if not isinstance(schema, CacheSchema):
            apply_migrations(connection, schema.migrations)
        elif version in (0, current):
            create_cache_tables(connection, schema)
        else:
            raise IndexUnavailable(f"{path} was written by an older version of Scry")
    except BaseException:
        connection.close()
        raise
    return connection


def describe_cache_damage(path: Path) -> str:
    """Return the damage of a note store that is a cache, by its seal; without one SQLite checks the structure."""
    seal = CacheSeal(path.parent, path.stem)
    if seal.exists:
        return seal.describe_damage(thorough=True)
    if not path.exists() or not path.stat().st_size:
        return ""
    try:
        with closing(open_database(path, write=False)) as database:
            problem = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    except (sqlite3.DatabaseError, IndexUnavailable) as error:
        if damage := describe_damage_error(error):
            return damage
        raise IndexUnavailable(f"{path} can't be read: {error}") from error
    return "" if problem == "ok" else problem


def _open_for_reading(path: Path, version: int) -> sqlite3.Connection:
    connection = open_database(path, write=False)
    try:
        stored = schema_version(connection)
        if not stored and any(path.parent.glob(f"backups/{path.stem}-*.sqlite")):
            raise IndexDamaged(f"{path} is empty")
        if not stored:
            raise IndexMissing(f"{path} is empty")
        if stored != version:
            raise IndexUnavailable(f"{path} was written by another version of Scry")
    except BaseException:
        connection.close()
        raise
    return connection
