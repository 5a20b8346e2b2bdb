"""Manage one vector set per embedder, and search the active set.

One set is active and answers queries; at most one more is pending, being filled. Vectors of two embedders are never
compared: a set knows the identity of its embedder, and a query is encoded by that one. The two sets have the slots 1
and 2; `documents.vectors` is the sum of the slots of those sets that hold a row of the document.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.store.index.database import IndexDatabase
from scry.store.index.rows import unpack_line_range
from scry.store.selection import FileSelection
from scry.store.sqlite.database import batches, decode_path, encode_path, placeholders
from scry.store.vectors import FloatRows, QuantizedVectors, VectorFile, compare_packed, quantize

_BOTH_SLOTS = 3
"""The sum of both slots."""

_ACTIVE_SLOT = 1
"""The slot of the active set. Its missing documents have an SQL index; those of the pending set are searched for."""


class EmbedderInfo(Struct, frozen=True):
    """Maker of vectors: the setting that chose the embedder, and its identity and dimension."""

    model: str
    identity: str
    dimension: int


class VectorSet(Struct, frozen=True):
    """A row of the table `vector_sets`."""

    set_id: int
    embedder: EmbedderInfo
    file: str
    row_count: int
    is_active: bool
    slot: int

    @property
    def holds_condition(self) -> str:
        """The SQL condition that this set holds a row of a document."""
        return f"vectors IN ({self.slot}, {_BOTH_SLOTS})"

    @property
    def lacks_condition(self) -> str:
        """The SQL condition that this set holds no row of a document.

        For slot 1 it is, letter by letter, that of the index `documents_lacking`.
        """
        return f"vectors IN (0, {_BOTH_SLOTS - self.slot})"


class VectorSets:
    """The vector sets of one index. The caller holds the lock of the index, and for writing its transaction."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._db = connection
        self._open_files: dict[str, VectorFile] = {}

    def list_sets(self) -> list[VectorSet]:
        """Return every set, the oldest first."""
        columns = "id, model, identity, dimension, file, rows, active, slot"
        rows = self._db.execute(f"SELECT {columns} FROM vector_sets ORDER BY id")
        return [VectorSet(row[0], EmbedderInfo(*row[1:4]), row[4], row[5], bool(row[6]), row[7]) for row in rows]

    def active(self) -> VectorSet | None:
        """Return the set that answers queries."""
        active = [vector_set for vector_set in self.list_sets() if vector_set.is_active]
        return active[0] if active else None

    def pending(self) -> VectorSet | None:
        """Return the set that becomes active once it is complete."""
        return next((vector_set for vector_set in self.list_sets() if not vector_set.is_active), None)

    def find_by_identity(self, identity: str) -> VectorSet | None:
        """Return the set of an embedder."""
        return next((vector_set for vector_set in self.list_sets() if vector_set.embedder.identity == identity), None)

    def open_file(self, vector_set: VectorSet, *, load: bool = True) -> VectorFile:
        """Return the vector file of a set, by default with its counted rows loaded. Raises FileNotFoundError for a
        dropped set.
        """
        file = self._open_files.get(vector_set.file)
        if file is None:
            self._open_files = {name: file for name, file in self._open_files.items() if (self._folder / name).exists()}
            file = self._open_files[vector_set.file] = VectorFile(
                self._folder / vector_set.file, vector_set.embedder.dimension
            )
        if load:
            file.load(vector_set.row_count)
        return file

    def count_documents(self, vector_set: VectorSet, total: int | None = None) -> int:
        """Return the number of documents with a row in this set: all but those without one, which are mostly few.

        total: the number of all documents; None counts them.
        """
        if total is None:
            total = int(self._db.execute("SELECT count(*) FROM documents").fetchone()[0])
        missing = self._db.execute(f"SELECT count(*) FROM documents WHERE {vector_set.lacks_condition}").fetchone()[0]
        return total - int(missing)

    def create(self, embedder: EmbedderInfo) -> VectorSet:
        """Create a set for an embedder that has none; it is active at once where no other is.

        Another pending set is dropped: there are two slots.
        """
        for abandoned in self.list_sets():
            if not abandoned.is_active:
                self.drop(abandoned)
        active = self.active()
        slot = _BOTH_SLOTS - _ACTIVE_SLOT if active else _ACTIVE_SLOT
        cursor = self._db.execute(
            "INSERT INTO vector_sets (model, identity, dimension, active, slot, file, rows) "
            "VALUES (?, ?, ?, ?, ?, '', 0)",
            (embedder.model, embedder.identity, embedder.dimension, int(active is None), slot),
        )
        set_id = int(cursor.lastrowid or 0)
        name = f"vectors-{set_id}-1"
        self._db.execute("UPDATE vector_sets SET file = ? WHERE id = ?", (name, set_id))
        return VectorSet(set_id, embedder, name, 0, active is None, slot)

    def append(self, vector_set: VectorSet, doc_keys: Sequence[int], vectors: FloatRows) -> None:
        """Write rows; they count once the transaction is committed."""
        file = self.open_file(vector_set, load=False)
        rows = file.append(vector_set.row_count, quantize(doc_keys, vectors))
        self._db.execute("UPDATE vector_sets SET rows = ? WHERE id = ?", (rows, vector_set.set_id))
        self._db.executemany(
            "UPDATE documents SET vectors = vectors | ? WHERE number = ?",
            [(vector_set.slot, doc_key) for doc_key in doc_keys],
        )

    def activate(self, vector_set: VectorSet) -> None:
        """Make a set the active one, and drop all others. It takes the slot of the active set."""
        for other in self.list_sets():
            if other.set_id != vector_set.set_id:
                self.drop(other)
        self._db.execute("UPDATE vector_sets SET active = 1, slot = ? WHERE id = ?", (_ACTIVE_SLOT, vector_set.set_id))
        if vector_set.slot != _ACTIVE_SLOT:
            self._db.execute("UPDATE documents SET vectors = ? WHERE vectors = ?", (_ACTIVE_SLOT, vector_set.slot))

    def drop(self, vector_set: VectorSet) -> None:
        """Delete a set; `delete_unused_files` then deletes its file."""
        self._db.execute("DELETE FROM vector_sets WHERE id = ?", (vector_set.set_id,))
        self._db.execute(
            f"UPDATE documents SET vectors = vectors - ? WHERE {vector_set.holds_condition}", (vector_set.slot,)
        )

    def list_damaged(self) -> list[VectorSet]:
        """Return the sets whose file is missing, or holds fewer rows than counted."""
        return [
            vector_set
            for vector_set in self.list_sets()
            if not self.open_file(vector_set, load=False).has_rows(vector_set.row_count)
        ]

    def list_unreadable(self) -> list[VectorSet]:
        """Return the sets that cannot be loaded. All rows are read, which takes long where they are many."""
        return [vector_set for vector_set in self.list_sets() if not self._is_readable(vector_set)]

    def _is_readable(self, vector_set: VectorSet) -> bool:
        try:
            VectorFile(self._folder / vector_set.file, vector_set.embedder.dimension).load(vector_set.row_count)
        except (IndexUnavailable, FileNotFoundError):
            return False
        return True

    def compact(self, vector_set: VectorSet, live_doc_keys: NDArray[np.int64]) -> None:
        """Rewrite the rows of a set without those of deleted documents. live_doc_keys: sorted."""
        stem, _, version = vector_set.file.rpartition("-")
        name = f"{stem}-{int(version) + 1}"
        live = VectorFile(self._folder / vector_set.file, vector_set.embedder.dimension).live_rows(
            vector_set.row_count, live_doc_keys
        )
        rows = VectorFile(self._folder / name, vector_set.embedder.dimension).append(0, live)
        self._db.execute("UPDATE vector_sets SET file = ?, rows = ? WHERE id = ?", (name, rows, vector_set.set_id))

    def files(self) -> list[Path]:
        """Return the files of all sets that hold a row."""
        return [self._folder / found.file for found in self.list_sets() if found.row_count]

    def delete_unused_files(self) -> None:
        """Delete the files that no set names, outside any transaction."""
        used = {vector_set.file for vector_set in self.list_sets()}
        for path in self._folder.glob("vectors-*"):
            if path.name not in used:
                self._open_files.pop(path.name, None)
                with suppress(PermissionError):  # Windows: another process still reads it; deleted the next time
                    path.unlink(missing_ok=True)


