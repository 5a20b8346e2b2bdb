"""The tables of a team's index in PostgreSQL, their migrations, and who may read which rows.

Whatever a repository says (paths, names, words, messages) is stored as bytes, UTF-8 with surrogates passed: a text of
PostgreSQL holds neither NUL nor what is no UTF-8, and a repository is a stranger's text.

A reader sees the repositories that are granted to a role whose privileges it has. Every table that belongs to one
repository has its id, and one policy compares it with the granted ids, which are read once per statement. Contents
belong to no repository: one is visible where a visible file has it. So counts, statistics of terms, nearest vectors and
names are those of the visible repositories, whatever a client asks for. docs/decisions/0105 says what is not hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import LiteralString

CODE_WORDS, COMMIT_WORDS, NOTE_WORDS = 0, 1, 2
"""Values of `postings.corpus`: the words of code and documents, those of commits, and those of notes."""

EXACT_DOCUMENTS = 5_000
"""Visible documents up to which all vectors are compared instead of searching their graph, so that small teams lose
nothing to the graph. Each of them is checked by the policy, which at 15,000 takes 40 ms of the server's CPU."""

_TABLES = """
CREATE TABLE repositories (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text NOT NULL UNIQUE,
    url             text NOT NULL,
    branch          text NOT NULL,
    commit_id       bytea,                      -- indexed; null before the first generation
    reading         text NOT NULL DEFAULT '',   -- the versions of parser and embedder that read it
    generation      bigint NOT NULL DEFAULT 0,  -- rises with every publication
    next_key        bigint NOT NULL DEFAULT 1,  -- the next document's; keys are never used twice
    documents       bigint NOT NULL DEFAULT 0,
    length          bigint NOT NULL DEFAULT 0,  -- of all documents together, in words
    commits         bigint NOT NULL DEFAULT 0,
    commit_length   bigint NOT NULL DEFAULT 0,
    cochange_commits bigint NOT NULL DEFAULT 0,
    published_at    timestamptz
);

-- Which role may read which repository. The role `public` stands for every role.
CREATE TABLE grants (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    role            text NOT NULL,
    PRIMARY KEY (repository_id, role)
);

-- The parsed content of a file: by its content, its path and the versions that read it, whichever repositories have it.
CREATE TABLE contents (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key             bytea NOT NULL UNIQUE,
    language        text NOT NULL,
    content_type    text NOT NULL,
    documents       integer NOT NULL,
    length          bigint NOT NULL,            -- of all its documents together, in words
    text            bytea NOT NULL,             -- with the descriptions of its documents, as in store.index.rows
    links           bytea NOT NULL,             -- its imports and references, as in store.index.rows
    terms           bytea NOT NULL              -- the words of its documents, see store.team.postings
);
ALTER TABLE contents
    ALTER text SET STORAGE EXTERNAL, ALTER links SET STORAGE EXTERNAL, ALTER terms SET STORAGE EXTERNAL;

CREATE TABLE documents (
    content_id      bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    position        integer NOT NULL,           -- in the file, from 0
    name            bytea NOT NULL,
    name_key        integer NOT NULL,           -- see store.index.rows.hash_name_key
    kind            text NOT NULL,              -- as in store.index.rows
    container       bytea NOT NULL,
    ordinal         integer NOT NULL,
    place           bytea NOT NULL,             -- span and name span, as in store.index.rows
    vector          halfvec(256) NOT NULL,      -- of length 1, or of zeros where the document holds no word
    PRIMARY KEY (content_id, position)
);
CREATE INDEX documents_by_name ON documents (name_key, content_id);
CREATE INDEX documents_by_vector ON documents USING hnsw (vector halfvec_ip_ops) WITH (m = 16, ef_construction = 64);

-- The files of a repository at its indexed commit. The keys of its documents follow on each other from first_key.
CREATE TABLE files (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    path            bytea NOT NULL,
    content_id      bigint NOT NULL REFERENCES contents,
    first_key       bigint NOT NULL,
    documents       integer NOT NULL,
    importers       integer NOT NULL DEFAULT 0,
    centrality      text NOT NULL DEFAULT 'low',
    flags           text NOT NULL DEFAULT '',
    PRIMARY KEY (repository_id, path)
);
CREATE UNIQUE INDEX files_by_key ON files (repository_id, first_key) INCLUDE (documents);
CREATE INDEX files_by_content ON files (content_id, repository_id);

-- Files that are not indexed, and items for which a stage of indexing failed.
CREATE TABLE faults (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    item            bytea NOT NULL,
    reason          text NOT NULL,
    PRIMARY KEY (repository_id, item)
);

-- Which documents of a repository hold a stem, how often, and how long they are.
CREATE TABLE postings (
    corpus          smallint NOT NULL,
    term            bytea NOT NULL,
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    documents       integer NOT NULL,
    max_frequency   integer NOT NULL,
    min_length      integer NOT NULL,
    packed          bytea NOT NULL,             -- see store.team.postings
    PRIMARY KEY (corpus, term, repository_id) INCLUDE (documents, max_frequency, min_length)
);
ALTER TABLE postings ALTER packed SET STORAGE EXTERNAL;
CREATE INDEX postings_by_repository ON postings (repository_id);

-- The history of a repository, as store.history.database has it.
CREATE TABLE commits (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    number          bigint NOT NULL,
    sha             bytea NOT NULL,
    time            bigint NOT NULL,
    author          bytea NOT NULL,
    subject         bytea NOT NULL,
    body            bytea NOT NULL,
    merge           boolean NOT NULL,
    files           integer,
    lines           boolean NOT NULL,
    PRIMARY KEY (repository_id, number)
);
CREATE UNIQUE INDEX commits_by_sha ON commits (sha, repository_id);
CREATE TABLE changed_paths (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    id              integer NOT NULL,
    path            bytea NOT NULL,
    ties            integer NOT NULL,
    recent          integer NOT NULL,
    PRIMARY KEY (repository_id, id)
);
CREATE UNIQUE INDEX changed_paths_by_path ON changed_paths (repository_id, path);
CREATE TABLE changes (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    number          bigint NOT NULL,
    path            integer NOT NULL,
    now             integer NOT NULL,
    PRIMARY KEY (repository_id, number, path)
);
CREATE INDEX changes_by_path ON changes (repository_id, now, number);
CREATE TABLE changed_symbols (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    id              integer NOT NULL,
    doc_id          bytea NOT NULL,
    ties            integer NOT NULL,
    PRIMARY KEY (repository_id, id)
);
CREATE UNIQUE INDEX changed_symbols_by_doc_id ON changed_symbols (repository_id, doc_id);
CREATE TABLE touched (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    symbol          integer NOT NULL,
    number          bigint NOT NULL,
    PRIMARY KEY (repository_id, symbol, number)
);
CREATE INDEX touched_by_commit ON touched (repository_id, number, symbol);

-- Never filled; the second version has a table in its place.
CREATE TABLE notes (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    path            bytea NOT NULL,
    doc_id          bytea NOT NULL,
    text            bytea NOT NULL,
    PRIMARY KEY (repository_id, path)
);
"""

