"""What the index knows of files as files: for what ranks files, and for what a person calls them by."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from typing import NamedTuple

from scry.core.types import Document
from scry.store.database import path_from_sql, path_to_sql
from scry.store.rows import DOCUMENT_COLUMNS, read_document

_AFTER_SLASH = chr(ord("/") + 1)


class FileFacts(NamedTuple):
    """An indexed file and what the code around it says of it. A tuple, because there may be 100,000 of them."""

    path: str
    content_type: str
    language: str
    mtime_ns: int
    importers: int
    centrality: str
    flags: str


class FileReader:
    """The part of an `IndexReader` that reads files. Every method may be called from any thread."""

    _db: sqlite3.Connection
    _lock: threading.RLock

    def files_in(self, folder: str) -> list[FileFacts]:
        """Every indexed file in a folder and below it, by path; of the whole project for an empty name.

        One statement over an index that has all columns: no row of `files` is read, of which each holds a text.
        """
        where, values = in_folder("path", folder)
        sql = (
            "SELECT path, content_type, language, mtime_ns, importers, centrality, flags FROM files "
            f"INDEXED BY files_overview WHERE skip_reason IS NULL AND {where} ORDER BY path"
        )
        with self._lock:
            rows = self._db.execute(sql, values).fetchall()
        return [FileFacts(path_from_sql(row[0]), *row[1:]) for row in rows]

    def file_named(self, path: str) -> FileFacts | None:
        """What is known of one indexed file."""
        sql = (
            "SELECT content_type, language, mtime_ns, importers, centrality, flags FROM files "
            "INDEXED BY files_overview WHERE skip_reason IS NULL AND path = ?"
        )
        with self._lock:
            row = self._db.execute(sql, (path_to_sql(path),)).fetchone()
        return FileFacts(path, *row) if row else None

    def known_paths(self) -> list[str]:
        """Every file that was looked at, indexed or left out, by path."""
        with self._lock:
            rows = self._db.execute("SELECT path FROM files ORDER BY path").fetchall()
        return [path_from_sql(path) for (path,) in rows]

    def names_beginning(self, key: str, most: int = 5000) -> list[str]:
        """Names of documents whose keys (see core.text.name_key) begin so, each once."""
        sql = "SELECT DISTINCT name FROM documents WHERE name_key >= ? AND name_key < ? LIMIT ?"
        with self._lock:
            return [name for (name,) in self._db.execute(sql, (key, key + "\U0010ffff", most)) if name]

    def outermost(self, path: str) -> list[Document]:
        """A file's documents that nothing encloses, in the order of the file."""
        sql = (
            f"SELECT {DOCUMENT_COLUMNS} FROM documents d JOIN files f ON f.id = d.file "
            "WHERE f.path = ? AND d.container = '' ORDER BY d.number"
        )
        with self._lock:
            rows = self._db.execute(sql, (path_to_sql(path),)).fetchall()
        return [read_document(row, path) for row in rows]


def in_folder(column: str, folder: str) -> tuple[str, Sequence[str | bytes]]:
    """A condition on a path's column, with its values: at or below a folder. Paths that are no UTF-8 are bytes there,
    which SQLite sorts after all text.
    """
    if not folder:
        return "1", ()
    text, data = path_to_sql(folder), folder.encode("utf-8", "surrogateescape")
    bounds: list[str | bytes] = [data + b"/", data + _AFTER_SLASH.encode()]
    if isinstance(text, str):
        bounds += [f"{text}/", f"{text}{_AFTER_SLASH}"]
    either = " OR ".join([f"({column} >= ? AND {column} < ?)"] * (len(bounds) // 2))
    return f"({either})", bounds
