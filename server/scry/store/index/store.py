"""Open, publish, repair and verify the code index of one project.

`index.sqlite` decides which documents exist; the lexical index beside it may only be ahead of it. A generation is
published in this order: words (durable), then one SQLite transaction that also raises the generation. A reader takes
what SQLite lists and drops unknown words; a writer that finds words ahead of SQLite, after a crash, removes them.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from scry.core.errors import IndexDamaged, IndexMissing, IndexUnavailable
from scry.core.platform import make_private_folder
from scry.core.types import IndexState
from scry.store.graph import GraphReader
from scry.store.graph_store import GraphStore
from scry.store.index.database import INDEX_FILE, INDEX_SCHEMA, IndexDatabase, read_counters
from scry.store.index.documents import DocumentTable
from scry.store.index.files import ChangedPaths, FileTable
from scry.store.index.rows import (
    NewDocument,
    NewFile,
    format_fault,
    hash_names,
    make_document_row,
    pack_links,
    pack_text,
    unpack_descriptions,
    unpack_text,
    unpack_uses,
)
from scry.store.lexical import LexicalEntry, LexicalIndex, open_lexical_index
from scry.store.seals import CacheSeal, describe_seal_damage
from scry.store.sqlite.database import (
    BUSY_TIMEOUT_S,
    batches,
    describe_damage_error,
    encode_path,
    is_access_failure,
    open_database,
    placeholders,
    schema_version,
    write_counter,
)
from scry.store.vector_sets import VectorIndex, VectorSets
from scry.store.vectors import VectorFile
from scry.store.word_files import describe_word_damage, list_word_files

_log = logging.getLogger(__name__)

_LONG_JOURNAL = 1_000_000
"""Size in bytes from which the write-ahead log is truncated after a pass; SQLite itself keeps one of 4 MB and more."""

_READERS_PAUSE_MS = 50
"""How long the truncation waits for a moment without readers: consecutive queries leave one within this time."""


class IndexStore:
    """The index of one project. lexical: its lexical index as of the last `refresh`. changed_paths: for its writer.

    One process writes, any number read; every method may be called from any thread.
    """

    @classmethod
    def open(cls, folder: Path, *, write: bool) -> IndexStore:
        """Open the index in a folder; `write` creates it where it is missing, damaged or of another format.

        A reader compares the sizes of all files with the seal, a writer their checksums. Raises IndexUnavailable, for
        readers also where there is none yet, and IndexDamaged.
        """
        if not write:
            if damage := describe_seal_damage(folder / "index.seal", thorough=False):
                raise IndexDamaged(damage)
            if not (folder / INDEX_FILE).exists():
                raise IndexMissing(f"nothing is indexed in {folder} yet")
            try:
                return cls(folder, write=False)
            except FileNotFoundError as error:
                raise IndexMissing(f"the index in {folder} is just being made anew") from error
            except sqlite3.Error as error:
                kind = IndexDamaged if describe_damage_error(error) else IndexUnavailable
                raise kind(f"the index can't be read: {error}") from error
        try:
            make_private_folder(folder)
            damage = describe_opening_damage(folder)
            if damage:
                raise IndexDamaged(damage)
            return cls(folder, write=True)
        except (IndexUnavailable, sqlite3.Error, OSError) as error:
            if is_access_failure(error):
                raise IndexUnavailable(f"the index in {folder} can't be written: {error}") from error
            _log.warning("the index is made anew: %s", error)
        return cls.replace(folder)

    @classmethod
    def replace(cls, folder: Path) -> IndexStore:
        """Remove the index in a folder, and open an empty one for writing. Raises IndexUnavailable.

        A store that is open there has to be closed before. Readers see by `opened` that theirs is gone.
        """
        counters = read_counters(folder)
        try:
            _remove_index(folder)
            return cls(folder, write=True, counters=counters)
        except (OSError, sqlite3.Error) as error:
            raise IndexUnavailable(f"the index in {folder} can't be made anew: {error}") from error

    def __init__(self, folder: Path, *, write: bool, counters: Mapping[str, object] | None = None) -> None:
        """Use `open`."""
        self._database = IndexDatabase(folder, write=write, counters=counters)
        self._db, self._lock = self._database.connection, self._database.lock
        self._is_writer, self.opened = write, self._database.opened
        self.changed_paths = ChangedPaths()
        try:
            self.lexical = open_lexical_index(self._lexical_folder, write=write)
            self.documents = DocumentTable(self._database)
            self.files = FileTable(self._database)
            self.vectors = VectorIndex(self._database)
            if write:
                self._remove_unpublished()
        except BaseException:
            self._db.close()
            raise

    def _remove_unpublished(self) -> None:
        """Remove what was written and not published before a crash."""
        if self.lexical.has_newer(self._database.next_doc_key - 1):
            self._database.remove_seal()
            self.lexical.delete_newer(self._database.next_doc_key - 1)
        self.remove_dead_words()
        self._remove_unused_files()
        self.vectors.drop_damaged()

    def seal(self) -> bool:
        """Record the checksums of all files, unless something was written meanwhile or a reader holds the journal.

        Returns whether the index is sealed. Raises OSError.
        """
        with self._lock:
            seal = self._database.seal
            if seal is None or self._database.is_sealed:
                return True
            self.lexical.rest()
            if not self._truncate_wal():
                return False
            counter = write_counter(self._db)
            paths = [self._database.folder / INDEX_FILE, *list_word_files(self.lexical.folder)]
            paths += self.vectors.files()
        measured = seal.measure(paths)
        with self._lock:
            if counter != write_counter(self._db):
                return False
            self._database.mark_sealed(measured)
            return True

    def close(self) -> None:
        """Close the files. Not needed for durability."""
        with self._lock:
            self.lexical.close()
            self._db.close()

    @cached_property
    def graph(self) -> GraphReader:
        """Reader of the code graph."""
        return GraphReader(self._database)

    @cached_property
    def graph_store(self) -> GraphStore:
        """Writer of the code graph, for the linker."""
        return GraphStore(self._database)

    def _lexical_folder(self) -> Path:
        return self._database.folder / str(self._database.meta.get("lexical") or "words-1")

    def state(self) -> IndexState:
        """Return the state of the index as last saved, with current counts. It is ready once a whole pass is done."""
        with self._lock:
            indexed, skipped = self.files.count()
            saved = json.loads(str(self._database.meta.get("state") or "{}"))
            vectors, vectors_total = self.vectors.counts()
            embedder, graph = self.vectors.embedder, "ready" if self.graph.is_current else "pending"
            return IndexState(
                state="ready" if saved.get("complete") and vectors == vectors_total else "starting",
                generation=self._database.meta.generation,
                files_indexed=indexed,
                files_total=max(indexed, int(saved.get("files_total", 0))),
                vectors=vectors,
                vectors_total=vectors_total,
                skipped=skipped,
                failed=self.files.fault_count(),
                index_commit=saved.get("commit"),
                model=embedder.identity if embedder else None,
                graph=graph,
            )

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of everything that the parsing of the files depended on."""
        with self._lock:
            value = self._database.meta.get("basis")
        return value if isinstance(value, str) else None

    @property
    def damaged_files(self) -> frozenset[int]:
        """The ids of the files of which something was found to be damaged and left out of answers.

        Ids of vector sets are negated. Ids are never used twice, so ids of an earlier index name no file.
        """
        with self._lock:
            return frozenset(self._database.damaged_files)

    @property
    def dead_file_count(self) -> int:
        """The number of deleted files in the lexical index; BM25 counts them until `rewrite_lexical`."""
        return self._database.meta.get_int("dead")

    def refresh(self) -> int:
        """Make everything visible that has been published; return the generation that is read from here on."""
        with self._lock:
            generation = self._database.meta.generation
            if generation != self._database.generation_seen:
                if not self._is_writer and self.lexical.folder != self._lexical_folder():
                    self.lexical = open_lexical_index(self._lexical_folder, write=False)
                elif not self._is_writer:
                    self.lexical.expect_totals(self._database.word_totals)
                self.lexical.reload()
                self._database.see(generation)
            return generation

    def _remove_unused_files(self) -> None:
        """Delete files that a rebuild or an interrupted process has left behind."""
        for path in self._database.folder.glob("words-*"):
            if path != self.lexical.folder:
                shutil.rmtree(path, ignore_errors=True)
        self.vectors.delete_unused_files()

    def save_state(self, *, whole: bool, files_total: int, commit: str | None) -> None:
        """Store that a pass has ended. whole: whether it compared the whole tree; the index is then complete."""
        with self._database.transaction():
            saved = json.loads(str(self._database.meta.get("state") or "{}"))
            state = {"complete": whole or saved.get("complete", False), "files_total": files_total, "commit": commit}
            self._database.meta.set("state", json.dumps(state))

    def save_fingerprint(self, fingerprint: str) -> None:
        """Store the fingerprint of everything that the parsing of a file depends on, beside the file."""
        with self._database.transaction():
            self._database.meta.set("basis", fingerprint)

    # Writing ------------------------------------------------------------------------------------------------------

    def publish(
        self, files: Sequence[NewFile], removed_paths: Sequence[str] = (), restated: Sequence[NewFile] = ()
    ) -> int:
        """Replace the stored version of these files, remove others, and return the new generation.

        restated: files whose content is known and whose size or time has changed. The new words are on disk before the
        rows are committed, and those of replaced files until `remove_dead_words`: a kill leaves no document without.
        """
        with self._lock:
            paths = [*(file.path for file in files), *removed_paths]
            self.changed_paths.record(paths)
            ids = self._file_ids(paths)
            replaced = [file_id for file_id, is_indexed in ids if is_indexed]
            changes = bool(replaced) or any(file.skip is None for file in files)  # False where only a note was saved
            meta = self._database.meta
            next_file, next_doc_key = meta.get_int("next_file"), self._database.next_doc_key
            entries: list[LexicalEntry] = []
            rows: list[tuple[NewFile, int, list[tuple[int, NewDocument]]]] = []
            for file in files:
                numbered = list(enumerate(file.documents, next_doc_key))
                next_doc_key += len(numbered)
                rows.append((file, next_file, numbered))
                entries += (LexicalEntry(n, next_file, document.terms) for n, document in numbered)
                next_file += 1
            dead = meta.get_ids("dead_words")
            with self.lexical.discarding_on_error(), self._database.publishing():
                self.lexical.stage(dead, entries, replaced)
                removed = self._delete_files([file_id for file_id, _ in ids])
                documents = self._database.document_count - sum(last - first + 1 for first, last in removed)
                for file, file_id, numbered in rows:
                    self._insert_file(file, file_id, numbered)
                self._update_stats(restated)
                files_left = meta.get_int("file_count") - len(ids)
                meta.set_all(next_file=next_file, next_number=next_doc_key, dead_words=json.dumps(replaced))
                meta.set_all(document_count=documents + len(entries), file_count=files_left + len(files))
                meta.set_all(dead=meta.get_int("dead") + len(replaced), **({"structure_due": 1} if changes else {}))
                if changes:
                    self._database.record_removed(removed)
                if dead or entries:
                    self.lexical.commit()
                    self._database.word_totals = self.lexical.totals
            return self._database.generation_seen

    def remove_dead_words(self) -> None:
        """Remove the words of the files that the last publication replaced, as the next generation."""
        with self._lock:
            if dead := self._database.meta.get_ids("dead_words"):
                self._database.remove_seal()
                self.lexical.write(dead, [])
                with self._database.publishing():
                    self._database.meta.set("dead_words", None)
                    self._database.word_totals = self.lexical.totals

    def _file_ids(self, paths: Sequence[str]) -> list[tuple[int, bool]]:
        """Return the id of each file that has a row, and whether it is indexed: others have no documents."""
        ids: list[tuple[int, bool]] = []
        for part in batches(paths):
            keys = [encode_path(path) for path in part]
            sql = f"SELECT id, skip_reason IS NULL FROM files WHERE path IN ({placeholders(part)})"
            ids += ((file_id, bool(is_indexed)) for file_id, is_indexed in self._db.execute(sql, keys))
        return ids

    def _delete_files(self, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Delete files with their documents; return the first and the last key of those of each file that had any."""
        deleted: list[tuple[int, int]] = []
        for file_id in ids:
            span = self._db.execute("SELECT first, last FROM files WHERE id = ?", (file_id,)).fetchone()
            names = self._db.execute("SELECT name, number FROM documents WHERE number BETWEEN ? AND ?", span).fetchall()
            hashes = hash_names(name for name, _ in names)
            keys = [(name_hash, doc_key) for name_hash, (_, doc_key) in zip(hashes, names, strict=True)]
            self._db.executemany("DELETE FROM names WHERE key = ? AND number = ?", keys)
            self._db.execute("DELETE FROM documents WHERE number BETWEEN ? AND ?", span)
            self._db.execute("DELETE FROM files WHERE id = ?", (file_id,))
            if names:
                deleted.append(span)
        return deleted

    def _insert_file(self, file: NewFile, file_id: int, numbered: Sequence[tuple[int, NewDocument]]) -> None:
        self._db.execute(
            "INSERT INTO files (id, path, size, mtime_ns, ctime_ns, hash, language, content_type, skip_reason, "
            f"skip_detail, fault, fault_version, first, last, text, links) VALUES ({placeholders(range(16))})",
            (
                file_id,
                encode_path(file.path),
                file.size,
                file.mtime_ns,
                file.ctime_ns,
                file.hash,
                file.language,
                file.content_type,
                file.skip.reason.value if file.skip else None,
                file.skip.detail if file.skip else None,
                format_fault(file.fault),
                file.fault_version or None,
                numbered[0][0] if numbered else 0,
                numbered[-1][0] if numbered else -1,
                None if file.skip else pack_text(file.text, numbered),
                None if file.skip else pack_links(file.imports, file.uses),
            ),
        )
        self._db.executemany(
            "INSERT INTO documents (number, file, name, kind, container, ordinal, place) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [make_document_row(doc_key, file_id, document) for doc_key, document in numbered],
        )
        hashes = hash_names(document.symbol.name for _, document in numbered)
        keys = sorted((name_hash, doc_key) for name_hash, (doc_key, _) in zip(hashes, numbered, strict=True))
        self._db.executemany("INSERT INTO names VALUES (?, ?)", keys)

    def _update_stats(self, touched: Iterable[NewFile]) -> None:
        self._db.executemany(
            "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ? WHERE path = ?",
            [(file.size, file.mtime_ns, file.ctime_ns, encode_path(file.path)) for file in touched],
        )

    def rewrite_lexical(self, entries: Iterable[LexicalEntry]) -> int:
        """Write a new lexical index from the terms of all documents, and switch to it; return the generation."""
        with self._lock:
            old = self._lexical_folder()
            name = f"words-{int(old.name.rpartition('-')[2]) + 1}"
            shutil.rmtree(self._database.folder / name, ignore_errors=True)
            fresh = LexicalIndex(self._database.folder / name, write=True)
            fresh.write([], entries)
            with self._database.publishing():
                self._database.meta.set_all(lexical=name, dead=0)
                self._database.word_totals = fresh.totals
            previous, self.lexical = self.lexical, fresh
            previous.delete()
            return self._database.generation_seen

    def truncate_wal(self) -> None:
        """Truncate the write-ahead log that a large pass has left, unless a reader keeps using it."""
        journal = self._database.folder / "index.sqlite-wal"
        if not journal.exists() or journal.stat().st_size < _LONG_JOURNAL:
            return
        with self._lock:
            self._truncate_wal()

    def _truncate_wal(self) -> bool:
        self._db.execute(f"PRAGMA busy_timeout={_READERS_PAUSE_MS}")
        is_busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        self._db.execute(f"PRAGMA busy_timeout={int(1000 * BUSY_TIMEOUT_S)}")
        return not is_busy

    def reset(self) -> None:
        """Delete everything that was indexed; the next pass indexes all files again."""
        with self._database.transaction():
            for table in ("files", "documents", "names", "folders", "vector_sets", "graph_files", "imports", "edges"):
                self._db.execute(f"DELETE FROM {table}")
            documents = self._database.meta.generation + 1
            self._database.meta.set_all(documents=documents, document_count=0, file_count=0, state="{}", basis=None)
            self.changed_paths.forget()
        self.rewrite_lexical([])
        self.vectors.delete_unused_files()


def _remove_index(folder: Path) -> None:
    CacheSeal(folder, "index").remove()
    for path in folder.glob(f"{INDEX_FILE}*"):
        path.unlink(missing_ok=True)
    for path in folder.glob("words-*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob("vectors-*"):
        path.unlink(missing_ok=True)


def describe_opening_damage(folder: Path) -> str:
    """Return a description of the damage of the index in a folder that a writer finds before it opens it; "" for none.

    With a seal, all checksums are compared. Without one, after a crash, SQLite checks the structure of its file, and
    the checksums in the word index and the vectors are compared. Raises as `describe_damage`.
    """
    seal = CacheSeal(folder, "index")
    if seal.exists:
        return seal.describe_damage(thorough=True)
    path = folder / INDEX_FILE
    if not path.exists() or not path.stat().st_size:
        return "its files are left without the database" if any(folder.glob("words-*")) else ""
    return _describe_damage(folder, unpack=False)


def describe_damage(folder: Path) -> str:
    """Return a description of the damage of the index in a folder; "" for an intact one.

    Takes some seconds for each GB, since everything packed is unpacked. Raises IndexUnavailable where the index cannot
    be opened or is of another version.
    """
    return CacheSeal(folder, "index").describe_damage(thorough=True) or _describe_damage(folder, unpack=True)


def _describe_damage(folder: Path, *, unpack: bool) -> str:
    database = open_database(folder / INDEX_FILE, write=False)
    try:
        if schema_version(database) != INDEX_SCHEMA.format:
            return ""  # of another version, which is replaced anyway
        problem = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
        if problem != "ok":
            return problem
        if unpack:
            _check_packed_files(database)
        _check_vectors(folder, database, require_all=unpack)
        return _describe_words(folder, database)
    except IndexDamaged as error:
        return str(error)
    except sqlite3.OperationalError as error:
        if damage := describe_damage_error(error):
            return damage
        raise IndexUnavailable(f"the index in {folder} can't be read: {error}") from error
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        database.close()


def _check_packed_files(database: sqlite3.Connection) -> None:
    """Unpack the packed columns of all files, which SQLite does not check. Raises IndexDamaged."""
    for text, links in database.execute("SELECT text, links FROM files WHERE skip_reason IS NULL"):
        unpack_text(text)
        unpack_descriptions(text)
        unpack_uses(links)


def _check_vectors(folder: Path, database: sqlite3.Connection, *, require_all: bool) -> None:
    """Load every vector set. Raises IndexDamaged; for a missing or short file, which the writer drops, if required."""
    for vector_set in VectorSets(folder, database).list_sets():
        try:
            VectorFile(folder / vector_set.file, vector_set.embedder.dimension).load(vector_set.row_count)
        except IndexDamaged:
            raise
        except (FileNotFoundError, IndexUnavailable) as error:
            if vector_set.row_count and require_all:
                raise IndexDamaged(f"{vector_set.file} can't be read: {error}") from error


def _describe_words(folder: Path, database: sqlite3.Connection) -> str:
    """Describe missing or damaged words. The lexical index may be ahead of the documents, never behind."""
    row = database.execute("SELECT value FROM meta WHERE key = 'lexical'").fetchone()
    documents = int(database.execute("SELECT count(*) FROM documents").fetchone()[0])
    place = folder / str(row[0] if row else "words-1")
    damage = describe_word_damage(place)
    words = 0 if damage else LexicalIndex(place, write=False).document_count
    if not damage and words < documents:
        return f"the words of {documents - words} of {documents} documents are missing"
    return damage