CREATE_GRAPH = (
    "CREATE INDEX IF NOT EXISTS documents_by_vector ON documents USING hnsw (vector halfvec_ip_ops) "
    "WITH (m = 16, ef_construction = 64)"
)
"""The statement that makes the graph of vectors again, as the first migration makes it."""

OWNED_TABLES = (
    "files",
    "faults",
    "postings",
    "commits",
    "changed_paths",
    "changes",
    "changed_symbols",
    "touched",
    "notes",
)
"""Tables whose rows belong to one repository each, and go with it. The first migration protects these; a later one
protects its own.
"""


def _protect(tables: tuple[LiteralString, ...]) -> LiteralString:
    """Return the statements that show the rows of these tables to whoever may read their repository."""
    statements: LiteralString = ""
    for table in tables:
        statements += (
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;\n"
            f"CREATE POLICY granted ON {table} FOR SELECT USING "
            f"(repository_id = ANY (ARRAY(SELECT repository_id FROM grants)));\n"
        )
    return statements


# The policies of contents and documents look one file up for each row. With EXISTS the planner reads all visible files
# into a table of hashes instead, for each statement.
_POLICIES = (
    """
ALTER TABLE grants ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON grants FOR SELECT USING (
    role = 'public' OR role IN (SELECT rolname FROM pg_roles WHERE pg_has_role(current_user, oid, 'USAGE'))
);
ALTER TABLE repositories ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON repositories FOR SELECT USING (id = ANY (ARRAY(SELECT repository_id FROM grants)));
ALTER TABLE contents ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON contents FOR SELECT USING (
    (SELECT true FROM files f WHERE f.content_id = contents.id LIMIT 1)
);
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON documents FOR SELECT USING (
    (SELECT true FROM files f WHERE f.content_id = documents.content_id LIMIT 1)
);
"""
    + _protect(OWNED_TABLES)
    + "GRANT USAGE ON SCHEMA scry TO PUBLIC;\nGRANT SELECT ON ALL TABLES IN SCHEMA scry TO PUBLIC;\n"
)

