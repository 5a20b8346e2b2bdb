"""The index of one project on disk: which files were seen, which documents they hold, and the words of these.

`index.sqlite` is the truth about which documents exist; the word index beside it may only be ahead of it. A generation
is published in this order: words (durable), then one SQLite transaction that also raises the generation. A reader takes
what SQLite lists and drops what it does not know; a writer that finds words ahead of SQLite, after a crash, removes them.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.text import name_key
from scry.core.types import Document, IndexState, Outline, Skip, SkipReason, Structure
from scry.store import migrations
from scry.store.database import connect, migrate, path_from_sql, path_to_sql, version
from scry.store.lexical import LexicalEntry, LexicalIndex
from scry.store.rows import (
    DOCUMENT_COLUMNS,
    OUTLINE_COLUMNS,
    NewDocument,
    NewFile,
    StoredFile,
    pack_place,
    pack_text,
    read_document,
    unpack_text,
)
from scry.store.vector_sets import VectorSets
from scry.store.vectors import Vectors

FORMAT = 1
"""Raised when what is written changes its meaning: an index of another format is started anew."""

_SQL_VARIABLES = 900
_DEAD_ROWS = 0.05
"""Share of vector rows of deleted documents that may lie about before the file is rewritten."""


class IndexStore:
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
        except (IndexUnavailable, sqlite3.DatabaseError):
            _remove_index(folder)
            return cls(folder, write=True)
        except OSError as error:
            raise IndexUnavailable(f"the index in {folder} can't be written: {error}") from error

    def __init__(self, folder: Path, *, write: bool) -> None:
        """Use `open`."""
        self._folder = folder
        self._write = write
        self._lock = threading.RLock()
        self._db = connect(folder / "index.sqlite", write=write)
        if write:
            self._prepare()
        elif version(self._db) != len(migrations.INDEX) or self._meta("format") != FORMAT:
            raise IndexUnavailable("the index was written by another version of Scry; it is being made anew")
        self._lexical = LexicalIndex(self._lexical_folder(), write=write)
        self._vectors = VectorSets(folder, self._db)
        self._counts: tuple[int, int, int] = (-1, 0, 0)
        self._seen = self._generation()
        if write:
            self._lexical.drop_newer(self._next_number() - 1)

    def _prepare(self) -> None:
        if version(self._db) > len(migrations.INDEX):
            raise IndexUnavailable("the index was written by a newer Scry")
        migrate(self._db, migrations.INDEX)
        if self._meta("format") not in (None, FORMAT):
            raise IndexUnavailable("the index has another format")
        with self._transaction():
            for key, value in (("format", FORMAT), ("generation", 0), ("next_number", 1), ("lexical", "words-1")):
                self._db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, value))

    def close(self) -> None:
        """Gives everything free. Not needed for durability."""
        with self._lock:
            self._lexical.close()
            self._db.close()

    # Small state --------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _meta(self, key: str) -> object:
        try:
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        except sqlite3.OperationalError:
            return None
        return row[0] if row else None

    def _set_meta(self, key: str, value: object) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

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
            saved = json.loads(str(self._meta("state") or "{}"))
            indexed = counts[0] - counts[1]
            vectors, vectors_total = self._count_vectors()
            active = self._vectors.active()
            return IndexState(
                state="ready" if saved.get("complete") else "starting",
                generation=self._generation(),
                files_indexed=indexed,
                files_total=max(indexed, int(saved.get("files_total", 0))),
                vectors=vectors,
                vectors_total=vectors_total,
                skipped=counts[1],
                index_commit=saved.get("commit"),
                model=active.identity if active else None,
            )

    def _count_vectors(self) -> tuple[int, int]:
        """Documents with a vector in the newest set, and all documents; counted once a generation."""
        generation = self._generation()
        if self._counts[0] != generation:
            newest = max((found.id for found in self._vectors.all()), default=0)
            total = self._db.execute("SELECT count(*) FROM documents").fetchone()[0]
            done = self._db.execute("SELECT count(*) FROM documents WHERE vectors = ? AND vectors > 0", (newest,))
            self._counts = (generation, done.fetchone()[0], total)
        return self._counts[1], self._counts[2]

    def save_state(self, *, complete: bool, total: int, commit: str | None) -> None:
        """Remembers how far the last pass came, for those who open the index without an indexer."""
        with self._transaction():
            state = {"complete": complete, "files_total": total, "commit": commit}
            self._set_meta("state", json.dumps(state))

    def save_basis(self, basis: str) -> None:
        """Remembers what the outcome of reading a file depends on, beside the file."""
        with self._transaction():
            self._set_meta("basis", basis)

    @property
    def basis(self) -> str | None:
        """What the outcome of reading the files depended on."""
        with self._lock:
            value = self._meta("basis")
        return value if isinstance(value, str) else None

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
        """Path, size and mtime_ns of every file that was looked at and is no folder's row, for a quick comparison."""
        with self._lock:
            rows = self._db.execute("SELECT path, size, mtime_ns FROM files WHERE size >= 0").fetchall()
        return [(path_from_sql(path), size, mtime) for path, size, mtime in rows]

    def stored_folders(self) -> list[tuple[str, int]]:
        """Path and mtime_ns of every folder that was walked."""
        with self._lock:
            rows = self._db.execute("SELECT path, mtime_ns FROM folders").fetchall()
        return [(path_from_sql(path), mtime) for path, mtime in rows]

    def imports(self) -> dict[str, tuple[str, bytes]]:
        """Language and packed imports of every indexed file, by path."""
        with self._lock:
            rows = self._db.execute("SELECT path, language, imports FROM files WHERE skip_reason IS NULL").fetchall()
        return {path_from_sql(path): (language or "", imports or b"") for path, language, imports in rows}

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
        for part in _parts(paths):
            sql = f"SELECT path, importers, centrality, flags FROM files WHERE path IN ({_marks(part)})"
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
                if not self._write and self._lexical_moved():
                    self._lexical = LexicalIndex(self._lexical_folder(), write=False)
                else:
                    self._lexical.reload()
                self._seen = generation
            return generation

    def _lexical_moved(self) -> bool:
        return self._lexical.folder != self._lexical_folder()

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """The documents with these numbers; those that are not published, or no more, are absent."""
        return {document.number: document for document in self._documents("d.number", numbers)}

    def documents_named(self, keys: Sequence[str]) -> list[Document]:
        """The documents whose name has one of these keys (see core.text.name_key)."""
        return self._documents("d.name_key", keys)

    def documents_of_id(self, doc_id: str) -> list[Document]:
        """The documents with this doc_id: one or none."""
        return self._documents("d.doc_id", [doc_id])

    def outlines(self, numbers: Sequence[int]) -> dict[int, Outline]:
        """What ranking reads of the documents with these numbers; those that are not published, or no more, are absent."""
        rows = self._rows(OUTLINE_COLUMNS, "d.number", numbers)
        return {row[0]: Outline(*row[:3], path_from_sql(row[3]), *row[4:]) for row in rows}

    def _documents(self, column: str, values: Sequence[object]) -> list[Document]:
        return [read_document(row, path_from_sql(row[3])) for row in self._rows(DOCUMENT_COLUMNS, column, values)]

    def _rows(self, columns: str, column: str, values: Sequence[object]) -> list[Any]:
        found: list[Any] = []
        for part in _parts(values):
            sql = f"SELECT {columns} FROM documents d JOIN files f ON f.id = d.file WHERE {column} IN ({_marks(part)})"
            with self._lock:
                found += self._db.execute(sql, part).fetchall()
        return found

    def nearest(
        self, identity: str, query: Vectors, limit: int, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The documents nearest to a unit vector of the embedder that answers, as (number, cosine), nearest first.

        Raises IndexUnavailable when the vectors that answer are another embedder's.
        """
        with self._lock:
            active = self._vectors.active()
            if active is None:
                return []
            if active.identity != identity:
                raise IndexUnavailable(f"the vectors are of {active.identity}, the question's is of {identity}")
            rows = self._vectors.reading(active)
            allowed = None if files is None else self._numbers_in(files)
        return rows.search(query, limit, allowed)

    @property
    def embedder(self) -> str | None:
        """Identity of the embedder whose vectors answer."""
        with self._lock:
            active = self._vectors.active()
        return active.identity if active else None

    def _numbers_in(self, files: Sequence[int]) -> NDArray[np.int64]:
        found: list[int] = []
        for part in _parts(files):
            sql = f"SELECT number FROM documents WHERE file IN ({_marks(part)})"
            found += (row[0] for row in self._db.execute(sql, part))
        return np.array(sorted(found), np.int64)

    @property
    def lexical(self) -> LexicalIndex:
        """The word index as of the last `refreshed`."""
        return self._lexical

    # Writing ------------------------------------------------------------------------------------------------------

    def publish(self, files: Sequence[NewFile], gone: Sequence[str] = (), touched: Sequence[NewFile] = ()) -> int:
        """Writes files with their documents in place of what there was, removes others, as one generation.

        touched: files whose content is the known one and whose size or time is not. Returns the generation.
        """
        with self._lock:
            ids = self._ids([*(file.path for file in files), *gone])
            next_file = self._number_meta("next_file") or 1
            number = self._next_number()
            entries: list[LexicalEntry] = []
            rows: list[tuple[NewFile, int, list[tuple[int, NewDocument]]]] = []
            for file in files:
                numbered = list(enumerate(file.documents, number))
                number += len(numbered)
                rows.append((file, next_file, numbered))
                entries += (LexicalEntry(n, next_file, document.terms) for n, document in numbered)
                next_file += 1
            self._lexical.write(ids.values(), entries)
            with self._transaction():
                self._delete(list(ids.values()))
                for file, file_id, numbered in rows:
                    self._insert(file, file_id, numbered)
                self._touch(touched)
                self._set_meta("next_file", next_file)
                self._set_meta("next_number", number)
                self._set_meta("dead", self._number_meta("dead") + len(ids))
                self._set_meta("generation", self._generation() + 1)
            self._seen = self._generation()
            return self._seen

    def _ids(self, paths: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for part in _parts(paths):
            rows = self._db.execute(
                f"SELECT path, id FROM files WHERE path IN ({_marks(part)})", [path_to_sql(path) for path in part]
            )
            found |= {path_from_sql(path): file_id for path, file_id in rows}
        return found

    def _delete(self, ids: Sequence[int]) -> None:
        self._db.executemany("DELETE FROM files WHERE id = ?", [(file_id,) for file_id in ids])

    def _insert(self, file: NewFile, file_id: int, numbered: Sequence[tuple[int, NewDocument]]) -> None:
        self._db.execute(
            "INSERT INTO files (id, path, size, mtime_ns, hash, language, content_type, skip_reason, skip_detail, imports, "
            "uses, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            "INSERT INTO documents (number, file, doc_id, name, name_key, kind, container, signature, doc, ordinal, place) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_document_row(number, file_id, document) for number, document in numbered],
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

    @property
    def replaced_files(self) -> int:
        """How many files' words are dead in the word index; BM25 still counts them until `rewrite_lexical`."""
        return self._number_meta("dead")

    def numbers_of(self, path: str) -> tuple[int, list[tuple[int, str]]]:
        """A file's id and its documents' numbers with their doc_ids."""
        with self._lock:
            row = self._db.execute("SELECT id FROM files WHERE path = ?", (path_to_sql(path),)).fetchone()
            if row is None:
                return 0, []
            numbers = self._db.execute("SELECT number, doc_id FROM documents WHERE file = ?", (row[0],)).fetchall()
        return row[0], numbers

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

    def files_without_vectors(self, identity: str) -> list[str]:
        """Paths of the files that hold a document without a vector of this embedder."""
        with self._lock:
            found = self._vectors.of(identity)
            sql = "SELECT path FROM files WHERE id IN (SELECT DISTINCT file FROM documents WHERE vectors != ?) ORDER BY path"
            rows = self._db.execute(sql, (found.id if found else -1,)).fetchall()
        return [path_from_sql(path) for (path,) in rows]

    def publish_vectors(self, identity: str, numbers: Sequence[int], vectors: Vectors) -> int:
        """Adds documents' unit vectors to the embedder's set, as one generation; returns it."""
        with self._transaction():
            found = self._vectors.of(identity) or self._vectors.begin(identity, vectors.shape[1])
            self._vectors.append(found, numbers, vectors)
            self._set_meta("generation", self._generation() + 1)
        self._seen = self._generation()
        return self._seen

    def settle_vectors(self, identity: str) -> None:
        """Once no document lacks one: lets this embedder's vectors answer alone, and drops rows of the dead."""
        with self._lock:
            found = self._vectors.of(identity)
            if found is None:
                return
            alive = np.array(
                [row[0] for row in self._db.execute("SELECT number FROM documents ORDER BY number")], np.int64
            )
            crowded = found.rows - len(alive) > _DEAD_ROWS * max(1, len(alive))
            if crowded or not found.active:
                with self._transaction():
                    self._vectors.activate(found)
                    if crowded:
                        self._vectors.rewrite(found, alive)
                    self._set_meta("generation", self._generation() + 1)
                self._seen = self._generation()
                self._vectors.remove_unused()

    def reset(self) -> None:
        """Forgets everything that was indexed; the next pass reads it all again."""
        with self._transaction():
            self._db.execute("DELETE FROM files")
            self._db.execute("DELETE FROM folders")
            self._db.execute("DELETE FROM vector_sets")
            self._set_meta("state", "{}")
            self._set_meta("basis", None)
        self.rewrite_lexical([])
        with self._lock:
            self._vectors.remove_unused()


def _document_row(number: int, file_id: int, document: NewDocument) -> tuple[object, ...]:
    symbol = document.symbol
    return (
        number,
        file_id,
        document.doc_id,
        symbol.name,
        name_key(symbol.name),
        symbol.kind,
        symbol.container,
        symbol.signature,
        symbol.doc,
        document.ordinal,
        pack_place(symbol),
    )


def _parts(values: Sequence[object]) -> Iterator[list[object]]:
    for start in range(0, len(values), _SQL_VARIABLES):
        yield list(values[start : start + _SQL_VARIABLES])


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _remove_index(folder: Path) -> None:
    for path in folder.glob("index.sqlite*"):
        path.unlink(missing_ok=True)
    for path in folder.glob("words-*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob("vectors-*"):
        path.unlink(missing_ok=True)
