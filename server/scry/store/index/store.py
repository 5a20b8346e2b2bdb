"""Open, publish, repair and verify the code index of one project.

What is written of vectors: each set as it grows, which one answers, and what is dropped of them.

The index of one project on disk: which files were seen, which documents they hold, and the words of these.

`index.sqlite` is the truth about which documents exist; the word index beside it may only be ahead of it. A generation
is published in this order: words (durable), then one SQLite transaction that also raises the generation. A reader takes
what SQLite lists and drops what it does not know; a writer that finds words ahead of SQLite, after a crash, removes
them.

Whether an index on disk is whole.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.core.types import FileStructure
from scry.store.graph_store import GraphStore
from scry.store.index.reader import IndexReader
from scry.store.index.rows import (
    NewDocument,
    NewFile,
    hash_name,
    make_document_row,
    pack_links,
    pack_text,
    unpack_descriptions,
    unpack_text,
    unpack_uses,
)
from scry.store.lexical import LexicalEntry, LexicalIndex
from scry.store.sqlite import migrations
from scry.store.sqlite.database import (
    BUSY_TIMEOUT_S,
    apply_migrations,
    batches,
    encode_path,
    open_database,
    placeholders,
    schema_version,
    transaction,
)
from scry.store.vector_sets import EmbedderInfo, EmbedderMismatch, VectorSets
from scry.store.vectors import FloatRows, VectorFile

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


_LONG_JOURNAL = 1_000_000
"""Bytes of a write-ahead log that is cut short after a pass; SQLite itself goes on with one of 4 MB and more."""

_READERS_PAUSE_MS = 50
"""How long that waits for a moment in which nobody reads: questions that follow on each other leave one within this."""


class IndexStore(VectorWriter):
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
        connection = open_database(folder / "index.sqlite", write=write)
        if write:
            _prepare_index(connection)
        elif schema_version(connection) != len(migrations.INDEX_MIGRATIONS):
            raise IndexUnavailable("the index was written by another version of Scry; it is being made anew")
        super().__init__(folder, connection, write=write)
        self.graph_store = GraphStore(self._db, self._lock, self._transaction)
        self.graph = self.graph_store
        if write:
            self._lexical.delete_newer(self._next_doc_key() - 1)
            self._remove_unused_files()
            self.drop_damaged_vectors()

    def _remove_unused_files(self) -> None:
        """Deletes what a change of the index's shape, or an end in the middle of something, has left lying about."""
        for path in self._folder.glob("words-*"):
            if path != self._lexical.folder:
                shutil.rmtree(path, ignore_errors=True)
        self._vectors.delete_unused_files()

    def save_state(self, *, is_complete: bool, files_total: int, commit: str | None) -> None:
        """Remembers how far the last pass came, for those who open the index without an indexer."""
        with self._transaction():
            state = {"complete": is_complete, "files_total": files_total, "commit": commit}
            self._set_meta("state", json.dumps(state))

    def save_fingerprint(self, fingerprint: str) -> None:
        """Remembers what the outcome of reading a file depends on, beside the file."""
        with self._transaction():
            self._set_meta("basis", fingerprint)

    # Writing ------------------------------------------------------------------------------------------------------

    def publish(
        self, files: Sequence[NewFile], removed_paths: Sequence[str] = (), restated: Sequence[NewFile] = ()
    ) -> int:
        """Writes files with their documents in place of what there was, removes others, as one generation.

        touched: files whose content is the known one and whose size or time is not. Returns the generation. The words
        are prepared while the rows are written, and are on disk before these are committed.
        """
        with self._lock:
            ids = self._file_ids([*(file.path for file in files), *removed_paths])
            replaced = [file_id for file_id, is_indexed in ids if is_indexed]
            changes = bool(replaced) or any(file.skip is None for file in files)  # not so where a note was saved
            next_file = self._int_meta("next_file")
            number = self._next_doc_key()
            entries: list[LexicalEntry] = []
            rows: list[tuple[NewFile, int, list[tuple[int, NewDocument]]]] = []
            for file in files:
                numbered = list(enumerate(file.documents, number))
                number += len(numbered)
                rows.append((file, next_file, numbered))
                entries += (LexicalEntry(n, next_file, document.terms) for n, document in numbered)
                next_file += 1
            with self._transaction():
                self._lexical.stage(replaced, entries)
                self._delete_files([file_id for file_id, _ in ids])
                for file, file_id, numbered in rows:
                    self._insert_file(file, file_id, numbered)
                self._update_stats(restated)
                self._set_meta("next_file", next_file)
                self._set_meta("next_number", number)
                self._set_meta("dead", self._int_meta("dead") + len(replaced))
                self._set_meta("generation", self._generation() + 1)
                if changes:
                    self._set_meta("structure_due", 1)
                    self._set_meta("documents", self._generation())
                if replaced or entries:
                    self._lexical.commit()
            self._generation_seen = self._generation()
            return self._generation_seen

    def _file_ids(self, paths: Sequence[str]) -> list[tuple[int, bool]]:
        """The id of each file that has a row, and whether it is indexed: rows of others hold no document."""
        found: list[tuple[int, bool]] = []
        for part in batches(paths):
            places = [encode_path(path) for path in part]
            sql = f"SELECT id, skip_reason IS NULL FROM files WHERE path IN ({placeholders(part)})"
            found += ((file_id, bool(is_indexed)) for file_id, is_indexed in self._db.execute(sql, places))
        return found

    def _delete_files(self, ids: Sequence[int]) -> None:
        for file_id in ids:
            span = self._db.execute("SELECT first, last FROM files WHERE id = ?", (file_id,)).fetchone()
            names = self._db.execute("SELECT name, number FROM documents WHERE number BETWEEN ? AND ?", span)
            keys = [(hash_name(name), number) for name, number in names]
            self._db.executemany("DELETE FROM names WHERE key = ? AND number = ?", keys)
            self._db.execute("DELETE FROM documents WHERE number BETWEEN ? AND ?", span)
            self._db.execute("DELETE FROM files WHERE id = ?", (file_id,))

    def _insert_file(self, file: NewFile, file_id: int, numbered: Sequence[tuple[int, NewDocument]]) -> None:
        self._db.execute(
            "INSERT INTO files (id, path, size, mtime_ns, hash, language, content_type, skip_reason, skip_detail, "
            "first, last, text, links) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                file_id,
                encode_path(file.path),
                file.size,
                file.mtime_ns,
                file.hash,
                file.language,
                file.content_type,
                file.skip.reason.value if file.skip else None,
                file.skip.detail if file.skip else None,
                numbered[0][0] if numbered else 0,
                numbered[-1][0] if numbered else -1,
                None if file.skip else pack_text(file.text, numbered),
                None if file.skip else pack_links(file.imports, file.uses),
            ),
        )
        self._db.executemany(
            "INSERT INTO documents (number, file, name, kind, container, ordinal, place) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [make_document_row(number, file_id, document) for number, document in numbered],
        )
        keys = sorted((hash_name(document.symbol.name), number) for number, document in numbered)
        self._db.executemany("INSERT INTO names VALUES (?, ?)", keys)

    def _update_stats(self, touched: Iterable[NewFile]) -> None:
        self._db.executemany(
            "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?",
            [(file.size, file.mtime_ns, encode_path(file.path)) for file in touched],
        )

    def save_folders(self, folders: Mapping[str, int], *, replace_all: bool) -> None:
        """Remembers the folders that were walked with their mtime_ns; `whole` forgets all others."""
        rows = [(encode_path(path), mtime) for path, mtime in folders.items()]
        with self._transaction():
            if replace_all:
                self._db.execute("DELETE FROM folders")
            self._db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?)", rows)

    def save_structures(self, structures: Mapping[str, FileStructure]) -> None:
        """Writes what the code around each file says of it. It ranks nothing in find, so the generation stays."""
        rows = [(s.importers, s.centrality, " ".join(s.flags), encode_path(path)) for path, s in structures.items()]
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
            self._generation_seen = self._generation()
            previous.delete()
            return self._generation_seen

    def truncate_wal(self) -> None:
        """Gives the disk back what a large pass has left in the write-ahead log, unless someone goes on reading it."""
        journal = self._folder / "index.sqlite-wal"
        if not journal.exists() or journal.stat().st_size < _LONG_JOURNAL:
            return
        with self._lock:
            self._db.execute(f"PRAGMA busy_timeout={_READERS_PAUSE_MS}")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._db.execute(f"PRAGMA busy_timeout={int(1000 * BUSY_TIMEOUT_S)}")

    def reset(self) -> None:
        """Forgets everything that was indexed; the next pass reads it all again."""
        with self._transaction():
            for table in ("files", "documents", "names", "folders", "vector_sets", "graph_files", "imports", "edges"):
                self._db.execute(f"DELETE FROM {table}")
            self._set_meta("documents", self._generation() + 1)
            self._set_meta("state", "{}")
            self._set_meta("basis", None)
        self.rewrite_lexical([])
        with self._lock:
            self._vectors.delete_unused_files()