_NOTES = (
    """
DROP TABLE notes;
ALTER TABLE repositories ADD notes bigint NOT NULL DEFAULT 0;

-- The notes of a repository at its indexed commit: beliefs, patterns and session notes.
CREATE TABLE notes (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    number          integer NOT NULL,           -- its place among those of the repository by doc_id, from 0
    doc_id          bytea NOT NULL,
    content_type    text NOT NULL,
    kind            bytea NOT NULL,
    title           bytea NOT NULL,
    domains         bytea NOT NULL,             -- a list in JSON
    terms           bytea NOT NULL,             -- its words, see store.team.postings
    vector          halfvec(256) NOT NULL,
    content         bytea NOT NULL,             -- what results show, see store.team.notes
    PRIMARY KEY (repository_id, number)
);
ALTER TABLE notes ALTER terms SET STORAGE EXTERNAL, ALTER content SET STORAGE EXTERNAL;
CREATE INDEX notes_by_vector ON notes USING hnsw (vector halfvec_ip_ops) WITH (m = 16, ef_construction = 64);
"""
    + _protect(("notes",))
    + "GRANT SELECT ON notes TO PUBLIC;\n"
)

_JUMPS = """
-- Jumps that members gave for the team's learning. A member adds, reads and deletes their own.
CREATE TABLE jumps (
    role            text NOT NULL DEFAULT current_user,
    act             bytea NOT NULL CHECK (length(act) <= 16),
    given_at        timestamptz NOT NULL DEFAULT now(),
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    doc_id          bytea NOT NULL CHECK (length(doc_id) <= 4096),
    rank            integer NOT NULL,
    question        bytea NOT NULL CHECK (length(question) <= 8192),
    is_hashed       boolean NOT NULL,
    PRIMARY KEY (role, act)
);
ALTER TABLE jumps ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_read ON jumps FOR SELECT USING (role = current_user);
CREATE POLICY own_deleted ON jumps FOR DELETE USING (role = current_user);
CREATE POLICY own_given ON jumps FOR INSERT WITH CHECK (
    role = current_user AND repository_id = ANY (ARRAY(SELECT repository_id FROM grants))
);
GRANT SELECT, INSERT, DELETE ON jumps TO PUBLIC;
"""


def _hash_grants(tables: tuple[LiteralString, ...]) -> LiteralString:
    """Return the statements by which the policies of these tables look a repository up in a table of hashes.

    An array of all visible repositories became a condition of every index search, and was sorted for each.
    """
    statements: LiteralString = (
        "ALTER POLICY granted ON repositories USING (id IN (SELECT repository_id FROM grants));\n"
    )
    for table in tables:
        statements += f"ALTER POLICY granted ON {table} USING (repository_id IN (SELECT repository_id FROM grants));\n"
    return statements


