"""Tables and migrations of memory, and values from their rows; the list of scripts only grows."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from scry.core.memory.types import Capsule, Memory, MemoryKind, MemoryOutcome, MemoryScope, WorkSession
from scry.store.notes.schema import NOTE_TABLES, RESET_COMPRESSED_VECTORS, RESET_ROTATED_VECTORS

if TYPE_CHECKING:
    from scry.store.precious.file import PreciousFile

MEMORY_FILE = "memory/memory.sqlite"
"""Path in the data folder of a project; the vectors of its note store lie beside it."""

_MEMORY_TABLES = """
    -- A stretch of work of one person or agent in one work tree. Times are milliseconds since the epoch. noted: when
    -- something was last noted in it. intent is empty for a session that nobody began.
    CREATE TABLE sessions (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        root        TEXT NOT NULL,
        agent       TEXT NOT NULL,
        intent      TEXT NOT NULL,
        started     INTEGER NOT NULL,
        noted       INTEGER NOT NULL,
        ended       INTEGER
    );
    CREATE INDEX sessions_by_owner ON sessions (root, agent, number);

    -- Pieces of work in a session, one after the other. by_hand: whether a person wrote the summary.
    CREATE TABLE capsules (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        session     INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
        intent      TEXT NOT NULL,
        started     INTEGER NOT NULL,
        ended       INTEGER,
        by_hand     INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX capsules_by_session ON capsules (session, number);

    -- The observations. key: two with the same key are one, told again. stems: of its words, between spaces.
    -- document: its number on the shelf, where it stands there.
    CREATE TABLE memories (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        capsule     INTEGER NOT NULL REFERENCES capsules (number) ON DELETE CASCADE,
        kind        TEXT NOT NULL,
        time        INTEGER NOT NULL,
        scope       TEXT NOT NULL,
        agent       TEXT NOT NULL,
        text        TEXT NOT NULL,
        detail      TEXT NOT NULL,
        status      INTEGER,
        outcome     TEXT NOT NULL,
        refs        TEXT NOT NULL,              -- a JSON list
        key         TEXT NOT NULL,
        times       INTEGER NOT NULL DEFAULT 1,
        pinned      INTEGER NOT NULL DEFAULT 0,
        stems       TEXT NOT NULL,
        document    INTEGER
    );
    CREATE UNIQUE INDEX memories_once ON memories (capsule, key) WHERE key <> '';
    CREATE INDEX memories_by_capsule ON memories (capsule, time);
    CREATE INDEX memories_by_kind ON memories (kind, time);
    CREATE INDEX memories_by_time ON memories (time);
    CREATE INDEX memories_pinned ON memories (number) WHERE pinned;
    CREATE INDEX memories_by_document ON memories (document) WHERE document IS NOT NULL;

    -- Stems, with how many memories hold them; the empty one is held by all.
    CREATE TABLE stems (
        number      INTEGER PRIMARY KEY,
        stem        TEXT NOT NULL UNIQUE,
        held        INTEGER NOT NULL
    );
    INSERT INTO stems (stem, held) VALUES ('', 0);
    CREATE TABLE holders (stem INTEGER NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (stem, memory)) WITHOUT ROWID;

    -- The commit at which each work tree was last seen.
    CREATE TABLE heads (root TEXT PRIMARY KEY, sha TEXT NOT NULL) WITHOUT ROWID;
"""

_ADD_CAPTURED = """
    -- Which memory holds a stem. captured: whether it was captured in passing, which a question about code leaves out.
    CREATE TABLE new_holders (
        stem        INTEGER NOT NULL,
        captured    INTEGER NOT NULL,
        memory      INTEGER NOT NULL,
        PRIMARY KEY (stem, captured, memory)
    ) WITHOUT ROWID;
    INSERT INTO new_holders
        SELECT stem, memory IN (SELECT number FROM memories WHERE kind IN ('edit', 'jump', 'commit')), memory
        FROM holders;
    DROP TABLE holders;
    ALTER TABLE new_holders RENAME TO holders;
"""

MEMORY_MIGRATIONS = (NOTE_TABLES + _MEMORY_TABLES, _ADD_CAPTURED, RESET_ROTATED_VECTORS, RESET_COMPRESSED_VECTORS)


def memory_file(path: Path) -> PreciousFile:
    """Return the memory of a project as a file that can't be made again."""
    from scry.store.precious.file import PreciousFile  # most projects have none

    def rebuild_words(place: Path) -> None:
        from scry.store.memory.rebuild import rebuild_words

        rebuild_words(place)

    tables = ("sessions", "capsules", "memories", "heads")
    return PreciousFile(path, "the memory of this project", MEMORY_MIGRATIONS, tables, rebuild_words, _is_valid)


def _is_valid(table: str, row: Mapping[str, object]) -> bool:
    """Return whether a row can be read."""
    if table != "memories":
        return True
    try:
        refs = json.loads(str(row["refs"]))
    except ValueError:
        return False
    return isinstance(refs, list) and row["kind"] in get_args(MemoryKind)


SELECT_SESSIONS = (
    "SELECT s.id, s.root, s.agent, s.intent, s.started, s.ended,"
    " (SELECT count(*) FROM memories m JOIN capsules c ON c.number = m.capsule WHERE c.session = s.number)"
    " FROM sessions s"
)
SELECT_CAPSULES = (
    "SELECT c.id, s.id, c.intent, c.started, c.ended FROM capsules c JOIN sessions s ON s.number = c.session"
)

_MEMORY_COLUMNS = (
    "m.number, m.id, m.kind, m.time, s.id, c.id, c.intent, m.scope, m.agent, m.text, m.detail, m.status, m.outcome,"
    " m.refs, m.times, m.pinned, m.document"
)
_FROM_MEMORIES = "FROM memories m JOIN capsules c ON c.number = m.capsule JOIN sessions s ON s.number = c.session"
SELECT_MEMORIES = f"SELECT {_MEMORY_COLUMNS} {_FROM_MEMORIES}"
SELECT_MEMORIES_BRIEF = f"SELECT {_MEMORY_COLUMNS.replace('m.detail', 'substr(m.detail, 1, 1)')} {_FROM_MEMORIES}"
"""Of a detail, which may be long, only its first character: whether there is one."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_RANDOM_LETTERS = 10


def new_id(prefix: str = "") -> str:
    """Return a unique id: 50 random bits, in letters that are easy to tell apart."""
    return prefix + "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM_LETTERS))


def new_session_id(now: int) -> str:
    """Return a unique id of a session with its day: 20261121-k3v7qa2xbe."""
    return time.strftime("%Y%m%d-", time.gmtime(now // 1000)) + new_id()


def read_session(row: tuple[Any, ...]) -> WorkSession:
    """Return the session of a row of SELECT_SESSIONS."""
    return WorkSession(*row)


def read_capsule(row: tuple[Any, ...]) -> Capsule:
    """Return the piece of work of a row of SELECT_CAPSULES."""
    return Capsule(*row)


def _read_refs(refs: str) -> tuple[str, ...]:
    """Return the references of a memory; none where the row is damaged, so that all else of it is found."""
    try:
        return tuple(json.loads(refs)) if refs != "[]" else ()
    except (TypeError, ValueError):
        return ()


def read_memory(row: tuple[Any, ...]) -> Memory:
    """Return the memory of a row of SELECT_MEMORIES."""
    memory_id, name, kind, when, session, capsule, intent, scope, agent, text, detail, *rest = row
    status, outcome, refs, times, pinned, document = rest
    return Memory(
        number=memory_id,
        id=name,
        kind=cast("MemoryKind", kind),
        time=when,
        session=session,
        capsule=capsule,
        capsule_intent=intent,
        scope=cast("MemoryScope", scope),
        agent=agent,
        text=text,
        detail=detail,
        status=status,
        outcome=cast("MemoryOutcome", outcome),
        refs=_read_refs(refs),
        times=times,
        pinned=bool(pinned),
        doc_key=document,
    )
