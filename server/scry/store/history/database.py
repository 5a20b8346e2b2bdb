"""The SQLite file of a history: one connection under one lock, its seal and its transactions."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scry.core.errors import IndexDamaged, IndexMissing, IndexUnavailable
from scry.store.lexical import LexicalIndex
from scry.store.seals import CacheSeal
from scry.store.sqlite.database import (
    CacheMeta,
    CacheSchema,
    batches,
    create_cache_tables,
    open_database,
    placeholders,
    schema_version,
    transaction,
)
from scry.store.word_files import list_word_files

HISTORY_FILE = "history.sqlite"
_FIRST_WORDS = "commit-words-1"

HISTORY_SCHEMA = CacheSchema(
    3,
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- Commits that HEAD reaches. Numbers are given by the store, the older commit's first, and never used twice.
    CREATE TABLE commits (
        number      INTEGER PRIMARY KEY,
        sha         BLOB NOT NULL UNIQUE,
        time        INTEGER NOT NULL,           -- of the committer, seconds since the epoch
        author      TEXT NOT NULL,
        subject     TEXT NOT NULL,
        body        TEXT NOT NULL,
        merge       INTEGER NOT NULL,
        files       INTEGER,                    -- how many it changed; null where git could not tell
        lines       INTEGER NOT NULL,           -- whether its changed lines were read
        place       INTEGER NOT NULL            -- among commits of one time: higher than those of its ancestors
    );
    CREATE INDEX commits_by_time ON commits (time);

    -- Files by path, with what is counted of them: co-change commits, and those of recent days.
    CREATE TABLE paths (
        id          INTEGER PRIMARY KEY,
        path        TEXT NOT NULL UNIQUE,
        ties        INTEGER NOT NULL DEFAULT 0,
        recent      INTEGER NOT NULL DEFAULT 0
    );

    -- Which files a commit changed, merges left out. now: what the path is called today, renames followed.
    CREATE TABLE changes (
        number      INTEGER NOT NULL REFERENCES commits (number) ON DELETE CASCADE,
        path        INTEGER NOT NULL,
        now         INTEGER NOT NULL,
        source      INTEGER,                    -- the path that was exactly renamed to this one
        hunks       BLOB,                       -- little-endian u32, four a hunk; null where lines were not read
        PRIMARY KEY (number, path)
    ) WITHOUT ROWID;
    CREATE INDEX changes_by_path ON changes (now, number);

    -- Documents of the index, by doc_id, that commits with known lines changed.
    CREATE TABLE symbols (
        id          INTEGER PRIMARY KEY,
        doc_id      TEXT NOT NULL UNIQUE,
        path        INTEGER NOT NULL,
        ties        INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX symbols_by_path ON symbols (path);
    CREATE TABLE touched (
        symbol      INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
        number      INTEGER NOT NULL REFERENCES commits (number) ON DELETE CASCADE,
        PRIMARY KEY (symbol, number)
    ) WITHOUT ROWID;
    CREATE INDEX touched_by_commit ON touched (number, symbol);

    -- For which state of a file, by the index's id of it, its changed lines were traced to documents.
    CREATE TABLE traced (path INTEGER PRIMARY KEY, file INTEGER NOT NULL);
    """,
)
"""The tables of `history.sqlite`."""


class HistoryDatabase:
    """The open history of one project, shared by the parts that read it and the one that writes it.

    connection: used under `lock` alone. meta: its values by key. generation_seen: the generation that is read. opened:
    the file, for `is_same_file`.
    """

    def __init__(self, folder: Path, *, write: bool) -> None:
        """Open the file in a folder; `write` creates it. Raises IndexUnavailable, also for a file of another format."""
        self.folder = folder
        self.is_writer = write
        self.lock = threading.RLock()
        self.seal = CacheSeal(folder, "history") if write else None
        self.is_sealed = self.seal is not None and self.seal.exists
        path = folder / HISTORY_FILE
        if write and not path.exists():  # whoever sees the file finds the words
            LexicalIndex(folder / _FIRST_WORDS, write=True)
        self.connection = open_database(path, write=write)
        self.meta = CacheMeta(self.select, self.connection)
        try:
            self.opened = path, path.stat()
            if write:
                _prepare_history(self.connection)
            elif not schema_version(self.connection):
                raise IndexMissing(f"the history in {folder} is just being created")
            elif schema_version(self.connection) != HISTORY_SCHEMA.format:
                raise IndexUnavailable("the history was written by another version of Scry; it is being made anew")
            self.generation_seen = self.meta.generation
        except (sqlite3.Error, OSError) as error:
            self.connection.close()
            if isinstance(error, FileNotFoundError):  # the writer has just removed one of an older format
                raise IndexMissing(f"the history in {folder} is just being created") from error
            raise IndexUnavailable(f"the history can't be read: {error}") from error
        except BaseException:
            self.connection.close()
            raise

    def remove_seal(self) -> None:
        """Remove the seal, before something is written. Raises IndexDamaged where a file is not as it was sealed."""
        if self.seal is not None and self.is_sealed:
            if damage := self.seal.describe_damage(thorough=False):
                raise IndexDamaged(damage)
            self.seal.remove()
            self.is_sealed = False

    def write_seal(self) -> bool:
        """Record the checksums of all files, unless a reader holds the journal; return whether that is done.

        The words must be at rest. Raises OSError.
        """
        with self.lock:
            if self.seal is None or self.is_sealed:
                return True
            if self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                return False
            self.seal.write([self.folder / HISTORY_FILE, *list_word_files(self.lexical_folder())])
            self.is_sealed = True
            return True

    def select(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows of a statement. Raises IndexUnavailable."""
        try:
            with self.lock:
                return self.connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise IndexUnavailable(f"the history can't be read: {error}") from error

    def select_in(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Return all rows of a statement in which `{}` stands for the values. Raises IndexUnavailable."""
        return [row for part in batches(values, pad=True) for row in self.select(sql.format(placeholders(part)), part)]

    def lexical_folder(self) -> Path:
        """Return the folder of the published lexical index."""
        return self.folder / str(self.meta.get("words") or _FIRST_WORDS)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Hold the lock, and write all that is written inside, or nothing."""
        with self.lock:
            self.remove_seal()
            with transaction(self.connection):
                yield


def _prepare_history(connection: sqlite3.Connection) -> None:
    """Create the tables in a new file. Raises IndexUnavailable for a file of another format, which is to be removed."""
    if schema_version(connection) not in (0, HISTORY_SCHEMA.format):
        raise IndexUnavailable("the history was written by another version of Scry")
    create_cache_tables(connection, HISTORY_SCHEMA)
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_autocheckpoint=1000")