_CHANGES = "CREATE INDEX commits_by_time ON commits (time DESC, sha) WHERE NOT merge;\n"

_FILE_VECTORS = """
-- The mean of the vectors of a content's documents, see store.team.contents; null where an earlier version stored it.
ALTER TABLE contents ADD vector bytea;
"""

_DIGESTS = """
-- What the file says and how it was parsed, whatever its path: forks and vendored copies have the same.
ALTER TABLE contents ADD digest bytea NOT NULL GENERATED ALWAYS AS (sha256(text)) STORED;
CREATE INDEX contents_by_digest ON contents (digest);
"""

_CODE_GRAPH = """
-- The edges of the code graph that begin or end in a file, and the files that it imports or that import it. A file
-- without any has no row.
CREATE TABLE code_graph (
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    path            bytea NOT NULL,
    callers         integer NOT NULL,           -- documents in other files that call or inherit what it defines
    packed          bytea NOT NULL,             -- see store.team.graph
    PRIMARY KEY (repository_id, path)
);
ALTER TABLE code_graph ALTER packed SET STORAGE EXTERNAL;
ALTER TABLE code_graph ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON code_graph FOR SELECT USING (repository_id IN (SELECT repository_id FROM grants));
GRANT SELECT ON code_graph TO PUBLIC;

-- Each repository is read anew by the next run, so that its graph is stored.
ALTER TABLE repositories ADD has_graph boolean NOT NULL DEFAULT false;
UPDATE repositories SET reading = '';
"""

_SHARED_USES = """
-- What several members opened for the same question, counted anew by each run of the owner, see store.team.jumps.
CREATE TABLE shared_uses (
    question        text NOT NULL,              -- the hash of its words
    repository_id   integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    doc_id          bytea NOT NULL,
    members         integer NOT NULL,
    weight          double precision NOT NULL,  -- decayed to the day of the last jump
    used            date NOT NULL,              -- that day
    PRIMARY KEY (question, repository_id, doc_id)
);
CREATE INDEX shared_uses_by_repository ON shared_uses (repository_id);
ALTER TABLE shared_uses ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON shared_uses FOR SELECT USING (repository_id IN (SELECT repository_id FROM grants));
GRANT SELECT ON shared_uses TO PUBLIC;
ALTER TABLE repositories ADD shared_uses integer NOT NULL DEFAULT 0;  -- rows of that table
"""

_PLACES = """
-- Among commits of one time: higher than those of its ancestors.
ALTER TABLE commits ADD place integer NOT NULL DEFAULT 0;
DROP INDEX commits_by_time;
CREATE INDEX commits_by_time ON commits (time DESC, place DESC, sha) WHERE NOT merge;

-- Each repository is read anew by the next run, so that these are stored.
UPDATE repositories SET reading = '';
"""

_MEMBERS = """
-- A member is the role that logged in: by SET ROLE one person would count as several.
ALTER TABLE jumps ALTER role SET DEFAULT session_user;
ALTER POLICY own_read ON jumps USING (role = session_user);
ALTER POLICY own_deleted ON jumps USING (role = session_user);
ALTER POLICY own_given ON jumps WITH CHECK (
    role = session_user AND repository_id IN (SELECT repository_id FROM grants)
);
"""

MIGRATIONS: tuple[LiteralString, ...] = (
    _TABLES + _POLICIES,
    _NOTES,
    _JUMPS,
    _hash_grants(OWNED_TABLES),
    _CHANGES,
    _FILE_VECTORS,
    _DIGESTS,
    _CODE_GRAPH,
    _SHARED_USES,
    _PLACES,
    _MEMBERS,
)
"""The statements that bring a schema from each version to the next; a published one never changes."""

SCHEMA_VERSION = len(MIGRATIONS)
"""The version of the schema that this version of Scry reads and writes."""
