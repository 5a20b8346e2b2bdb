"""What is written of vectors: each set as it grows, which one answers, and what is dropped of them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from scry.store.database import transaction
from scry.store.index_reader import IndexReader
from scry.store.packed_rows import FloatRows
from scry.store.vector_sets import EmbedderInfo

_MAX_DEAD_SHARE = 0.05
"""Share of vector rows of deleted documents that may lie about before the file is rewritten."""


class VectorWriter(IndexReader):
    """The part of an `IndexStore` that writes vectors. Every method may be called from any thread."""

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with self._lock, transaction(self._db):
            yield

    def _set_meta(self, key: str, value: object) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def publish_vectors(self, embedder: EmbedderInfo, doc_keys: Sequence[int], vectors: FloatRows) -> int:
        """Adds documents' unit vectors to the embedder's set, as one generation; returns it.

        The set is begun where there is none yet. It answers at once where no other does.
        """
        with self._transaction():
            found = self._vectors.find_by_identity(embedder.identity) or self._vectors.create(embedder)
            self._vectors.append(found, doc_keys, vectors)
            self._set_meta("generation", self._generation() + 1)
            self._generation_seen = self._generation()
            return self._generation_seen

    def activate_if_complete(self, embedder: EmbedderInfo) -> bool:
        """Lets this embedder's vectors answer, and forgets all others, if no document lacks one; says whether."""
        with self._lock:
            found = self._vectors.find_by_identity(embedder.identity)
            if found is None or self._vectors.count_documents(found) < self._count_vectors()[1]:
                return False
            if not found.is_active or self._vectors.pending() is not None:
                with self._transaction():
                    self._vectors.activate(found)
                    self._set_meta("generation", self._generation() + 1)
                self._generation_seen = self._generation()
                self._vectors.delete_unused_files()
            return True

    def drop_damaged_vectors(self) -> None:
        """Forgets vectors whose file is gone or too short: then documents lack them, and they are made again."""
        with self._lock:
            damaged = self._vectors.list_damaged()
            if damaged:
                with self._transaction():
                    for found in damaged:
                        self._vectors.drop(found)
                    self._set_meta("generation", self._generation() + 1)
                self._generation_seen = self._generation()

    def drop_outdated_vectors(self, embedder: EmbedderInfo) -> None:
        """Forgets vectors of other versions of this embedder's model: what would encode a question for them is gone."""
        with self._lock:
            same_model = [found for found in self._vectors.list_sets() if found.embedder.model == embedder.model]
            outdated = [found for found in same_model if found.embedder.identity != embedder.identity]
            if outdated:
                with self._transaction():
                    for found in outdated:
                        self._vectors.drop(found)
                    self._set_meta("generation", self._generation() + 1)
                self._generation_seen = self._generation()
                self._vectors.delete_unused_files()

    def compact_vectors(self) -> None:
        """Writes a set's rows anew when many of them are of documents that are no more."""
        with self._lock:
            total = self._count_vectors()[1]
            for found in self._vectors.list_sets():
                if found.row_count - self._vectors.count_documents(found) > _MAX_DEAD_SHARE * max(1, total):
                    numbers = self._db.execute("SELECT number FROM documents ORDER BY number")
                    alive = np.fromiter((row[0] for row in numbers), np.int64)
                    with self._transaction():
                        self._vectors.compact(found, alive)
                        self._set_meta("generation", self._generation() + 1)
                    self._generation_seen = self._generation()
                    self._vectors.delete_unused_files()
