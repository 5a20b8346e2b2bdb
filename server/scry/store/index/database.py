"""The SQLite file of a code index: one connection under one lock, its `meta` values and its generation."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.store.sqlite import migrations
from scry.store.sqlite.database import apply_migrations, open_database, schema_version, transaction

INDEX_FILE = "index.sqlite"


class IndexDatabase:
    """The connection that all parts of one index share, used under `lock` alone.

    generation_seen: the generation that is read, until `IndexStore.refresh`. damaged_files: ids of the files of which
    something was found to be damaged; those of vector sets are below 0.
    """

    def __init__(self, folder: Path, *, write: bool) -> None:
        """Open the file; `write` creates its tables. Raises IndexUnavailable."""
        self.folder = folder
        self.lock = threading.RLock()
        self.connection = open_database(folder / INDEX_FILE, write=write)
        if write:
            _prepare_index(self.connection)
        elif schema_version(self.connection) != len(migrations.INDEX_MIGRATIONS):
            raise IndexUnavailable("the index was written by another version of Scry; it is being made anew")
        self.generation_seen = self.generation
        self.damaged_files: set[int] = set()

    def meta(self, key: str) -> object:
        """Return a value of the table `meta`; None where there is none."""
        try:
            row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        except sqlite3.OperationalError:
            return None
        return row[0] if row else None

    def int_meta(self, key: str) -> int:
        """Return a whole number of the table `meta`; 0 where there is none."""
        value = self.meta(key)
        return value if isinstance(value, int) else 0

    def set_meta(self, key: str, value: object) -> None:
        """Write a value of the table `meta`, inside a transaction."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @property
    def generation(self) -> int:
        """The number of the published state; it rises with every change that can be searched."""
        return self.int_meta("generation")

    @property
    def next_doc_key(self) -> int:
        """The key of the next document; keys are never used twice."""
        return self.int_meta("next_number")

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Hold the lock, and write all that is written inside, or nothing."""
        with self.lock, transaction(self.connection):
            yield

    @contextmanager
    def publishing(self) -> Generator[None]:
        """Write all that is written inside as the next generation, which is read from then on."""
        with self.lock:
            with self.transaction():
                yield
                self.set_meta("generation", self.generation + 1)
            self.generation_seen = self.generation


def _prepare_index(connection: sqlite3.Connection) -> None:
    """Bring a writer's database to the newest shape. Raises IndexUnavailable where that is not possible."""
    if schema_version(connection) > len(migrations.INDEX_MIGRATIONS):
        raise IndexUnavailable("the index was written by a newer Scry")
    apply_migrations(connection, migrations.INDEX_MIGRATIONS)
    first = (("generation", 0), ("next_number", 1), ("next_file", 1), ("lexical", "words-1"))
    connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", first)
