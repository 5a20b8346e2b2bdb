"""Migration scripts of the index, blob cache, history, answers and registry; each list only grows.

The shapes of our SQLite files, each a list of scripts that only grows. `user_version` counts what a file has had.
"""

from __future__ import annotations

_REINDEX_ALL = """
    DELETE FROM documents;
    DELETE FROM files;
    DELETE FROM folders;
    DELETE FROM vector_sets;
    DELETE FROM graph_files;
    DELETE FROM imports;
    DELETE FROM edges;
    DELETE FROM meta WHERE key IN ('state', 'basis');
    UPDATE meta SET value = 'words-' || (CAST(substr(value, 7) AS INTEGER) + 1) WHERE key = 'lexical';
    UPDATE meta SET value = value + 1 WHERE key = 'generation';
    UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'generation') WHERE key = 'documents';
"""
"""All files are read again, into another word index; what was read out of them comes out of the blob cache. Part of
scripts, and as little to be changed as they are."""

INDEX_MIGRATIONS = (
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
        place       BLOB NOT NULL   -- span and name span, see store.rows.pack_place
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
    """
    -- A document now says which sets have a row of it, not which took it in last: documents.vectors is the sum of their
    -- slots, 1 and 2. All vectors come out of the blob cache again.
    DELETE FROM vector_sets;
    UPDATE documents SET vectors = 0;
    ALTER TABLE vector_sets ADD COLUMN model TEXT NOT NULL DEFAULT '';    -- the setting that chose the embedder
    ALTER TABLE vector_sets ADD COLUMN slot INTEGER NOT NULL DEFAULT 1;   -- 1 or 2; no two sets have the same
    """,
    """
    -- files.uses is packed otherwise; every file is read again (see PARSER_VERSION), and till then uses nothing.
    UPDATE files SET uses = x'';

    -- The code graph's own view of the files. id is theirs as long as their path stays, since files.id changes with
    -- every new content. file: the files.id whose definitions are known here, with the numbers of its documents.
    CREATE TABLE graph_files (
        id          INTEGER PRIMARY KEY,
        path        TEXT NOT NULL UNIQUE,
        file        INTEGER NOT NULL,
        first       INTEGER NOT NULL,
        last        INTEGER NOT NULL,
        defined     BLOB NOT NULL,              -- what others may have linked to: see store.graph.DEFINED
        used        BLOB NOT NULL,              -- sorted little-endian u32: hashes of all names that linking it reads
        pending     INTEGER NOT NULL            -- 2: bases and calls are to be linked; 1: calls are; 0: done
    );
    CREATE INDEX graph_files_pending ON graph_files (pending) WHERE pending > 0;

    -- Which file imports which, by graph_files.id.
    CREATE TABLE imports (source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
    CREATE INDEX imports_by_target ON imports (target, source);

    -- Edges between documents by number. line: where the source first says so, 0-based.
    CREATE TABLE edges (
        source      INTEGER NOT NULL,
        kind        INTEGER NOT NULL,           -- 1 calls, 2 inherits
        target      INTEGER NOT NULL,
        confidence  INTEGER NOT NULL,           -- 1 exact, 2 by name, 3 ambiguous
        line        INTEGER NOT NULL,
        PRIMARY KEY (source, kind, target)
    ) WITHOUT ROWID;
    CREATE INDEX edges_by_target ON edges (target, kind, source);
    """,
    """
    -- A snapshot for finding the nearest of many rows quickly: its file, and how many rows it covers.
    ALTER TABLE vector_sets ADD COLUMN hnsw TEXT NOT NULL DEFAULT '';
    ALTER TABLE vector_sets ADD COLUMN hnsw_rows INTEGER NOT NULL DEFAULT 0;
    """,
    """
    -- All that ranking files reads of them, apart from the rows, of which each holds a text.
    CREATE INDEX files_overview ON files (path, content_type, language, mtime_ns, importers, centrality, flags)
        WHERE skip_reason IS NULL;
    """,
    f"""
    -- Documents take a third less: they are looked up by a hash of their doc_id, and places are packed otherwise.
    {_REINDEX_ALL}
    DROP INDEX documents_by_id;
    ALTER TABLE documents ADD COLUMN doc_key INTEGER NOT NULL DEFAULT 0;  -- see store.rows.id_key
    CREATE INDEX documents_by_key ON documents (doc_key);
    """,
    """
    -- There are no snapshots any more: all rows are looked at.
    ALTER TABLE vector_sets DROP COLUMN hnsw;
    ALTER TABLE vector_sets DROP COLUMN hnsw_rows;
    """,
    f"""
    -- Documents take a third of what they took: doc_ids are made of what they say, and signatures and doc comments lie
    -- compressed, those of a file together.
    {_REINDEX_ALL}
    ALTER TABLE documents DROP COLUMN doc_id;
    ALTER TABLE documents DROP COLUMN signature;
    ALTER TABLE documents DROP COLUMN doc;
    ALTER TABLE files ADD COLUMN described BLOB;    -- signatures and doc comments, see store.rows.pack_descriptions
    """,
    f"""
    -- Vectors are turned before they are packed (see store.packed_rows). Names are looked up by a number, as doc_ids
    -- are, and documents without a vector by an index of them alone.
    {_REINDEX_ALL}
    DROP INDEX documents_by_name;
    DROP INDEX documents_by_vectors;
    ALTER TABLE documents DROP COLUMN name_key;
    ALTER TABLE documents ADD COLUMN name_key INTEGER NOT NULL DEFAULT 0; -- see store.rows.name_number
    CREATE INDEX documents_by_name ON documents (name_key);
    CREATE INDEX documents_lacking ON documents (vectors) WHERE vectors IN (0, 2); -- see store.vector_sets
    """,
    """
    -- Vectors lie in blocks that are compressed (see store.packed_rows): all are made again.
    DELETE FROM vector_sets;
    UPDATE documents SET vectors = 0;
    """,
    f"""
    -- A file's documents are found by their numbers, which follow on each other, first to last, and a doc_id by its
    -- file and its name: neither needs an index. What is packed of a file is packed by Zstandard, in two pieces.
    {_REINDEX_ALL}
    DROP TABLE documents;
    CREATE TABLE documents (
        number      INTEGER PRIMARY KEY,
        file        INTEGER NOT NULL,           -- files.id
        name        TEXT NOT NULL,
        kind        TEXT NOT NULL,
        container   TEXT NOT NULL,
        ordinal     INTEGER NOT NULL,
        vectors     INTEGER NOT NULL DEFAULT 0, -- the sum of the slots of the vector sets that have a row of it
        place       BLOB NOT NULL               -- span and name span, see store.rows.pack_place
    );
    CREATE INDEX documents_lacking ON documents (vectors) WHERE vectors IN (0, 2); -- see store.vector_sets
    CREATE TABLE names (
        key         INTEGER NOT NULL,           -- see store.rows.name_number
        number      INTEGER NOT NULL,
        PRIMARY KEY (key, number)
    ) WITHOUT ROWID;
    DROP INDEX files_overview;
    ALTER TABLE files DROP COLUMN body;
    ALTER TABLE files DROP COLUMN described;
    ALTER TABLE files DROP COLUMN uses;
    ALTER TABLE files DROP COLUMN imports;
    ALTER TABLE files ADD COLUMN first INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE files ADD COLUMN last INTEGER NOT NULL DEFAULT -1;    -- before first where there is none
    ALTER TABLE files ADD COLUMN text BLOB;     -- with what its documents say, see store.packed_files.pack_text
    ALTER TABLE files ADD COLUMN links BLOB;    -- what it imports and uses, see store.packed_files.pack_links
    CREATE INDEX files_overview ON files
        (path, content_type, language, mtime_ns, importers, centrality, flags, first, last)
        WHERE skip_reason IS NULL;
    """,
    f"""
    -- A kind is a letter, and places are packed otherwise (see store.rows).
    {_REINDEX_ALL}
    DELETE FROM names;
    """,
)

