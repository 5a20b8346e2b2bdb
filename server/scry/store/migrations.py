"""The shapes of our SQLite files, each a list of scripts that only grows. `user_version` counts what a file has had."""

from __future__ import annotations

INDEX = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- Every file that was looked at. skip_reason is null for an indexed one.
    CREATE TABLE files (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        path        TEXT NOT NULL UNIQUE,
        size        INTEGER NOT NULL,
        mtime_ns    INTEGER NOT NULL,
        hash        BLOB,
        language    TEXT,
        content_type TEXT,
        skip_reason TEXT,
        skip_detail TEXT,
        imports     BLOB,           -- msgpack: imported names as written
        uses        BLOB,           -- msgpack: references (name, kind, line)
        body        BLOB,           -- zlib: the text as it was indexed, UTF-8
        importers   INTEGER NOT NULL DEFAULT 0,
        centrality  TEXT NOT NULL DEFAULT 'low',
        flags       TEXT NOT NULL DEFAULT ''
    );

    CREATE TABLE folders (path TEXT PRIMARY KEY, mtime_ns INTEGER NOT NULL) WITHOUT ROWID;

    -- Everything that can be a result. Numbers are given by the store and never used twice.
    CREATE TABLE documents (
        number      INTEGER PRIMARY KEY,
        file        INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        doc_id      TEXT NOT NULL,
        name        TEXT NOT NULL,
        name_key    TEXT NOT NULL,
        kind        TEXT NOT NULL,
        container   TEXT NOT NULL,
        signature   TEXT NOT NULL,
        doc         TEXT NOT NULL,
        ordinal     INTEGER NOT NULL,
        vectors     INTEGER NOT NULL DEFAULT 0, -- the vector set that last took it in; 0 for none
        place       BLOB NOT NULL   -- 12 little-endian u32: span and name span, each start and end as line, utf8, utf16
    );
    CREATE INDEX documents_by_file ON documents (file);
    CREATE INDEX documents_by_id ON documents (doc_id);
    CREATE INDEX documents_by_name ON documents (name_key);
    CREATE INDEX documents_by_vectors ON documents (vectors);

    -- Vectors of one embedder: how many rows of its file count. At most one is active; a newer one is being filled.
    CREATE TABLE vector_sets (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        identity    TEXT NOT NULL,
        dimension   INTEGER NOT NULL,
        file        TEXT NOT NULL,
        rows        INTEGER NOT NULL,
        active      INTEGER NOT NULL
    );
    """,
)

BLOBS = (
    """
    -- What was read out of a content, whichever project it stands in. `used` is a day number, for eviction.
    CREATE TABLE parsed (key BLOB PRIMARY KEY, used INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX parsed_by_use ON parsed (used);
    """,
)