def _prepare_index(connection: sqlite3.Connection) -> None:
    """Brings a writer's database to the newest shape. Raises IndexUnavailable where that is not possible."""
    if schema_version(connection) > len(migrations.INDEX_MIGRATIONS):
        raise IndexUnavailable("the index was written by a newer Scry")
    apply_migrations(connection, migrations.INDEX_MIGRATIONS)
    first = (("generation", 0), ("next_number", 1), ("next_file", 1), ("lexical", "words-1"))
    connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", first)


def _remove_index(folder: Path) -> None:
    for path in folder.glob("index.sqlite*"):
        path.unlink(missing_ok=True)
    for path in folder.glob("words-*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob("vectors-*"):
        path.unlink(missing_ok=True)


__all__ = ["IndexStore", "EmbedderMismatch"]


def describe_damage(folder: Path) -> str:
    """What is wrong with the index in a folder, in words for a person; empty for nothing.

    Takes some seconds for each GB: all that is packed is unpacked. Raises IndexUnavailable when it can't be opened, or
    is of another version.
    """
    database = open_database(folder / "index.sqlite", write=False)
    try:
        problem = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
        if problem != "ok":
            return problem
        _check_packed_files(database)
        _check_vectors(folder, database)
        return _describe_missing_words(folder, database)
    except IndexDamaged as error:
        return str(error)
    except sqlite3.OperationalError as error:
        raise IndexUnavailable(f"the index in {folder} can't be read: {error}") from error
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        database.close()


def _check_packed_files(database: sqlite3.Connection) -> None:
    """SQLite finds its own pages whole, whatever is written in them. Raises IndexDamaged."""
    for text, links in database.execute("SELECT text, links FROM files WHERE skip_reason IS NULL"):
        unpack_text(text)
        unpack_descriptions(text)
        unpack_uses(links)


def _check_vectors(folder: Path, database: sqlite3.Connection) -> None:
    """Raises IndexDamaged. A file that is gone or too short is made anew by whoever writes."""
    for found in VectorSets(folder, database).list_sets():
        with suppress(FileNotFoundError):
            VectorFile(folder / found.file, found.embedder.dimension).load(found.row_count)


def _describe_missing_words(folder: Path, database: sqlite3.Connection) -> str:
    """Words may be ahead of the documents, never behind."""
    row = database.execute("SELECT value FROM meta WHERE key = 'lexical'").fetchone()
    documents = int(database.execute("SELECT count(*) FROM documents").fetchone()[0])
    words = LexicalIndex(folder / str(row[0] if row else "words-1"), write=False).document_count
    return f"the words of {documents - words} of {documents} documents are missing" if words < documents else ""
