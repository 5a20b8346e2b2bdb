"""Read one generation of a project's code index: files, documents, words, vectors and graph.

What the index of one project holds, for reading: files, documents, words and vectors as of one generation.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

from scry.core.knowledge import NOTES_FOLDER
from scry.core.types import IndexState, SkipReason
from scry.store.graph import GraphReader
from scry.store.index.documents import DocumentCache
from scry.store.index.files import FileTable
from scry.store.lexical import LexicalIndex
from scry.store.sqlite.database import FolderCache, folder_condition
from scry.store.vector_sets import VectorIndex, VectorSets


class IndexReader(FileTable, VectorIndex):
    """The reading half of an `IndexStore`. Every method may be called from any thread."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, *, write: bool) -> None:
        """connection: to the folder's `index.sqlite`. write: whether this process is the one that writes."""
        self._folder = folder
        self._is_writer = write
        self._lock = threading.RLock()
        self._db = connection
        self._lexical = LexicalIndex(self._lexical_folder(), write=write)
        self._vectors = VectorSets(folder, self._db)
        self.graph: GraphReader = GraphReader(connection, self._lock)
        self._vector_counts: tuple[int, int, int] = (-1, 0, 0)
        self._generation_seen = self._generation()
        self._cache = DocumentCache(self._generation_seen)
        self._damaged_files: set[int] = set()
        self._columns_cache = FolderCache(self._db)
        self._files_cache = FolderCache(self._db)

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

    def _int_meta(self, key: str) -> int:
        value = self._meta(key)
        return value if isinstance(value, int) else 0

    def _generation(self) -> int:
        return self._int_meta("generation")

    def _next_doc_key(self) -> int:
        return self._int_meta("next_number")

    def _lexical_folder(self) -> Path:
        return self._folder / str(self._meta("lexical") or "words-1")

    def state(self) -> IndexState:
        """What the index last said of itself, with counts read from it. `state` is ready once a whole pass was done."""
        with self._lock:
            indexed, skipped = self._count_files()
            saved = json.loads(str(self._meta("state") or "{}"))
            vectors, vectors_total = self._count_vectors()
            active = self._vectors.active()
            return IndexState(
                state="ready" if saved.get("complete") and vectors == vectors_total else "starting",
                generation=self._generation(),
                files_indexed=indexed,
                files_total=max(indexed, int(saved.get("files_total", 0))),
                vectors=vectors,
                vectors_total=vectors_total,
                skipped=skipped,
                index_commit=saved.get("commit"),
                model=active.embedder.identity if active else None,
            )

    def _count_files(self) -> tuple[int, int]:
        """Indexed files, and those that are left out and no knowledge. No row of `files` is read that can be passed
        over: each holds a text, and to read 4,000 takes 10 ms.
        """
        total = self._db.execute("SELECT count(*) FROM files").fetchone()[0]
        held = "SELECT count(*) FROM files INDEXED BY files_overview WHERE skip_reason IS NULL"
        indexed = self._db.execute(held).fetchone()[0]
        where, values = folder_condition("path", NOTES_FOLDER)
        notes = f"SELECT count(*) FROM files WHERE {where} AND skip_reason = ?"
        known = self._db.execute(notes, (*values, SkipReason.KNOWLEDGE.value)).fetchone()[0]
        return indexed, total - indexed - known

    def _count_vectors(self) -> tuple[int, int]:
        """Documents with a vector that answers, and all documents; counted once a generation."""
        generation = self._generation()
        if self._vector_counts[0] != generation:
            active = self._vectors.active()
            total = self._db.execute("SELECT count(*) FROM documents").fetchone()[0]
            self._vector_counts = (generation, self._vectors.count_documents(active) if active else 0, total)
        return self._vector_counts[1], self._vector_counts[2]

    @property
    def lacks_vectors(self) -> bool:
        """Whether a document has no vector among those that answer."""
        with self._lock:
            done, total = self._count_vectors()
        return done < total

    @property
    def fingerprint(self) -> str | None:
        """What the outcome of reading the files depended on."""
        with self._lock:
            value = self._meta("basis")
        return value if isinstance(value, str) else None

    @property
    def is_structure_outdated(self) -> bool:
        """Whether files have changed since their structure was saved."""
        with self._lock:
            return self._meta("structure_due") == 1

    @property
    def damaged_files(self) -> frozenset[int]:
        """The ids of the files of which something was found to be damaged: it was answered without. Those of vector
        sets are below 0. Ids never come again, so that those of an index that was made anew since are of no file.
        """
        with self._lock:
            return frozenset(self._damaged_files)

    @property
    def dead_file_count(self) -> int:
        """How many files' words are dead in the word index; BM25 still counts them until `rewrite_lexical`."""
        return self._int_meta("dead")

    def refresh(self) -> int:
        """Sees what has been published since; returns the generation that is read from here on."""
        with self._lock:
            generation = self._generation()
            if generation != self._generation_seen:
                if not self._is_writer and self._lexical.folder != self._lexical_folder():
                    self._lexical = LexicalIndex(self._lexical_folder(), write=False)
                else:
                    self._lexical.reload()
                self._generation_seen = generation
            return generation

    @property
    def lexical(self) -> LexicalIndex:
        """The word index as of the last `refreshed`."""
        return self._lexical
