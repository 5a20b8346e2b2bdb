"""What the index knows of vectors: whose they are, which documents lack one, and what lies nearest to a question."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

import numpy as np

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.store.database import decode_path
from scry.store.document_reader import DocumentTable
from scry.store.packed_rows import FloatRows
from scry.store.vector_sets import EmbedderInfo, VectorSet, VectorSets
from scry.store.vectors import VectorFile

_FIRST_LIMIT = 1_000


class EmbedderMismatch(IndexUnavailable):
    """The vectors that answer are of another embedder than the question's: it has to be encoded again."""


class VectorIndex(DocumentTable):
    """The part of an `IndexReader` that reads vectors. Every method may be called from any thread."""

    _db: sqlite3.Connection
    _lock: threading.RLock
    _vectors: VectorSets
    _damaged_files: set[int]

    def nearest_documents(
        self, identity: str, query: FloatRows, limit: int, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The documents nearest to a unit vector of the embedder that answers, as (number, cosine), nearest first.

        Raises OtherModel when the vectors that answer are another embedder's.
        """
        with self._lock:
            active = self._vectors.active()
            if active is None:
                return []
            if active.embedder.identity != identity:
                raise EmbedderMismatch(f"the vectors are of {active.embedder.identity}, the question's is of {identity}")
            rows = self._open_vectors(active)
            allowed = None if files is None else self.doc_keys_in_files(files)
        return rows.search(query, limit, allowed)

    def documents_above_cosine(
        self, identity: str, query: FloatRows, min_cosine: float, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """All documents of at least this cosine; as `nearest` otherwise."""
        limit = _FIRST_LIMIT
        while True:
            near = self.nearest_documents(identity, query, limit, files)
            if len(near) < limit or near[-1][1] < min_cosine:
                return [(number, cosine) for number, cosine in near if cosine >= min_cosine]
            limit *= 4

    def cosine_of(self, identity: str, query: FloatRows, doc_key: int) -> float | None:
        """One document's cosine, as `nearest` gives it; None where it has no vector. Raises OtherModel."""
        with self._lock:
            active = self._vectors.active()
            if active is None or active.embedder.identity != identity:
                raise EmbedderMismatch(f"the vectors are no longer those of {identity}")
            rows = self._open_vectors(active)
        found = rows.search(query, 1, np.array([doc_key], np.int64))
        return found[0][1] if found else None

    @property
    def embedder(self) -> EmbedderInfo | None:
        """Whose vectors answer."""
        with self._lock:
            active = self._vectors.active()
        return active.embedder if active else None

    @property
    def pending_embedder(self) -> tuple[EmbedderInfo, int] | None:
        """Whose vectors are to answer once every document has one, and how many have."""
        with self._lock:
            found = self._vectors.pending()
            return (found.embedder, self._vectors.count_documents(found)) if found else None

    def files_without_vectors(self, identity: str) -> list[str]:
        """Paths of the files that hold a document without a vector of this embedder."""
        with self._lock:
            found = self._vectors.find_by_identity(identity)
            lacking = f"SELECT file FROM documents WHERE {found.lacks_condition if found else 'true'}"
            rows = self._db.execute(f"SELECT path FROM files WHERE id IN ({lacking}) ORDER BY path").fetchall()
        return [decode_path(path) for (path,) in rows]

    def _open_vectors(self, vector_set: VectorSet) -> VectorFile:
        """The set's rows. Raises IndexDamaged, which is then known of the index."""
        try:
            return self._open_latest(vector_set)
        except IndexDamaged:
            self._damaged_files.add(-vector_set.set_id)
            raise

    def _open_latest(self, vector_set: VectorSet) -> VectorFile:
        try:
            return self._vectors.open_file(vector_set)
        except FileNotFoundError:  # rewritten since it was looked up, or given up
            again = self._vectors.find_by_identity(vector_set.embedder.identity)
            if again is None or again.file == vector_set.file:
                raise EmbedderMismatch(f"the vectors of {vector_set.embedder.identity} are gone") from None
            return self._vectors.open_file(again)
