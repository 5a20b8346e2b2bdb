"""Tables of note stores: the schema of project notes, which are a cache, and the migrations of persona notes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scry.store.sqlite.database import CacheSchema

if TYPE_CHECKING:
    from scry.store.precious.file import PreciousFile

PROJECT_NOTES_PATH = Path("knowledge", "knowledge.sqlite")
"""Path of the file in the cache folder of a project."""

_DOCUMENTS = """
    CREATE TABLE shelf_state (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- Knowledge documents. Numbers are never used twice. terms: distinct stems between spaces.
    CREATE TABLE documents (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        doc_id      TEXT NOT NULL UNIQUE,
        content_type TEXT NOT NULL,
        kind        TEXT NOT NULL,
        title       TEXT NOT NULL,
        text        TEXT NOT NULL,
        snippet     TEXT NOT NULL,
        time        INTEGER,
        path        TEXT NOT NULL,
        line        INTEGER NOT NULL,
        code_refs   TEXT NOT NULL,              -- JSON lists
        domains     TEXT NOT NULL,
        session_id  TEXT NOT NULL,
        terms       TEXT NOT NULL,
        vectors     INTEGER NOT NULL DEFAULT 0  -- the sum of the slots of the vector sets that hold a row of it
    );
    CREATE INDEX documents_by_type ON documents (content_type, number);
    CREATE INDEX documents_by_vectors ON documents (vectors);

    -- Which documents hold a term: little-endian number u4, occurrences u2, length of the document u2, by number.
    CREATE TABLE postings (
        term        TEXT NOT NULL,
        block       INTEGER NOT NULL,           -- number // 4096: what is rewritten stays small
        data        BLOB NOT NULL,
        PRIMARY KEY (term, block)
    );
"""

_VECTOR_SETS = """
    CREATE TABLE vector_sets (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        identity    TEXT NOT NULL,
        dimension   INTEGER NOT NULL,
        file        TEXT NOT NULL,
        rows        INTEGER NOT NULL,
        active      INTEGER NOT NULL,
        model       TEXT NOT NULL DEFAULT '',
        slot        INTEGER NOT NULL DEFAULT 1
    );
"""

NOTE_TABLES = (
    _DOCUMENTS
    + """
    CREATE TABLE vector_sets (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        identity    TEXT NOT NULL,
        dimension   INTEGER NOT NULL,
        file        TEXT NOT NULL,
        rows        INTEGER NOT NULL,
        active      INTEGER NOT NULL,
        model       TEXT NOT NULL DEFAULT '',
        slot        INTEGER NOT NULL DEFAULT 1,
        hnsw        TEXT NOT NULL DEFAULT '',   -- no longer there, as the next: see VECTORS_TURNED
        hnsw_rows   INTEGER NOT NULL DEFAULT 0
    );
"""
)
"""The tables of a note store as the first migration of persona and memory creates them."""

RESET_ROTATED_VECTORS = """
    -- Vectors are turned before they are packed (see store.packed_rows): all are made again.
    DELETE FROM vector_sets;
    UPDATE documents SET vectors = 0;
    ALTER TABLE vector_sets DROP COLUMN hnsw;
    ALTER TABLE vector_sets DROP COLUMN hnsw_rows;
"""

RESET_COMPRESSED_VECTORS = """
    -- Vectors lie in blocks that are compressed (see store.packed_rows): all are made again.
    DELETE FROM vector_sets;
    UPDATE documents SET vectors = 0;
"""

PROJECT_NOTE_SCHEMA = CacheSchema(
    3,
    _DOCUMENTS
    + _VECTOR_SETS
    + """
    -- The files of .scry, each once; the text is a document of the note store.
    -- Of several files with the same doc_id the first by path is the document.
    CREATE TABLE notes (
        path        TEXT PRIMARY KEY,
        doc_id      TEXT NOT NULL,
        facts       BLOB NOT NULL,              -- JSON: core.knowledge.NoteFile
        entry       BLOB NOT NULL               -- JSON: core.knowledge.KnowledgeDocument
    ) WITHOUT ROWID;
    CREATE INDEX notes_by_id ON notes (doc_id, path);

    -- Which beliefs a belief supports or attacks, by doc_id, whether these are there or not.
    CREATE TABLE relations (
        path        TEXT NOT NULL REFERENCES notes (path) ON DELETE CASCADE,
        kind        TEXT NOT NULL,
        target      TEXT NOT NULL,
        PRIMARY KEY (path, kind, target)
    ) WITHOUT ROWID;
    CREATE INDEX relations_by_target ON relations (target, kind);

    -- The coverage of a belief: files, commits and notes by doc_id, how much (0 to 1), and why.
    CREATE TABLE reach (
        doc_id      TEXT NOT NULL,
        target      TEXT NOT NULL,
        score       REAL NOT NULL,
        reason      TEXT NOT NULL,
        PRIMARY KEY (doc_id, target)
    ) WITHOUT ROWID;
    CREATE INDEX reach_by_target ON reach (target);

    -- The fingerprint of what the coverage of a belief was made from; no row where it is due.
    CREATE TABLE reach_made (doc_id TEXT PRIMARY KEY, basis TEXT NOT NULL) WITHOUT ROWID;
    """,
)
"""The tables of a project's `knowledge.sqlite`."""

PERSONA_MIGRATIONS = (
    NOTE_TABLES
    + """
    -- The person's acts on notes, in order; nothing is changed but by forget, which empties the body.
    CREATE TABLE persona_events (
        sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
        time_ms     INTEGER NOT NULL,
        kind        TEXT NOT NULL,              -- add, supersede or forget
        doc_id      TEXT NOT NULL,              -- the note that it is about
        body        TEXT                        -- JSON; null once forgotten
    );
    CREATE INDEX persona_events_by_note ON persona_events (doc_id);
    """,
    RESET_ROTATED_VECTORS,
    RESET_COMPRESSED_VECTORS,
)


def persona_file(path: Path) -> PreciousFile:
    """Return the person's notes as a file that can't be made again."""
    from scry.store.precious.file import PreciousFile  # most projects have none

    def rebuild_notes(place: Path) -> None:
        from scry.store.notes.persona import rebuild_notes

        rebuild_notes(place)

    def is_valid(_: str, row: Mapping[str, object]) -> bool:
        from scry.store.notes.persona import is_valid_event

        return is_valid_event(row)

    tables = ("persona_events",)
    return PreciousFile(path, "the file of your own notes", PERSONA_MIGRATIONS, tables, rebuild_notes, is_valid)
