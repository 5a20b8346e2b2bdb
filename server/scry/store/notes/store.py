"""Write notes and their vectors.

A note store holds knowledge documents of one source in tables of their own, beside the tables of its owner, with the
vectors in files beside it; the index of the code holds nothing of it. All writing is done in a transaction of the
owner, by any process.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from msgspec.json import encode as encode_json
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import KnowledgeDocument
from scry.store.notes.database import NoteDatabase
from scry.store.notes.reader import NO_FAULTS, NOTE_COLUMNS, NoteReader, VectorFaults
from scry.store.sqlite.database import encode_path, placeholders, truncate_wal
from scry.store.vector_sets import EmbedderInfo
from scry.store.vectors import FloatRows

_MAX_DEAD_VECTORS = 64
"""Vectors of removed documents, beside a fifth of all, from which their file is rewritten."""

_SELECT_EXISTING = "SELECT number FROM documents WHERE number IN ({})"


class NoteStore:
    """A note store, open for writing: every method that writes is called inside a transaction of its database.

    database: the open file. reader: reads all that was written. Removed vectors leave the disk with `compact_vectors`
    and `delete_unused_files`.
    """

    def __init__(self, database: NoteDatabase) -> None:
        """Write to an open file."""
        self.database = database
        self._db = database.connection
        self.reader = NoteReader(database)
        self._postings = self.reader.postings
        self._vectors = self.reader.vectors

    def put(self, entries: Sequence[KnowledgeDocument]) -> list[int]:
        """Store documents, each in place of the one with its doc_id; return their keys."""
        self.remove([entry.doc_id for entry in entries])
        stems = [self._postings.count_stems(entry.terms) for entry in entries]
        row_ids = [
            self._insert_note(entry, " ".join(stem_counts)) for entry, stem_counts in zip(entries, stems, strict=True)
        ]
        self._postings.add(dict(zip(row_ids, stems, strict=True)))
        self.database.raise_generation()
        return [row_id + self.database.first_doc_key for row_id in row_ids]

    def remove(self, doc_ids: Sequence[str]) -> None:
        """Remove documents with all their words; their vectors no longer count."""
        rows = self.database.select_in("SELECT number, terms FROM documents WHERE doc_id IN ({})", doc_ids)
        self._postings.remove({row_id: terms.split() for row_id, terms in rows})
        self._db.executemany("DELETE FROM documents WHERE number = ?", [(row_id,) for row_id, _ in rows])
        if rows:
            self.database.raise_generation()

    def publish_vectors(
        self, embedder: EmbedderInfo, doc_keys: Sequence[int], vectors: FloatRows, faults: VectorFaults = NO_FAULTS
    ) -> None:
        """Add the unit vectors of documents to the set of the embedder, created where there is none.

        Deleted documents are passed over. faults: by index, of the documents that have a vector of zeros instead.
        """
        vector_set = self._vectors.find_by_identity(embedder.identity) or self._vectors.create(embedder)
        row_ids = [doc_key - self.database.first_doc_key for doc_key in doc_keys]
        existing = {row_id for (row_id,) in self.database.select_in(_SELECT_EXISTING, row_ids)}
        indexes = [index for index, row_id in enumerate(row_ids) if row_id in existing]
        self._vectors.append(vector_set, [row_ids[index] for index in indexes], vectors[indexes])
        before = self.reader.vector_faults()
        kept = {row_id: reason for row_id, reason in before.reasons.items() if row_id not in existing}
        after = kept | {
            row_ids[index]: reason for index, reason in faults.reasons.items() if row_ids[index] in existing
        }
        if after != before.reasons:
            self._write_vector_faults(VectorFaults(faults.version if after else "", after))
        self.database.raise_generation()

    def forget_vector_faults(self) -> None:
        """Have the documents that could not be encoded be encoded again."""
        rows = [(row_id,) for row_id in self.reader.vector_faults().reasons]
        self._db.executemany("UPDATE documents SET vectors = 0 WHERE number = ?", rows)
        self._write_vector_faults(NO_FAULTS)

    def _write_vector_faults(self, faults: VectorFaults) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO shelf_state VALUES ('vector_faults', ?)", (encode_json(faults).decode(),)
        )

    def compact_vectors(self, *, force: bool = False) -> None:
        """Rewrite the vectors where many are of deleted documents; with `force`, where one is."""
        for vector_set in self._vectors.list_sets():
            dead = vector_set.row_count - self._vectors.count_documents(vector_set)
            if dead > (0 if force else _MAX_DEAD_VECTORS + vector_set.row_count // 5):
                self._vectors.compact(vector_set, self._row_ids())
                self.database.raise_generation()

    def documents_without_vector(self, identity: str, limit: int) -> list[tuple[int, str, str]]:
        """Return key, title and text of the first `limit` documents without a vector of this embedder."""
        with self.database.read_errors():
            vector_set = self._vectors.find_by_identity(identity)
            where = vector_set.lacks_condition if vector_set else "true"
            sql = f"SELECT number, title, text FROM documents WHERE {where} ORDER BY number LIMIT ?"
            return [
                (row[0] + self.database.first_doc_key, row[1], row[2]) for row in self.database.select(sql, (limit,))
            ]

    @property
    def has_unreadable_vectors(self) -> bool:
        """Whether the file of some vectors is missing or damaged."""
        with self.database.read_errors():
            return bool(self._vectors.list_unreadable())

    def drop_unreadable_vectors(self) -> None:
        """Drop the sets that cannot be loaded: their vectors are made again."""
        for vector_set in self._vectors.list_unreadable():
            self._vectors.drop(vector_set)
            self.database.raise_generation()

    def delete_unused_files(self) -> None:
        """Delete the vector files that no set names, outside a transaction."""
        with self.database.read_errors():
            self._vectors.delete_unused_files()

    def erase_removed(self) -> bool:
        """Erase removed texts from the file, its journal and the vectors beside it, outside a transaction; return False
        when another process reads the journal all the time, which then still holds them.
        """
        database = self.database
        with database.transaction():
            self.compact_vectors(force=True)
        try:
            with database.lock:
                database.connection.execute("VACUUM")
            is_clean = truncate_wal(database.try_truncate_wal)
        except sqlite3.Error as error:
            raise IndexUnavailable(f"{database.path} can't be cleared of what was removed: {error}") from error
        self.delete_unused_files()
        with suppress(OSError, sqlite3.Error):
            from scry.store.precious.backups import renew_backups

            renew_backups(database.path)
        return is_clean

    def _row_ids(self) -> NDArray[np.int64]:
        """Return the row ids of all documents, ascending."""
        rows = self.database.select("SELECT number FROM documents ORDER BY number")
        return np.array([row_id for (row_id,) in rows], np.int64)

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