BLOB_MIGRATIONS = (
    """
    -- What was read out of a content, whichever project it stands in. `used` is a day number, for eviction.
    CREATE TABLE parsed (key BLOB PRIMARY KEY, used INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX parsed_by_use ON parsed (used);
    """,
)

HISTORY_MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- Commits that HEAD reaches. Numbers are given by the store, the older commit's first, and never used twice.
    CREATE TABLE commits (
        number      INTEGER PRIMARY KEY,
        sha         BLOB NOT NULL UNIQUE,
        time        INTEGER NOT NULL,           -- of the committer, seconds since the epoch
        author      TEXT NOT NULL,
        subject     TEXT NOT NULL,
        body        TEXT NOT NULL,
        merge       INTEGER NOT NULL,
        files       INTEGER,                    -- how many it changed; null where git could not tell
        lines       INTEGER NOT NULL            -- whether its changed lines were read
    );
    CREATE INDEX commits_by_time ON commits (time);

    -- Files by path, with what is counted of them: commits that count for ties, and those of late.
    CREATE TABLE paths (
        id          INTEGER PRIMARY KEY,
        path        TEXT NOT NULL UNIQUE,
        ties        INTEGER NOT NULL DEFAULT 0,
        recent      INTEGER NOT NULL DEFAULT 0
    );

    -- Which files a commit changed, merges left out. now: what the path is called today, renames followed.
    CREATE TABLE changes (
        number      INTEGER NOT NULL REFERENCES commits (number) ON DELETE CASCADE,
        path        INTEGER NOT NULL,
        now         INTEGER NOT NULL,
        source      INTEGER,                    -- the path that was exactly renamed to this one
        hunks       BLOB,                       -- little-endian u32, four a hunk; null where lines were not read
        PRIMARY KEY (number, path)
    ) WITHOUT ROWID;
    CREATE INDEX changes_by_path ON changes (now, number);

    -- Documents of the index, by doc_id, that commits with known lines changed.
    CREATE TABLE symbols (
        id          INTEGER PRIMARY KEY,
        doc_id      TEXT NOT NULL UNIQUE,
        path        INTEGER NOT NULL,
        ties        INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX symbols_by_path ON symbols (path);
    CREATE TABLE touched (
        symbol      INTEGER NOT NULL REFERENCES symbols (id) ON DELETE CASCADE,
        number      INTEGER NOT NULL REFERENCES commits (number) ON DELETE CASCADE,
        PRIMARY KEY (symbol, number)
    ) WITHOUT ROWID;
    CREATE INDEX touched_by_commit ON touched (number, symbol);

    -- For which state of a file, by the index's id of it, its changed lines were traced to documents.
    CREATE TABLE traced (path INTEGER PRIMARY KEY, file INTEGER NOT NULL);
    """,
)

ANSWER_MIGRATIONS = (
    """
    -- The last answers, the oldest first. doc_ids: those of its results, each between two line ends.
    CREATE TABLE answers (
        sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
        query_id    TEXT NOT NULL UNIQUE,
        doc_ids     TEXT NOT NULL,
        packed      INTEGER NOT NULL,           -- whether data is compressed
        data        BLOB NOT NULL
    );
    """,
)

REGISTRY_MIGRATIONS = (
    """
    -- The projects that the person registered. root: text, or bytes where it is no UTF-8. commits: the first commits of
    -- its history, by spaces. inside: its place in its git work tree. data: name of its data folder.
    CREATE TABLE projects (
        name        TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
        root        NOT NULL UNIQUE,
        commits     TEXT NOT NULL,
        inside      TEXT NOT NULL,
        data        TEXT NOT NULL
    ) WITHOUT ROWID;

    -- That a project is tied to another one. kind: uses, learns_from, tests_with or sibling.
    CREATE TABLE links (
        source      TEXT NOT NULL COLLATE NOCASE REFERENCES projects (name) ON DELETE CASCADE ON UPDATE CASCADE,
        kind        TEXT NOT NULL,
        target      TEXT NOT NULL COLLATE NOCASE REFERENCES projects (name) ON DELETE CASCADE ON UPDATE CASCADE,
        PRIMARY KEY (source, kind, target)
    ) WITHOUT ROWID;
    """,
)
