"""The shapes of the files that hold knowledge, each a list of scripts that only grows (see store.migrations)."""

from __future__ import annotations

from scry.store.shelf_tables import NOTE_TABLES, RESET_COMPRESSED_VECTORS, RESET_ROTATED_VECTORS

PROJECT_NOTE_MIGRATIONS = (
    NOTE_TABLES
    + """
    -- What the files of .scry say, each file once; the text is a document of the shelf.
    -- Of several files with the same doc_id the first by path is the document.
    CREATE TABLE notes (
        path        TEXT PRIMARY KEY,
        doc_id      TEXT NOT NULL,
        facts       BLOB NOT NULL,              -- JSON: core.notes.Note
        entry       BLOB NOT NULL               -- JSON: core.knowledge.Entry
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

    -- What a belief bears on: files, commits and notes by doc_id, how much (0 to 1), and why.
    CREATE TABLE reach (
        doc_id      TEXT NOT NULL,
        target      TEXT NOT NULL,
        score       REAL NOT NULL,
        reason      TEXT NOT NULL,
        PRIMARY KEY (doc_id, target)
    ) WITHOUT ROWID;
    CREATE INDEX reach_by_target ON reach (target);

    -- What the reach of a belief was made from; no row where it is due.
    CREATE TABLE reach_made (doc_id TEXT PRIMARY KEY, basis TEXT NOT NULL) WITHOUT ROWID;
    """,
    RESET_ROTATED_VECTORS,
    RESET_COMPRESSED_VECTORS,
)

PERSONA_MIGRATIONS = (
    NOTE_TABLES
    + """
    -- What the person did with notes, in order; nothing is changed but by forget, which empties the body.
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