_FIRST_LIMIT = 1_000

_MAX_DEAD_SHARE = 0.05
"""Share of rows of deleted documents from which a vector file is rewritten."""


class EmbedderMismatch(IndexUnavailable):
    """The active vectors are of another embedder than the query vector: the query has to be encoded again."""


class VectorIndex:
    """The vectors of one index. Every method may be called from any thread."""

    def __init__(self, database: IndexDatabase) -> None:
        """Take the database; callers use IndexStore."""
        self._database = database
        self._db = database.connection
        self._lock = database.lock
        self._sets = VectorSets(database.folder, self._db)
        self._counts: tuple[int, int, int] = (-1, 0, 0)
        self._file_vectors: tuple[int, dict[str, bytes]] = (-1, {})  # of a generation, by path; b"" without one
        self.reads_once = False
        """Whether the next search reads the vectors and keeps none: most commands ask once. Later ones load them."""

    # Reading ------------------------------------------------------------------------------------------------------

    def nearest(
        self, identity: str, query: FloatRows, limit: int, left: FileSelection | None = None
    ) -> list[tuple[int, float]]:
        """Return the documents nearest to a unit vector of the active embedder, as (key, cosine), nearest first.

        identity: of the embedder that made `query`. left: only documents of these files. Raises
        EmbedderMismatch when the active vectors are another embedder's.
        """
        with self._lock:
            active = self._sets.active()
            if active is None:
                return []
            if active.embedder.identity != identity:
                raise EmbedderMismatch(
                    f"the vectors are of {active.embedder.identity}, the question's is of {identity}"
                )
            unread, self.reads_once = active.row_count if self.reads_once else 0, False
            rows = self._sets.open_file(active, load=False) if unread else self._open_vectors(active)
        try:
            return rows.search(query, limit, left and left.mask, unread=unread)
        except (FileNotFoundError, IndexUnavailable):
            if not unread:
                raise
            return self.nearest(identity, query, limit, left)  # which records damage, and finds a rewritten file

    def above_cosine(
        self, identity: str, query: FloatRows, min_cosine: float, left: FileSelection | None = None
    ) -> list[tuple[int, float]]:
        """Return all documents with at least this cosine; otherwise as `nearest`."""
        limit = _FIRST_LIMIT
        while True:
            nearest = self.nearest(identity, query, limit, left)
            if len(nearest) < limit or nearest[-1][1] < min_cosine:
                return [(doc_key, cosine) for doc_key, cosine in nearest if cosine >= min_cosine]
            limit *= 4

    def cosine_of(self, identity: str, query: FloatRows, doc_key: int) -> float | None:
        """Return the cosine of one document, as `nearest` gives it; None without a vector. Raises EmbedderMismatch."""
        with self._lock:
            active = self._sets.active()
            if active is None or active.embedder.identity != identity:
                raise EmbedderMismatch(f"the vectors are no longer those of {identity}")
            rows = self._open_vectors(active)
        _, cosines = rows.cosines(query, doc_key)
        return float(cosines[0]) if len(cosines) and cosines[0] >= -1 else None  # less: a query without a direction

    def file_cosines(self, identity: str, query: FloatRows, paths: Sequence[str]) -> dict[str, float]:
        """Return the cosines of files with a unit vector, by path; files without a vector are absent.

        identity: of the embedder that made `query`; another one's vectors are not compared.
        """
        with self._lock:
            generation, active = self._database.generation_seen, self._sets.active()
            if active is None or active.embedder.identity != identity:
                return {}
            if self._file_vectors[0] != generation:
                self._file_vectors = generation, {}
            known = self._file_vectors[1]
            missing = [path for path in paths if path not in known]
            known.update(dict.fromkeys(missing, b""))
            for part in batches(list(map(encode_path, missing)), pad=True):
                sql = (
                    "SELECT f.path, v.vector FROM files f JOIN file_vectors v ON v.file = f.id "
                    f"WHERE v.vector_set = {active.set_id} AND f.path IN ({placeholders(part)})"
                )
                known.update([(decode_path(path), vector) for path, vector in self._db.execute(sql, part)])
            packed = {path: known[path] for path in paths}
        return compare_packed(packed, query)

    def similar(self, doc_key: int, limit: int) -> list[tuple[int, float]]:
        """Return the documents nearest to one, itself included, as `nearest`; none where it has no vector yet."""
        with self._lock:
            active = self._sets.active()
            if active is None:
                return []
            rows = self._open_vectors(active)
        return rows.search_like(doc_key, limit)

    def similar_files(self, path: str) -> list[tuple[str, float]]:
        """Return all other files with their cosines to a file, by the vectors of whole files, nearest first and then by
        path; none where it has no vector yet.
        """
        with self._lock:
            active = self._sets.active()
            sql = "SELECT f.path, v.vector FROM files f JOIN file_vectors v ON v.file = f.id WHERE v.vector_set = ?"
            found = self._db.execute(sql, (active.set_id,)).fetchall() if active else []
        size = 4 + active.embedder.dimension if active else 0  # of others the file has no word, or the row is damaged
        packed: dict[str, bytes] = {decode_path(key): vector for key, vector in found if len(vector) == size}
        own = packed.pop(path, None)
        return [] if own is None else sorted(compare_rows(own, packed).items(), key=lambda each: (-each[1], each[0]))

    @property
    def embedder(self) -> EmbedderInfo | None:
        """The embedder of the active vectors."""
        with self._lock:
            active = self._sets.active()
        return active.embedder if active else None

    @property
    def pending_embedder(self) -> tuple[EmbedderInfo, int] | None:
        """The embedder of the pending vectors, and the number of documents that have one."""
        with self._lock:
            pending = self._sets.pending()
            total = self._database.document_count
            return (pending.embedder, self._sets.count_documents(pending, total)) if pending else None

    def files_without_vectors(self, identity: str) -> list[str]:
        """Return the paths of the files that hold a document without a vector of this embedder."""
        with self._lock:
            vector_set = self._sets.find_by_identity(identity)
            file_ids_sql = f"SELECT file FROM documents WHERE {vector_set.lacks_condition if vector_set else 'true'}"
            rows = self._db.execute(f"SELECT path FROM files WHERE id IN ({file_ids_sql}) ORDER BY path").fetchall()
        return [decode_path(path) for (path,) in rows]

    def counts(self) -> tuple[int, int]:
        """Return the number of documents with an active vector, and of all documents; counted once a generation."""
        with self._lock:
            generation = self._database.meta.generation
            if self._counts[0] != generation:
                active, total = self._sets.active(), self._database.document_count
                self._counts = (generation, self._sets.count_documents(active, total) if active else 0, total)
            return self._counts[1], self._counts[2]

    @property
    def is_incomplete(self) -> bool:
        """Whether a document has no active vector."""
        done, total = self.counts()
        return done < total

    def _open_vectors(self, vector_set: VectorSet) -> VectorFile:
        """Return the vector file of a set. Raises IndexDamaged, and records the damage."""
        try:
            try:
                return self._sets.open_file(vector_set)
            except FileNotFoundError:  # rewritten or dropped since the look-up
                replacement = self._sets.find_by_identity(vector_set.embedder.identity)
                if replacement is None:
                    raise EmbedderMismatch(f"the vectors of {vector_set.embedder.identity} are gone") from None
                if replacement.file == vector_set.file:
                    raise IndexDamaged(f"{vector_set.file} is missing") from None
                return self._sets.open_file(replacement)
        except IndexDamaged:
            self._database.damaged_files.add(-vector_set.set_id)
            raise

    def files(self) -> list[Path]:
        """Return the files of all sets."""
        with self._lock:
            return self._sets.files()

    # Writing ------------------------------------------------------------------------------------------------------

    def publish(self, embedder: EmbedderInfo, doc_keys: Sequence[int], vectors: FloatRows) -> int:
        """Add the unit vectors of documents to the set of the embedder, as one generation; return it.

        doc_keys: all of each file, from whose vectors that of the file is made.
        The set is created where there is none yet. It is active at once where no other is.
        """
        with self._lock:
            with self._database.publishing():
                vector_set = self._sets.find_by_identity(embedder.identity) or self._sets.create(embedder)
                self._sets.append(vector_set, doc_keys, vectors)
                self._write_file_vectors(vector_set, doc_keys, vectors)
            return self._database.generation_seen

    def _write_file_vectors(self, vector_set: VectorSet, doc_keys: Sequence[int], vectors: FloatRows) -> None:
        """Write the vectors of the files of these documents. doc_keys: all of each file."""
        indexes = {doc_key: index for index, doc_key in enumerate(doc_keys)}
        by_file: dict[int, list[tuple[int, int]]] = {}
        for part in batches(doc_keys):
            sql = f"SELECT number, file, place FROM documents WHERE number IN ({placeholders(part)}) ORDER BY number"
            for doc_key, file_id, place in self._db.execute(sql, part):
                first, last = unpack_line_range(place)
                by_file.setdefault(file_id, []).append((indexes[doc_key], last - first + 1))
        means = [mean_vector(vectors[[at for at, _ in own]], [lines for _, lines in own]) for own in by_file.values()]
        rows = quantize(range(len(means)), np.reshape(means, (len(means), vectors.shape[1])))
        packed = zip(by_file, repeat(vector_set.set_id), pack_rows(rows), strict=False)
        self._db.executemany("INSERT OR REPLACE INTO file_vectors VALUES (?, ?, ?)", packed)

    def activate_if_complete(self, embedder: EmbedderInfo) -> bool:
        """Make the vectors of this embedder the active ones, and drop all others, if no document lacks one.

        Returns whether it did.
        """
        with self._lock:
            vector_set = self._sets.find_by_identity(embedder.identity)
            total = self._database.document_count
            if vector_set is None or self._sets.count_documents(vector_set, total) < total:
                return False
            if not vector_set.is_active or self._sets.pending() is not None:
                with self._database.publishing():
                    self._sets.activate(vector_set)
                self._sets.delete_unused_files()
            return True

    def drop_damaged(self) -> None:
        """Drop the sets whose file is missing or too short: their vectors are made again."""
        with self._lock:
            damaged = self._sets.list_damaged()
            if damaged:
                with self._database.publishing():
                    for vector_set in damaged:
                        self._sets.drop(vector_set)

    def drop_outdated(self, embedder: EmbedderInfo) -> None:
        """Drop vectors of other versions of this embedder's model: a query can no longer be encoded for them."""
        with self._lock:
            same_model = [
                vector_set for vector_set in self._sets.list_sets() if vector_set.embedder.model == embedder.model
            ]
            outdated = [vector_set for vector_set in same_model if vector_set.embedder.identity != embedder.identity]
            if outdated:
                with self._database.publishing():
                    for vector_set in outdated:
                        self._sets.drop(vector_set)
                self._sets.delete_unused_files()

    def compact(self) -> None:
        """Rewrite a set where many of its rows are of deleted documents."""
        with self._lock:
            total = self._database.document_count
            for vector_set in self._sets.list_sets():
                dead = vector_set.row_count - self._sets.count_documents(vector_set, total)
                if dead > _MAX_DEAD_SHARE * max(1, total):
                    doc_keys = self._db.execute("SELECT number FROM documents ORDER BY number")
                    live_doc_keys = np.fromiter((row[0] for row in doc_keys), np.int64)
                    with self._database.publishing():
                        self._sets.compact(vector_set, live_doc_keys)
                    self._sets.delete_unused_files()

    def delete_unused_files(self) -> None:
        """Delete the files that no set names."""
        with self._lock:
            self._sets.delete_unused_files()


