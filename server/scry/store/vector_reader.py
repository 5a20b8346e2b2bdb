"""What the index knows of vectors: whose they are, which documents lack one, and what lies nearest to a question."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

import numpy as np

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.store.database import path_from_sql
from scry.store.document_reader import DocumentReader
from scry.store.packed_rows import Vectors
from scry.store.vector_sets import Maker, VectorSet, VectorSets
from scry.store.vectors import VectorFile

_NEAREST_AT_ONCE = 1_000


class OtherModel(IndexUnavailable):
    """The vectors that answer are of another embedder than the question's: it has to be encoded again."""


class VectorReader(DocumentReader):
    """The part of an `IndexReader` that reads vectors. Every method may be called from any thread."""

    _db: sqlite3.Connection
    _lock: threading.RLock
    _vectors: VectorSets
    _damaged: set[int]

    def nearest(
        self, identity: str, query: Vectors, limit: int, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The documents nearest to a unit vector of the embedder that answers, as (number, cosine), nearest first.

        Raises OtherModel when the vectors that answer are another embedder's.
        """
        with self._lock:
            active = self._vectors.active()
            if active is None:
                return []
            if active.maker.identity != identity:
                raise OtherModel(f"the vectors are of {active.maker.identity}, the question's is of {identity}")
            rows = self._reading(active)
            allowed = None if files is None else self.numbers_in(files)
        return rows.search(query, limit, allowed)

    def nearest_above(
        self, identity: str, query: Vectors, least: float, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """All documents of at least this cosine; as `nearest` otherwise."""
        limit = _NEAREST_AT_ONCE
        while True:
            near = self.nearest(identity, query, limit, files)
            if len(near) < limit or near[-1][1] < least:
                return [(number, cosine) for number, cosine in near if cosine >= least]
            limit *= 4

    def cosine(self, identity: str, query: Vectors, number: int) -> float | None:
        """One document's cosine, as `nearest` gives it; None where it has no vector. Raises OtherModel."""
        with self._lock:
            active = self._vectors.active()
            if active is None or active.maker.identity != identity:
                raise OtherModel(f"the vectors are no longer those of {identity}")
            rows = self._reading(active)
        found = rows.search(query, 1, np.array([number], np.int64))
        return found[0][1] if found else None

    @property
    def embedder(self) -> Maker | None:
        """Whose vectors answer."""
        with self._lock:
            active = self._vectors.active()
        return active.maker if active else None

    @property
    def filling(self) -> tuple[Maker, int] | None:
        """Whose vectors are to answer once every document has one, and how many have."""
        with self._lock:
            found = self._vectors.filling()
            return (found.maker, self._vectors.count(found)) if found else None

    def files_without_vectors(self, identity: str) -> list[str]:
        """Paths of the files that hold a document without a vector of this embedder."""
        with self._lock:
            found = self._vectors.of(identity)
            lacking = f"SELECT file FROM documents WHERE {found.lacking if found else 'true'}"
            rows = self._db.execute(f"SELECT path FROM files WHERE id IN ({lacking}) ORDER BY path").fetchall()
        return [path_from_sql(path) for (path,) in rows]

    def _reading(self, found: VectorSet) -> VectorFile:
        """The set's rows. Raises IndexDamaged, which is then known of the index."""
        try:
            return self._newest(found)
        except IndexDamaged:
            self._damaged.add(-found.id)
            raise

    def _newest(self, found: VectorSet) -> VectorFile:
        try:
            return self._vectors.reading(found)
        except FileNotFoundError:  # rewritten since it was looked up, or given up
            again = self._vectors.of(found.maker.identity)
            if again is None or again.file == found.file:
                raise OtherModel(f"the vectors of {found.maker.identity} are gone") from None
            return self._vectors.reading(again)
