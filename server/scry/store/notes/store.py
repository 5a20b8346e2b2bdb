"""Write notes and their vectors in a SQLite file of their own.

A note store holds knowledge documents of one source in tables of their own, beside the tables of its owner, with the
vectors in files beside it; the index of the code holds nothing of it. All writing is done in a transaction of the
owner, by any process.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL_KNOWLEDGE, KnowledgeDocument
from scry.store.notes.reader import NOTE_COLUMNS, NoteReader
from scry.store.sqlite.database import (
    BUSY_TIMEOUT_S,
    CacheSchema,
    apply_migrations,
    batches,
    create_cache_tables,
    encode_path,
    open_database,
    open_shared_database,
    placeholders,
    schema_version,
    transaction,
)
from scry.store.vector_sets import EmbedderInfo
from scry.store.vectors import FloatRows

_MAX_DEAD_VECTORS = 64
"""Vectors of removed documents, beside a fifth of all, from which their file is rewritten."""


class NoteStore(NoteReader):
    """A note store with its writing half.

    Removed vectors leave the disk with `compact_vectors` and `delete_unused_files`.
    """

    def put(self, entries: Sequence[KnowledgeDocument]) -> list[int]:
        """Store documents, each in place of the one with its doc_id; return their keys."""
        self.remove([entry.doc_id for entry in entries])
        stems = [self._postings.count_stems(entry.terms) for entry in entries]
        row_ids = [
            self._insert_note(entry, " ".join(stem_counts)) for entry, stem_counts in zip(entries, stems, strict=True)
        ]
        self._postings.add(dict(zip(row_ids, stems, strict=True)))
        self._raise_generation()
        return [row_id + self.first_doc_key for row_id in row_ids]

    def remove(self, doc_ids: Sequence[str]) -> None:
        """Remove documents with all their words; their vectors no longer count."""
        rows: list[tuple[int, str]] = []
        for part in batches(doc_ids):
            rows += self.select(f"SELECT number, terms FROM documents WHERE doc_id IN ({placeholders(part)})", part)
        self._postings.remove({row_id: terms.split() for row_id, terms in rows})
        self._db.executemany("DELETE FROM documents WHERE number = ?", [(row_id,) for row_id, _ in rows])
        if rows:
            self._raise_generation()

    def publish_vectors(self, embedder: EmbedderInfo, doc_keys: Sequence[int], vectors: FloatRows) -> None:
        """Add the unit vectors of documents to the set of the embedder, created where there is none.

        Deleted documents are passed over.
        """
        vector_set = self._vectors.find_by_identity(embedder.identity) or self._vectors.create(embedder)
        existing = {row[0] for row in self._select_rows("doc_id", self._row_ids(doc_keys))}
        indexes = [index for index, row_id in enumerate(self._row_ids(doc_keys)) if row_id in existing]
        self._vectors.append(vector_set, [doc_keys[index] - self.first_doc_key for index in indexes], vectors[indexes])
        self._raise_generation()

    def compact_vectors(self, *, force: bool = False) -> None:
        """Rewrite the vectors where many are of deleted documents; with `force`, where one is."""
        self._refresh_cache()
        for vector_set in self._vectors.list_sets():
            dead = vector_set.row_count - self._vectors.count_documents(vector_set)
            if dead > (0 if force else _MAX_DEAD_VECTORS + vector_set.row_count // 5):
                self._vectors.compact(vector_set, self._filtered_row_ids(ALL_KNOWLEDGE))
                self._raise_generation()

    @property
    def has_unreadable_vectors(self) -> bool:
        """Whether the file of some vectors is missing or damaged."""
        with self._read_errors():
            return bool(self._vectors.list_unreadable())

    def drop_unreadable_vectors(self) -> None:
        """Drop the sets that cannot be loaded: their vectors are made again."""
        for vector_set in self._vectors.list_unreadable():
            self._vectors.drop(vector_set)
            self._raise_generation()

    def delete_unused_files(self) -> None:
        """Delete the vector files that no set names, outside a transaction."""
        with self._read_errors():
            self._vectors.delete_unused_files()

    def _insert_note(self, entry: KnowledgeDocument, terms: str) -> int:
        values = (
            entry.doc_id,
            entry.content_type,
            entry.kind or entry.content_type,
            entry.title,
            entry.text,
            entry.snippet,
            entry.time,
            encode_path(entry.path),
            entry.line,
            json.dumps(entry.code_refs),
            json.dumps(entry.domains),
            entry.session_id,
            terms,
        )
        sql = f"INSERT INTO documents ({NOTE_COLUMNS}, terms) VALUES ({placeholders(values)})"
        return int(self._db.execute(sql, values).lastrowid or 0)

    def _raise_generation(self) -> None:
        self._db.execute(
            "INSERT INTO shelf_state VALUES ('generation', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )
        self._refresh_cache()


NoteSchema = CacheSchema | Sequence[str]
"""The tables of a cache, or the migrations of a file that cannot be rebuilt."""


class NoteDatabase:
    """A SQLite file with a note store.

    Any number of processes read and write it; every method may be called from any thread. Removed content is
    overwritten: nothing of a forgotten text stays in the file (`erase_removed` does the rest).
    """

    def __init__(self, name: str, path: Path, schema: NoteSchema, *, write: bool) -> None:
        """Open the file, created where it is missing and `write` is set. name: of its note store, of core.knowledge.

        The vectors of the note store lie in the same folder. Raises IndexUnavailable, also for a file of another
        version of Scry that cannot be migrated.
        """
        self.path = path
        self.lock = threading.RLock()
        try:
            self.connection = _open_note_database(path, schema, write=write)
            self._opened = path.stat()
        except (sqlite3.Error, OSError) as error:
            raise IndexUnavailable(f"{path} can't be opened: {error}") from error
        self.notes = NoteStore(name, path.parent, self.connection, self.lock)

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Write everything inside, or nothing. Raises IndexUnavailable when it cannot be written."""
        try:
            with self.lock, transaction(self.connection):
                yield self.connection
        except sqlite3.Error as error:
            raise IndexUnavailable(f"{self.path} can't be written: {error}") from error

    def erase_removed(self) -> None:
        """Erase removed texts from this file, its journal and the vectors beside it."""
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
        """Return whether the file is still the one at its path: not removed, not replaced."""
        try:
            return os.path.samestat(self.path.stat(), self._opened)
        except OSError:
            return False

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()


def _open_note_database(path: Path, schema: NoteSchema, *, write: bool) -> sqlite3.Connection:
    current = schema.format if isinstance(schema, CacheSchema) else len(schema)
    if not write:
        connection = open_database(path, write=False)
        if schema_version(connection) != current:
            connection.close()
            raise IndexUnavailable(f"{path} was written by another version of Scry")
        return connection
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = open_shared_database(path, timeout=BUSY_TIMEOUT_S, synchronous="FULL")
    try:
        version = schema_version(connection)
        if version > current:
            raise IndexUnavailable(f"{path} was written by a newer version of Scry; update this one")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA foreign_keys=ON")
        if not isinstance(schema, CacheSchema):
            apply_migrations(connection, schema)
        elif version in (0, current):
            create_cache_tables(connection, schema)
        else:
            raise IndexUnavailable(f"{path} was written by an older version of Scry")
    except BaseException:
        connection.close()
        raise
    return connection