# The vector of a file ------------------------------------------------------------------------------------------------

FULL_LENGTH_LINES = 60
"""Lines up to which a longer document counts for more in its file's vector: each line is as much of what the file is
about, but a class of a thousand lines holds what its methods say once more."""


def mean_vector(vectors: FloatRows, line_counts: Sequence[int]) -> FloatRows:
    """Return the vector of a file, of length 1: the mean of its documents' by their lines; zeros where those are."""
    weights = np.minimum(line_counts, FULL_LENGTH_LINES)[:, None]
    total = (weights * vectors.astype(np.float64)).sum(axis=0)
    length = math.sqrt(float((total * total).sum()))
    return (total / (length or 1.0)).astype(np.float32)


def pack_rows(rows: QuantizedVectors) -> list[bytes]:
    """Return each row as bytes, its scale before its numbers; b"" for a row of zeros."""
    return [
        scale.astype("<f4").tobytes() + row.tobytes() if row.any() else b""
        for scale, row in zip(rows.scales, rows.matrix, strict=True)
    ]


def compare_rows(own: bytes, packed: dict[str, bytes]) -> dict[str, float]:
    """Return the cosine of each packed row with one, by its key. Products are integers below 2 ** 24, so exact."""
    rows = (own, *packed.values())
    scales: NDArray[np.float32] = np.frombuffer(b"".join([row[:4] for row in rows]), np.dtype("<f4"))
    matrix: NDArray[np.int8] = np.frombuffer(b"".join([row[4:] for row in rows]), np.int8)
    products = np.reshape(matrix, (len(rows), -1)) @ matrix[: len(own) - 4].astype(np.float32)
    return dict(zip(packed, map(float, np.round(np.multiply(products, scales * scales[0]), 6)[1:]), strict=True))
