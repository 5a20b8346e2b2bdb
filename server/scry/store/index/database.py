"""The SQLite file of a code index: one connection under one lock, its seal and its transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from scry.core.decoding import decode_json
from scry.core.errors import IndexDamaged, IndexMissing, IndexUnavailable
from scry.store.lexical import LexicalIndex
from scry.store.lexical_statistics import WordTotals
from scry.store.seals import CacheSeal
from scry.store.sqlite.database import (
    CacheMeta,
    CacheSchema,
    create_cache_tables,
    open_database,
    schema_version,
    transaction,
)

INDEX_FILE = "index.sqlite"

INDEX_SCHEMA = CacheSchema(
    22,
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- A vector of each file, see store.vectors.pack_file_vector. Before the tables that it names, since tables are
    -- dropped in this order.
    CREATE TABLE file_vectors (
        file        INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        vector_set  INTEGER NOT NULL REFERENCES vector_sets (id) ON DELETE CASCADE,
        vector      BLOB NOT NULL,
        PRIMARY KEY (file, vector_set)
    ) WITHOUT ROWID;

    -- Every file that was looked at. skip_reason is null for an indexed one. first, last: the keys of its documents,
    -- which follow on each other; last is before first where there is none.
    CREATE TABLE files (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        path        TEXT NOT NULL UNIQUE,
        size        INTEGER NOT NULL,
        mtime_ns    INTEGER NOT NULL,
        ctime_ns    INTEGER NOT NULL DEFAULT 0, -- of the last change of content or attributes; 0 on Windows
        hash        BLOB,
        language    TEXT,
        content_type TEXT,
        skip_reason TEXT,
        skip_detail TEXT,
        fault       TEXT,           -- the stage of indexing that failed for it, and why; null where none did
        fault_version TEXT,         -- the version of Scry in which it failed; null for one that is tried again anyway
        importers   INTEGER NOT NULL DEFAULT 0,
        centrality  TEXT NOT NULL DEFAULT 'low',
        flags       TEXT NOT NULL DEFAULT '',
        first       INTEGER NOT NULL DEFAULT 0,
        last        INTEGER NOT NULL DEFAULT -1,
        text        BLOB,           -- with the descriptions of its documents, see store.index.rows.pack_text
        links       BLOB            -- its imports and references, see store.index.rows.pack_links
    );

    CREATE TABLE folders (path TEXT PRIMARY KEY, changed_ns INTEGER NOT NULL) WITHOUT ROWID;

    -- Vectors of one embedder: how many rows of its file count. At most one set is active; a newer one is being filled.
    CREATE TABLE vector_sets (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        identity    TEXT NOT NULL,
        dimension   INTEGER NOT NULL,
        file        TEXT NOT NULL,
        rows        INTEGER NOT NULL,
        active      INTEGER NOT NULL,
        model       TEXT NOT NULL DEFAULT '',   -- the setting that chose the embedder
        slot        INTEGER NOT NULL DEFAULT 1  -- 1 or 2; no two sets have the same
    );

    -- The files as the code graph knows them. id stays as long as the path does, since files.id changes with every new
    -- content. file: the files.id whose definitions are known here, with the keys of its documents; 0 for a file that
    -- was just added or is to be removed.
    CREATE TABLE graph_files (
        id          INTEGER PRIMARY KEY,
        path        TEXT NOT NULL UNIQUE,
        file        INTEGER NOT NULL,
        first       INTEGER NOT NULL,
        last        INTEGER NOT NULL,
        pending     INTEGER NOT NULL,           -- 2: bases and calls are to be linked; 1: calls are; 0: done
        looked_up   BLOB NOT NULL,              -- what its imports look up, see store.graph_store.pack_look_ups
        defined     BLOB NOT NULL,              -- its definitions, see store.graph_store.pack_definitions
        used        BLOB NOT NULL               -- sorted little-endian u32: hashes of all names that linking it reads
    );
    CREATE INDEX graph_files_pending ON graph_files (pending) WHERE pending > 0;

    -- Which file imports which, by graph_files.id.
    CREATE TABLE imports (source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
    CREATE INDEX imports_by_target ON imports (target, source);

    -- Edges between documents by key. line: the first line of the source with the reference, 0-based.
    CREATE TABLE edges (
        source      INTEGER NOT NULL,
        kind        INTEGER NOT NULL,           -- 1 calls, 2 inherits
        target      INTEGER NOT NULL,
        confidence  INTEGER NOT NULL,           -- 1 exact, 2 by name, 3 ambiguous
        line        INTEGER NOT NULL,
        PRIMARY KEY (source, kind, target)
    ) WITHOUT ROWID;
    CREATE INDEX edges_by_target ON edges (target, kind, source);

    -- Everything that can be a result. Keys (number) are given by the store and never used twice. A doc_id is found by
    -- its file and its name, and the documents of a file by their keys: neither needs an index.
    CREATE TABLE documents (
        number      INTEGER PRIMARY KEY,
        file        INTEGER NOT NULL,           -- files.id
        name        TEXT NOT NULL,
        kind        TEXT NOT NULL,
        container   TEXT NOT NULL,
        ordinal     INTEGER NOT NULL,
        vectors     INTEGER NOT NULL DEFAULT 0, -- the sum of the slots of the vector sets that have a row of it
        place       BLOB NOT NULL               -- span and name span, see store.index.rows.pack_spans
    );
    CREATE INDEX documents_lacking ON documents (vectors) WHERE vectors IN (0, 2); -- see store.vector_sets

    CREATE TABLE names (
        key         INTEGER NOT NULL,           -- see store.index.rows.hash_name_key
        number      INTEGER NOT NULL,
        PRIMARY KEY (key, number)
    ) WITHOUT ROWID;

    CREATE INDEX files_faults ON files (path, fault) WHERE fault IS NOT NULL;

    -- All that ranking files and comparing them with the disk reads of them, apart from the rows, of which each holds a
    -- text.
    CREATE INDEX files_overview ON files
        (path, content_type, language, mtime_ns, ctime_ns, importers, centrality, flags, first, last, size)
        WHERE skip_reason IS NULL;
    CREATE INDEX files_skipped ON files (path, skip_reason, mtime_ns, ctime_ns, size) WHERE skip_reason IS NOT NULL;
    """,
)
"""The tables of `index.sqlite`."""


