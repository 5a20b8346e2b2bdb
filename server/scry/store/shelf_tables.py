"""The tables of a shelf, for the migrations of whatever file holds one."""

from __future__ import annotations

NOTE_TABLES = """
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
