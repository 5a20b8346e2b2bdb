"""What the index of one project holds, for reading: files, documents, words and vectors as of one generation."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.types import Document, IndexState, Outline, Skip, SkipReason, Structure
from scry.store.database import path_from_sql, path_to_sql
from scry.store.file_reader import FileReader
from scry.store.graph_reader import GraphReader
from scry.store.lexical import LexicalIndex
from scry.store.nearest import search_nearest
from scry.store.rows import DOCUMENT_COLUMNS, OUTLINE_COLUMNS, IndexedFile, StoredFile, read_document, unpack_text
from scry.store.vector_sets import Maker, VectorSet, VectorSets
from scry.store.vectors import VectorFile, Vectors

if TYPE_CHECKING:
    from scry.store.hnsw import Hnsw

_SQL_VARIABLES = 900
_OUTLINES_KEPT = 50_000
_NEAREST_AT_ONCE = 1_000

T = TypeVar("T")


class OtherModel(IndexUnavailable):
    """The vectors that answer are of another embedder than the question's: it has to be encoded again."""


class IndexReader(FileReader):
    """The reading half of an `IndexStore`. Every method may be called from any thread."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, *, write: bool) -> None:
        """connection: to the folder's `index.sqlite`. write: whether this process is the one that writes."""
        self._folder = folder
        self._write = write
        self._lock = threading.RLock()
        self._db = connection
        self._lexical = LexicalIndex(self._lexical_folder(), write=write)
        self._vectors = VectorSets(folder, self._db)
        self.graph: GraphReader = GraphReader(connection, self._lock)
        self._counts: tuple[int, int, int] = (-1, 0, 0)
        self._seen = self._generation()
        self._outlines: dict[int, Outline] = {}
        self._outlined = self._seen

    def close(self) -> None:
        """Gives everything free. Not needed for durability."""
        with self._lock:
            self._lexical.close()
            self._db.close()

    def _meta(self, key: str) -> object:
        try:
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        except sqlite3.OperationalError:
            return None
        return row[0] if row else None

    def _number_meta(self, key: str) -> int:
        value = self._meta(key)
        return value if isinstance(value, int) else 0

    def _generation(self) -> int:
        return self._number_meta("generation")

    def _next_number(self) -> int:
        return self._number_meta("next_number")

    def _lexical_folder(self) -> Path:
        return self._folder / str(self._meta("lexical") or "words-1")

    def state(self) -> IndexState:
        """What the index last said of itself, with counts read from it. `state` is ready once a whole pass was done."""
        with self._lock:
            counts = self._db.execute("SELECT count(*), count(skip_reason) FROM files").fetchone()
            notes = "SELECT count(*) FROM files WHERE skip_reason = ?"
            known = self._db.execute(notes, (SkipReason.KNOWLEDGE.value,)).fetchone()[0] if counts[1] else 0
            saved = json.loads(str(self._meta("state") or "{}"))
            indexed = counts[0] - counts[1]
            vectors, vectors_total = self._count_vectors()
            active = self._vectors.active()
            return IndexState(
                state="ready" if saved.get("complete") and vectors == vectors_total else "starting",
                generation=self._generation(),
                files_indexed=indexed,
                files_total=max(indexed, int(saved.get("files_total", 0))),
                vectors=vectors,
                vectors_total=vectors_total,
                skipped=counts[1] - known,
                index_commit=saved.get("commit"),
                model=active.maker.identity if active else None,
            )

    def _count_vectors(self) -> tuple[int, int]:
        """Documents with a vector that answers, and all documents; counted once a generation."""
        generation = self._generation()
        if self._counts[0] != generation:
            active = self._vectors.active()
            total = self._db.execute("SELECT count(*) FROM documents").fetchone()[0]
            self._counts = (generation, self._vectors.count(active) if active else 0, total)
        return self._counts[1], self._counts[2]

    @property
    def basis(self) -> str | None:
        """What the outcome of reading the files depended on."""
        with self._lock:
            value = self._meta("basis")
        return value if isinstance(value, str) else None

    @property
    def structure_due(self) -> bool:
        """Whether files have changed since their structure was saved."""
        with self._lock:
            return self._meta("structure_due") == 1

    @property
    def replaced_files(self) -> int:
        """How many files' words are dead in the word index; BM25 still counts them until `rewrite_lexical`."""
        return self._number_meta("dead")

    # Reading: files -----------------------------------------------------------------------------------------------

    def files(self) -> dict[str, StoredFile]:
        """Every file that was looked at, by path."""
        columns = "id, path, size, mtime_ns, hash, skip_reason, skip_detail"
        with self._lock:
            rows = self._db.execute(f"SELECT {columns} FROM files").fetchall()
        stored = (
            StoredFile(
                row[0],
                path_from_sql(row[1]),
                row[2],
                row[3],
                row[4] or b"",
                Skip(SkipReason(row[5]), row[6] or "") if row[5] else None,
            )
            for row in rows
        )
        return {file.path: file for file in stored}

    def stored_files(self) -> list[tuple[str, int, int]]:
        """Path, size and mtime_ns of every file that is not ignored, for a quick comparison."""
        sql = "SELECT path, size, mtime_ns FROM files WHERE size >= 0 AND skip_reason IS NOT ?"
        with self._lock:
            rows = self._db.execute(sql, [SkipReason.IGNORED.value]).fetchall()
        return [(path_from_sql(path), size, mtime) for path, size, mtime in rows]

    def stored_folders(self) -> list[tuple[str, int]]:
        """Path and mtime_ns of every folder that was walked."""
        with self._lock:
            rows = self._db.execute("SELECT path, mtime_ns FROM folders").fetchall()
        return [(path_from_sql(path), mtime) for path, mtime in rows]

    def imports(self) -> dict[str, bytes]:
        """What was packed of each indexed file's imports, by path."""
        with self._lock:
            rows = self._db.execute("SELECT path, imports FROM files WHERE skip_reason IS NULL").fetchall()
        return {path_from_sql(path): packed or b"" for path, packed in rows}

    def skip_of(self, path: str) -> Skip | None:
        """Why a file is known but not indexed; None when it is indexed or unknown."""
        with self._lock:
            row = self._db.execute(
                "SELECT skip_reason, skip_detail FROM files WHERE path = ?", (path_to_sql(path),)
            ).fetchone()
        return Skip(SkipReason(row[0]), row[1] or "") if row and row[0] else None

    def file_ids(self) -> list[tuple[int, str, str, str]]:
        """Id, path, language and content type of every indexed file."""
        with self._lock:
            rows = self._db.execute(
                "SELECT id, path, language, content_type FROM files WHERE skip_reason IS NULL"
            ).fetchall()
        return [(row[0], path_from_sql(row[1]), row[2] or "", row[3] or "") for row in rows]

    def text(self, path: str) -> str | None:
        """A file's text as it was indexed."""
        with self._lock:
            row = self._db.execute("SELECT body FROM files WHERE path = ?", (path_to_sql(path),)).fetchone()
        return unpack_text(row[0]) if row and row[0] is not None else None

    def structures(self, paths: Sequence[str]) -> dict[str, Structure]:
        """What the code around these files says of them."""
        found: dict[str, Structure] = {}
        for part in parts(paths):
            sql = f"SELECT path, importers, centrality, flags FROM files WHERE path IN ({marks(part)})"
            with self._lock:
                rows = self._db.execute(sql, [path_to_sql(path) for path in part]).fetchall()
            for path, importers, centrality, flags in rows:
                found[path_from_sql(path)] = Structure(importers, centrality, None, tuple(flags.split()))
        return found

    # Reading: documents -------------------------------------------------------------------------------------------

    def refreshed(self) -> int:
        """Sees what has been published since; returns the generation that is read from here on."""
        with self._lock:
            generation = self._generation()
            if generation != self._seen:
                if not self._write and self._lexical.folder != self._lexical_folder():
                    self._lexical = LexicalIndex(self._lexical_folder(), write=False)
                else:
                    self._lexical.reload()
                self._seen = generation
            return generation

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """The documents with these numbers; those that are not published, or no more, are absent."""
        return {document.number: document for document in self._documents("d.number", numbers)}

    def documents_named(self, keys: Sequence[str]) -> list[Document]:
        """The documents whose name has one of these keys (see core.text.name_key)."""
        return self._documents("d.name_key", keys)

    def documents_of_id(self, doc_id: str) -> list[Document]:
        """The documents with this doc_id: one or none."""
        return self._documents("d.doc_id", [doc_id])

    def numbers_named(self, doc_ids: Sequence[str], files: Sequence[int] | None = None) -> dict[str, int]:
        """The numbers of the documents with these doc_ids, by doc_id. files: only documents of these files."""
        found: list[tuple[str, int, int]] = []
        for part in parts(doc_ids):
            with self._lock:
                sql = f"SELECT doc_id, number, file FROM documents WHERE doc_id IN ({marks(part)})"
                found += self._db.execute(sql, part).fetchall()
        allowed = None if files is None else frozenset(files)
        return {doc_id: number for doc_id, number, file in found if allowed is None or file in allowed}

    def count(self, numbers: Sequence[int]) -> int:
        """How many of the documents with these numbers are there."""
        found = 0
        for part in parts(numbers):
            with self._lock:
                sql = f"SELECT count(*) FROM documents WHERE number IN ({marks(part)})"
                found += int(self._db.execute(sql, part).fetchone()[0])
        return found

    def outlines(self, numbers: Sequence[int]) -> dict[int, Outline]:
        """What ranking reads of the documents with these numbers; those that are not published, or no more, are absent.

        What one question read is kept for the next, until something is published.
        """
        with self._lock:
            if self._outlined != self._seen or len(self._outlines) > _OUTLINES_KEPT:
                self._outlines.clear()
                self._outlined = self._seen
            known = self._outlines
            for row in self._rows(OUTLINE_COLUMNS, "d.number", [number for number in numbers if number not in known]):
                known[row[0]] = Outline(row[0], row[1], row[2], path_from_sql(row[3]), row[4], row[5], row[6])
            return {number: known[number] for number in numbers if number in known}

    def _documents(self, column: str, values: Sequence[object]) -> list[Document]:
        return [read_document(row, path_from_sql(row[3])) for row in self._rows(DOCUMENT_COLUMNS, column, values)]

    def _rows(self, columns: str, column: str, values: Sequence[object]) -> list[Any]:
        found: list[Any] = []
        for part in parts(values):
            sql = f"SELECT {columns} FROM documents d JOIN files f ON f.id = d.file WHERE {column} IN ({marks(part)})"
            with self._lock:
                found += self._db.execute(sql, part).fetchall()
        return found

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
            rows, snapshot = self._reading(active)
            allowed = None if files is None else self._numbers_in(files)
        return search_nearest(rows, snapshot, query, limit, allowed)

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
            rows, _ = self._reading(active)
        found = rows.search(query, 1, np.array([number], np.int64))
        return found[0][1] if found else None

    def _reading(self, found: VectorSet) -> tuple[VectorFile, Hnsw | None]:
        """The set's rows, and its snapshot if there is one."""
        try:
            return self._vectors.reading(found), self._vectors.snapshot(found)
        except FileNotFoundError:  # rewritten since it was looked up, or given up
            again = self._vectors.of(found.maker.identity)
            if again is None or (again.file, again.hnsw) == (found.file, found.hnsw):
                raise OtherModel(f"the vectors of {found.maker.identity} are gone") from None
            return self._vectors.reading(again), self._vectors.snapshot(again)

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

    @property
    def lacks_vectors(self) -> bool:
        """Whether a document has no vector among those that answer."""
        with self._lock:
            done, total = self._count_vectors()
        return done < total

    def _numbers_in(self, files: Sequence[int]) -> NDArray[np.int64]:
        found: list[int] = []
        for part in parts(files):
            sql = f"SELECT number FROM documents WHERE file IN ({marks(part)})"
            found += (row[0] for row in self._db.execute(sql, part))
        return np.array(sorted(found), np.int64)

    @property
    def lexical(self) -> LexicalIndex:
        """The word index as of the last `refreshed`."""
        return self._lexical

    def numbers_of(self, path: str) -> tuple[int, list[tuple[int, str]]]:
        """A file's id and its documents' numbers with their doc_ids."""
        with self._lock:
            row = self._db.execute("SELECT id FROM files WHERE path = ?", (path_to_sql(path),)).fetchone()
            if row is None:
                return 0, []
            numbers = self._db.execute("SELECT number, doc_id FROM documents WHERE file = ?", (row[0],)).fetchall()
        return row[0], numbers

    def indexed(self, paths: Sequence[str]) -> list[IndexedFile]:
        """What of these files is indexed, each as of one moment; those that are not are left out."""
        found: list[IndexedFile] = []
        sql = "SELECT id, hash FROM files WHERE path = ? AND skip_reason IS NULL"
        for path in paths:
            with self._lock:
                row = self._db.execute(sql, (path_to_sql(path),)).fetchone()
                numbers = self._db.execute(
                    "SELECT number FROM documents WHERE file = ? ORDER BY number", (row[0] if row else 0,)
                ).fetchall()
            if row:
                found.append(IndexedFile(row[0], path, row[1] or b"", tuple(number for (number,) in numbers)))
        return found

    def text_of(self, file: int) -> str | None:
        """The text of the indexed file with this id; None when the file has changed since, or is gone."""
        with self._lock:
            row = self._db.execute("SELECT body FROM files WHERE id = ?", (file,)).fetchone()
        return unpack_text(row[0]) if row and row[0] is not None else None

    def files_without_vectors(self, identity: str) -> list[str]:
        """Paths of the files that hold a document without a vector of this embedder."""
        with self._lock:
            found = self._vectors.of(identity)
            lacking = f"SELECT file FROM documents WHERE vectors IN ({marks(found.lacking)})" if found else ""
            sql = f"SELECT path FROM files WHERE id IN ({lacking or 'SELECT file FROM documents'}) ORDER BY path"
            rows = self._db.execute(sql, found.lacking if found else ()).fetchall()
        return [path_from_sql(path) for (path,) in rows]


def parts(values: Sequence[T]) -> Iterator[list[T]]:
    """Lists short enough for one statement's variables."""
    for start in range(0, len(values), _SQL_VARIABLES):
        yield list(values[start : start + _SQL_VARIABLES])


def marks(values: Sequence[object]) -> str:
    """As many question marks as there are values."""
    return ",".join("?" * len(values))
