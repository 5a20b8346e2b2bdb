"""Whether an index on disk is whole."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.store.database import open_database
from scry.store.lexical import LexicalIndex
from scry.store.packed_files import unpack_descriptions, unpack_text, unpack_uses
from scry.store.vector_sets import VectorSets
from scry.store.vectors import VectorFile


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