_MAX_REMOVALS = 100
"""Publications whose removed documents are recorded, and ranges of one: a reader that knows what was there before an
earlier or a larger one reads all again."""


class _Removal(Struct, frozen=True, array_like=True):
    """The documents that a publication removed, by the first and last key of each file; None for too many.

    before, after: the generations that added or removed documents last, before this publication and with it.
    """

    before: int
    after: int
    spans: tuple[tuple[int, int], ...] | None


class IndexDatabase:
    """The connection that all parts of one index share; used under `lock` alone.

    meta: its values by key. generation_seen: the generation that is read, until `IndexStore.refresh`. documents_seen:
    the latest generation that added or removed documents, as of then or later. damaged_files:
    ids of the files of which something was found to be damaged; ids of vector sets are negated. opened: the file, for
    `is_same_file`. seal: that of the whole index, for its writer.
    """

    def __init__(self, folder: Path, *, write: bool, counters: Mapping[str, object] | None = None) -> None:
        """Open the file; `write` creates its tables. counters: of an index that was lost. Raises IndexUnavailable."""
        self.folder = folder
        self.lock = threading.RLock()
        self.seal = CacheSeal(folder, "index") if write else None
        self.is_sealed = self.seal is not None and self.seal.exists
        self.connection = open_database(folder / INDEX_FILE, write=write)
        self.meta = CacheMeta(self._select, self.connection)
        try:
            self.opened = folder / INDEX_FILE, (folder / INDEX_FILE).stat()
            if write:
                _prepare_index(self.connection, folder, counters or {})
            elif not (version := schema_version(self.connection)):
                raise IndexMissing(f"the index in {folder} is just being created")
            elif version != INDEX_SCHEMA.format:
                raise IndexUnavailable("the index was written by another version of Scry; it is being made anew")
            self.see(self.meta.generation)
        except BaseException:
            self.connection.close()
            raise
        self.damaged_files: set[int] = set()

    def see(self, generation: int) -> None:
        """Read this generation from now on. The documents may be those of a later one, never of an earlier."""
        self.generation_seen = generation
        self.documents_seen = self.meta.get_int("documents")

    def record_removed(self, spans: Sequence[tuple[int, int]]) -> None:
        """Count a change of documents, inside `publishing`.

        spans: the first and the last key of the documents of each file that was removed.
        """
        before, after = self.meta.get_int("documents"), self.meta.generation + 1
        removal = _Removal(before, after, tuple(spans) if len(spans) <= _MAX_REMOVALS else None)
        removals = [*self._read_removals(), removal][-_MAX_REMOVALS:]
        self.meta.set("removals", msgspec.json.encode(removals).decode())
        self.meta.set("documents", after)

    def removed_since(self, documents_seen: int) -> list[range] | None:
        """Return the keys of the documents that were removed since an earlier `documents_seen`; None where unknown."""
        removed: list[range] = []
        for each in self._read_removals():
            if documents_seen == each.before and each.spans is not None and documents_seen != self.documents_seen:
                removed += [range(first, last + 1) for first, last in each.spans]
                documents_seen = each.after
        return removed if documents_seen == self.documents_seen else None

    def _read_removals(self) -> tuple[_Removal, ...]:
        with suppress(msgspec.DecodeError):
            return decode_json(self.meta.get_text("removals") or "[]", tuple[_Removal, ...])
        return ()

    def mark_sealed(self, files: Mapping[str, Any]) -> None:
        """Seal the index with its files as they were measured. Raises OSError."""
        if self.seal is not None:
            self.seal.write_measured(files)
            self.is_sealed = True

    def remove_seal(self) -> None:
        """Remove the seal, before something is written. Raises IndexDamaged where a file is not as it was sealed."""
        if self.seal is not None and self.is_sealed:
            if damage := self.seal.describe_damage(thorough=False):
                raise IndexDamaged(damage)
            self.seal.remove()
            self.is_sealed = False

    def _select(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Return all rows of a statement; none where its table can't be read."""
        try:
            return self.connection.execute(sql, values).fetchall()
        except sqlite3.OperationalError:
            return []

    @property
    def next_doc_key(self) -> int:
        """The key of the next document; keys are never used twice."""
        return self.meta.get_int("next_number")

    @property
    def document_count(self) -> int:
        """The number of documents, kept with each publication: counting a million rows takes 20 ms."""
        return self.meta.get_int("document_count")

    @property
    def word_totals(self) -> WordTotals | None:
        """Number and length of the documents in the lexical index as of its last commit, set inside `publishing`."""
        with suppress(msgspec.DecodeError):
            if text := self.meta.get_text("words"):
                return decode_json(text, WordTotals)
        return None

    @word_totals.setter
    def word_totals(self, totals: WordTotals | None) -> None:
        self.meta.set("words", msgspec.json.encode(totals).decode() if totals else None)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Hold the lock, and write all that is written inside, or nothing."""
        with self.lock:
            self.remove_seal()
            with transaction(self.connection):
                yield

    @contextmanager
    def publishing(self) -> Generator[None]:
        """Write all that is written inside as the next generation, which is read from then on."""
        with self.lock:
            with self.transaction():
                yield
                self.meta.raise_generation()
            self.see(self.meta.generation)


_MAX_COUNTER = 1 << 30
"""A counter of a damaged index that is larger is damaged itself."""


def read_counters(folder: Path) -> dict[str, object]:
    """Return the counters from which an index goes on that takes the place of a damaged one; none if unreadable."""
    with suppress(sqlite3.Error, IndexUnavailable, KeyError, ValueError, TypeError):
        with closing(open_database(folder / INDEX_FILE, write=False)) as connection:
            counters = _counters_of_rebuild(dict(connection.execute("SELECT key, value FROM meta").fetchall()))
        if all(type(value) is str or (type(value) is int and 0 < value < _MAX_COUNTER) for value in counters.values()):
            return counters
    return {}


def _prepare_index(connection: sqlite3.Connection, folder: Path, lost: Mapping[str, object]) -> None:
    """Create the tables where there are none, or those of an older format. Raises IndexUnavailable for a newer one.

    The lexical index that the tables name is created before them: a reader that sees the tables finds it.

    Keys of documents and ids of files are never used twice, so an index of an older format is rebuilt with the counters
    that it had, and into another lexical index. lost: the counters of an index that was removed.
    """
    version = schema_version(connection)
    if version > INDEX_SCHEMA.format:
        raise IndexUnavailable("the index was written by a newer Scry")
    counters: dict[str, object] = {"generation": 0, "next_number": 1, "next_file": 1, "lexical": "words-1", **lost}
    counters["document_count"] = counters["file_count"] = 0
    counters["key_space"] = os.urandom(8).hex()
    if 0 < version < INDEX_SCHEMA.format:
        with suppress(sqlite3.Error, KeyError, ValueError):
            counters |= _counters_of_rebuild(dict(connection.execute("SELECT key, value FROM meta").fetchall()))
    if version < INDEX_SCHEMA.format:
        LexicalIndex(folder / str(counters["lexical"]), write=True)
    create_cache_tables(connection, INDEX_SCHEMA, counters)


def _counters_of_rebuild(meta: Mapping[str, Any]) -> dict[str, object]:
    """Return the counters from which an index goes on that is rebuilt. meta: of the older format."""
    generation = int(meta["generation"]) + 1
    words = int(str(meta["lexical"]).rpartition("-")[2]) + 1
    return {
        "next_number": meta["next_number"],
        "next_file": meta["next_file"],
        "generation": generation,
        "documents": generation,
        "lexical": f"words-{words}",
    }
