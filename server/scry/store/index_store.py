"""The index of one project on disk: which files were seen, which documents they hold, and the words of these.

`index.sqlite` is the truth about which documents exist; the word index beside it may only be ahead of it. A generation
is published in this order: words (durable), then one SQLite transaction that also raises the generation. A reader takes
what SQLite lists and drops what it does not know; a writer that finds words ahead of SQLite, after a crash, removes
them.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from scry.core.errors import IndexUnavailable
from scry.core.types import Structure
from scry.store import migrations
from scry.store.database import (
    BUSY_TIMEOUT_S,
    connect,
    marks,
    migrate,
    parts,
    path_from_sql,
    path_to_sql,
    transaction,
    version,
)
from scry.store.graph_store import GraphStore
from scry.store.index_reader import IndexReader
from scry.store.lexical import LexicalEntry, LexicalIndex
from scry.store.rows import NewDocument, NewFile, document_row, pack_text
from scry.store.vector_reader import OtherModel
from scry.store.vector_sets import Maker
from scry.store.vectors import VectorFile, Vectors

_DEAD_ROWS = 0.05
"""Share of vector rows of deleted documents that may lie about before the file is rewritten."""

_DEAD_ROWS_OF_MANY = 0.2
"""… where that costs the snapshot, which takes half a minute for 100,000 rows to be made anew."""

_LONG_JOURNAL = 8_000_000
"""Bytes of a write-ahead log that is cut short; SQLite itself keeps it below half of this, but for large batches."""


class IndexStore(IndexReader):
    """One project's index. One process writes, any number read; every method may be called from any thread."""

    @classmethod
    def open(cls, folder: Path, *, write: bool) -> IndexStore:
        """Opens the index in a folder; `write` makes it where it is missing, damaged or of another format.

        Raises IndexUnavailable, for readers also where there is none yet.
        """
        path = folder / "index.sqlite"
        if not write:
            if not path.exists():
                raise IndexUnavailable(f"nothing is indexed in {folder} yet")
            return cls(folder, write=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return cls(folder, write=True)
        except (sqlite3.OperationalError, OSError) as error:  # no space, no right, locked: what is there is good
            raise IndexUnavailable(f"the index in {folder} can't be written: {error}") from error
        except (IndexUnavailable, sqlite3.DatabaseError):
            _remove_index(folder)
            return cls(folder, write=True)

    def __init__(self, folder: Path, *, write: bool) -> None:
        """Use `open`."""
        connection = connect(folder / "index.sqlite", write=write)
        if write:
            _prepare(connection)
        elif version(connection) != len(migrations.INDEX):
            raise IndexUnavailable("the index was written by another version of Scry; it is being made anew")
        super().__init__(folder, connection, write=write)
        self.graph_store = GraphStore(self._db, self._lock, self._transaction)
        self.graph = self.graph_store
        if write:
            self._lexical.drop_newer(self._next_number() - 1)
            self._remove_unused()
            self.drop_damaged_vectors()

    def _remove_unused(self) -> None:
        """Deletes what a change of the index's shape, or an end in the middle of something, has left lying about."""
        for path in self._folder.glob("words-*"):
            if path != self._lexical.folder:
                shutil.rmtree(path, ignore_errors=True)
        self._vectors.remove_unused()

    # Small state --------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with self._lock, transaction(self._db):
            yield

    def _set_meta(self, key: str, value: object) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def save_state(self, *, complete: bool, total: int, commit: str | None) -> None:
        """Remembers how far the last pass came, for those who open the index without an indexer."""
        with self._transaction():
            state = {"complete": complete, "files_total": total, "commit": commit}
            self._set_meta("state", json.dumps(state))

    def save_basis(self, basis: str) -> None:
        """Remembers what the outcome of reading a file depends on, beside the file."""
        with self._transaction():
            self._set_meta("basis", basis)

    # Writing ------------------------------------------------------------------------------------------------------

    def publish(self, files: Sequence[NewFile], gone: Sequence[str] = (), touched: Sequence[NewFile] = ()) -> int:
        """Writes files with their documents in place of what there was, removes others, as one generation.

        touched: files whose content is the known one and whose size or time is not. Returns the generation.
        """
        with self._lock:
            ids = self._ids([*(file.path for file in files), *gone])
            next_file = self._number_meta("next_file")
            number = self._next_number()
            entries: list[LexicalEntry] = []
            rows: list[tuple[NewFile, int, list[tuple[int, NewDocument]]]] = []
            for file in files:
                numbered = list(enumerate(file.documents, number))
                number += len(numbered)
                rows.append((file, next_file, numbered))
                entries += (LexicalEntry(n, next_file, document.terms) for n, document in numbered)
                next_file += 1
            if ids or entries:
                self._lexical.write(ids.values(), entries)
            with self._transaction():
                self._delete(list(ids.values()))
                for file, file_id, numbered in rows:
                    self._insert(file, file_id, numbered)
                self._touch(touched)
                self._set_meta("next_file", next_file)
                self._set_meta("next_number", number)
                self._set_meta("dead", self._number_meta("dead") + len(ids))
                if files or ids:
                    self._set_meta("structure_due", 1)
                self._set_meta("generation", self._generation() + 1)
                if files or gone:
                    self._set_meta("documents", self._generation())
            self._seen = self._generation()
            return self._seen

    def _ids(self, paths: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for part in parts(paths):
            places = [path_to_sql(path) for path in part]
            rows = self._db.execute(f"SELECT path, id FROM files WHERE path IN ({marks(part)})", places)
            found |= {path_from_sql(path): file_id for path, file_id in rows}
        return found

    def _delete(self, ids: Sequence[int]) -> None:
        self._db.executemany("DELETE FROM files WHERE id = ?", [(file_id,) for file_id in ids])

    def _insert(self, file: NewFile, file_id: int, numbered: Sequence[tuple[int, NewDocument]]) -> None:
        self._db.execute(
            "INSERT INTO files (id, path, size, mtime_ns, hash, language, content_type, skip_reason, skip_detail, "
            "imports, uses, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                file_id,
                path_to_sql(file.path),
                file.size,
                file.mtime_ns,
                file.hash,
                file.language,
                file.content_type,
                file.skip.reason.value if file.skip else None,
                file.skip.detail if file.skip else None,
                file.imports,
                file.uses,
                None if file.skip else pack_text(file.text),
            ),
        )
        self._db.executemany(
            "INSERT INTO documents "
            "(number, file, doc_id, doc_key, name, name_key, kind, container, signature, doc, ordinal, place) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [document_row(number, file_id, document) for number, document in numbered],
        )

    def _touch(self, touched: Iterable[NewFile]) -> None:
        self._db.executemany(
            "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?",
            [(file.size, file.mtime_ns, path_to_sql(file.path)) for file in touched],
        )

    def save_folders(self, folders: Mapping[str, int], *, whole: bool) -> None:
        """Remembers the folders that were walked with their mtime_ns; `whole` forgets all others."""
        rows = [(path_to_sql(path), mtime) for path, mtime in folders.items()]
        with self._transaction():
            if whole:
                self._db.execute("DELETE FROM folders")
            self._db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?)", rows)

    def save_structures(self, structures: Mapping[str, Structure]) -> None:
        """Writes what the code around each file says of it. It ranks nothing in find, so the generation stays."""
        rows = [(s.importers, s.centrality, " ".join(s.flags), path_to_sql(path)) for path, s in structures.items()]
        with self._transaction():
            self._db.executemany("UPDATE files SET importers = ?, centrality = ?, flags = ? WHERE path = ?", rows)
            self._set_meta("structure_due", 0)

    def rewrite_lexical(self, entries: Iterable[LexicalEntry]) -> int:
        """Writes the word index anew from all documents' terms, beside the old one, and takes it into use."""
        with self._lock:
            old = self._lexical_folder()
            name = f"words-{int(old.name.rpartition('-')[2]) + 1}"
            shutil.rmtree(self._folder / name, ignore_errors=True)
            fresh = LexicalIndex(self._folder / name, write=True)
            fresh.write([], entries)
            with self._transaction():
                self._set_meta("lexical", name)
                self._set_meta("dead", 0)
                self._set_meta("generation", self._generation() + 1)
            previous, self._lexical = self._lexical, fresh
            self._seen = self._generation()
            previous.remove()
            return self._seen

    def publish_vectors(self, maker: Maker, numbers: Sequence[int], vectors: Vectors) -> int:
        """Adds documents' unit vectors to the embedder's set, as one generation; returns it.

        The set is begun where there is none yet. It answers at once where no other does.
        """
        with self._transaction():
            found = self._vectors.of(maker.identity) or self._vectors.begin(maker)
            self._vectors.append(found, numbers, vectors)
            self._set_meta("generation", self._generation() + 1)
            self._seen = self._generation()
            return self._seen

    def answer_with(self, maker: Maker) -> bool:
        """Lets this embedder's vectors answer, and forgets all others, if no document lacks one; says whether."""
        with self._lock:
            found = self._vectors.of(maker.identity)
            if found is None or self._vectors.count(found) < self._count_vectors()[1]:
                return False
            if not found.active or self._vectors.filling() is not None:
                with self._transaction():
                    self._vectors.activate(found)
                    self._set_meta("generation", self._generation() + 1)
                self._seen = self._generation()
                self._vectors.remove_unused()
            return True

    def drop_damaged_vectors(self) -> None:
        """Forgets vectors whose file is gone or too short: then documents lack them, and they are made again."""
        with self._lock:
            damaged, bare = self._vectors.damaged(), self._vectors.without_snapshot()
            if damaged or bare:
                with self._transaction():
                    for found in damaged:
                        self._vectors.drop(found)
                    for found in bare:
                        self._vectors.take_snapshot(found, "", 0)
                    self._set_meta("generation", self._generation() + 1)
                self._seen = self._generation()

    def drop_outdated_vectors(self, maker: Maker) -> None:
        """Forgets vectors of other versions of this embedder's model: what would encode a question for them is gone."""
        with self._lock:
            same_model = [found for found in self._vectors.all() if found.maker.model == maker.model]
            outdated = [found for found in same_model if found.maker.identity != maker.identity]
            if outdated:
                with self._transaction():
                    for found in outdated:
                        self._vectors.drop(found)
                    self._set_meta("generation", self._generation() + 1)
                self._seen = self._generation()
                self._vectors.remove_unused()

    def write_snapshot(self, checkpoint: Callable[[], None]) -> bool:
        """Writes a snapshot for finding the nearest quickly, where the vectors that answer are many enough for one and
        the one that there is lacks many; says whether. One of 100,000 rows takes half a minute.

        checkpoint: called every 0.2 s without the index's lock; it may block, or raise Cancelled.
        """
        from scry.store.hnsw import TAIL_ROWS, WORTH_ROWS, write_hnsw

        with self._lock:
            found = self._vectors.active()
            if found is None or found.rows < WORTH_ROWS or (found.hnsw and found.rows - found.hnsw_rows < TAIL_ROWS):
                return False
            rows = VectorFile(self._folder / found.file, found.maker.dimension)
            rows.load(found.rows)
        name = f"{found.file}.hnsw-{found.rows}"
        before = self._folder / found.hnsw if found.hnsw else None
        write_hnsw(self._folder / name, rows, found.rows, before, checkpoint)
        with self._lock:
            now = self._vectors.of(found.maker.identity)
            if now is None or now.file != found.file:  # rewritten meanwhile
                (self._folder / name).unlink()
                return False
            with self._transaction():
                self._vectors.take_snapshot(now, name, found.rows)
                self._set_meta("generation", self._generation() + 1)
            self._seen = self._generation()
            self._vectors.remove_unused()
        return True

    def drop_dead_vectors(self) -> None:
        """Writes a set's rows anew when many of them are of documents that are no more."""
        with self._lock:
            total = self._count_vectors()[1]
            for found in self._vectors.all():
                share = _DEAD_ROWS_OF_MANY if found.hnsw else _DEAD_ROWS
                if found.rows - self._vectors.count(found) > share * max(1, total):
                    numbers = self._db.execute("SELECT number FROM documents ORDER BY number")
                    alive = np.fromiter((row[0] for row in numbers), np.int64)
                    with self._transaction():
                        self._vectors.rewrite(found, alive)
                        self._set_meta("generation", self._generation() + 1)
                    self._seen = self._generation()
                    self._vectors.remove_unused()

    def trim_journal(self) -> None:
        """Gives the disk back what a large pass has left in the write-ahead log, unless someone reads from it now."""
        journal = self._folder / "index.sqlite-wal"
        if not journal.exists() or journal.stat().st_size < _LONG_JOURNAL:
            return
        with self._lock:
            self._db.execute("PRAGMA busy_timeout=0")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._db.execute(f"PRAGMA busy_timeout={int(1000 * BUSY_TIMEOUT_S)}")

    def reset(self) -> None:
        """Forgets everything that was indexed; the next pass reads it all again."""
        with self._transaction():
            self._db.execute("DELETE FROM files")
            self._db.execute("DELETE FROM folders")
            self._db.execute("DELETE FROM vector_sets")
            for table in ("graph_files", "imports", "edges"):
                self._db.execute(f"DELETE FROM {table}")
            self._set_meta("documents", self._generation() + 1)
            self._set_meta("state", "{}")
            self._set_meta("basis", None)
        self.rewrite_lexical([])
        with self._lock:
            self._vectors.remove_unused()


def _prepare(connection: sqlite3.Connection) -> None:
    """Brings a writer's database to the newest shape. Raises IndexUnavailable where that is not possible."""
    if version(connection) > len(migrations.INDEX):
        raise IndexUnavailable("the index was written by a newer Scry")
    migrate(connection, migrations.INDEX)
    first = (("generation", 0), ("next_number", 1), ("next_file", 1), ("lexical", "words-1"))
    connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", first)


def _remove_index(folder: Path) -> None:
    for path in folder.glob("index.sqlite*"):
        path.unlink(missing_ok=True)
    for path in folder.glob("words-*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob("vectors-*"):
        path.unlink(missing_ok=True)


__all__ = ["IndexStore", "OtherModel"]
