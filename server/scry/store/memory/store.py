"""Write memories and sessions with secrets masked (M1).

A memory is on the disk when `record` returns (WAL, synchronous=FULL). Secrets are masked where every text enters
(`cleaning`), so that none is ever in a file. Several processes write at the same time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from scry.core.errors import BadRequest, IndexUnavailable, MemoryUnavailable
from scry.core.knowledge import MEMORY_NOTES
from scry.core.memory.summary import observation_terms, summarize_work
from scry.core.memory.types import (
    CAPTURED_KINDS,
    PROSE_KINDS,
    Memory,
    Observation,
    WorkSession,
    default_scope,
)
from scry.store.lexical import stem_of
from scry.store.memory import schema as rows
from scry.store.memory.cleaning import SESSION_KEY_PREFIXES, clean_observation, clean_owner, clean_text
from scry.store.memory.postings import add_postings, remove_postings
from scry.store.memory.schema import MEMORY_FILE, memory_file
from scry.store.memory.search import memory_entry
from scry.store.memory.sessions import (
    OpenCapsule,
    SessionOwner,
    begin_capsule,
    begin_session,
    end_capsule,
    end_sessions,
    find_open_capsule,
    list_open_capsules,
)
from scry.store.notes.database import NoteDatabase
from scry.store.notes.store import NoteStore

_SUMMARY = "summary"


class RecordedMemory(Struct, frozen=True):
    """The result of an observation.

    is_new: False for a repeated one. masked_secrets: how many secrets were masked.
    """

    memory: Memory
    is_new: bool
    masked_secrets: int


class MemoryStore:
    """The memory of one project, open for writing.

    Every method may be called from any thread; all raise MemoryUnavailable. notes: the note store that holds prose.
    """

    def __init__(self, folder: Path, make_folder: Callable[[], None]) -> None:
        """Open the file in a folder, created where it is missing.

        make_folder: creates the folder; may raise OSError.
        """
        try:
            make_folder()
            path = folder / MEMORY_FILE
            self._file = NoteDatabase(MEMORY_NOTES, path, memory_file(path), write=True)
        except (IndexUnavailable, OSError) as error:
            raise MemoryUnavailable(f"memory can't be written: {error}") from error
        self.notes = NoteStore(self._file)

    @property
    def database(self) -> NoteDatabase:
        """The file, for forgetting."""
        return self._file

    def is_in_place(self) -> bool:
        """Return whether the file is still the one at its path."""
        return self._file.is_in_place()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # Sessions -----------------------------------------------------------------------------------------------------

    def start_work(self, owner: SessionOwner, intent: str, now: int) -> WorkSession:
        """Begin a piece of work, in the open session or in a new one; return the session.

        Raises BadRequest for an intent without any character that can be stored.
        """
        intent, owner = clean_text(intent)[0], clean_owner(owner)
        if not intent:
            raise BadRequest("intent", "is empty; say what the work is about")
        with self._transaction() as database:
            capsule_place = find_open_capsule(database, owner, now)
            session = capsule_place.session_id if capsule_place is not None and capsule_place.intent else None
            self._end_capsules(database, owner, now, with_sessions=session is None)
            if session is None:
                session = begin_session(database, owner, intent, now).session_id
            else:
                begin_capsule(database, session, intent, now)
            return _load_session(database, session)

    def end_session(self, owner: SessionOwner, now: int) -> WorkSession | None:
        """End the open session, with a summary; return it, or None where none is open."""
        owner = clean_owner(owner)
        with self._transaction() as database:
            capsule_place = find_open_capsule(database, owner, now)
            self._end_capsules(database, owner, now, with_sessions=True)
            return None if capsule_place is None else _load_session(database, capsule_place.session_id)

    # Notes --------------------------------------------------------------------------------------------------------

    def record(self, observation: Observation, owner: SessionOwner) -> RecordedMemory:
        """Record an observation in the session of the owner, which is begun where none is open.

        Raises BadRequest for a text without any character that can be stored.
        """
        clean, masked = clean_observation(observation)
        if not clean.text:
            raise BadRequest("text", "is empty; say what to remember")
        owner = clean_owner(owner)
        with self._transaction() as database:
            capsule_place = find_open_capsule(database, owner, clean.time)
            if capsule_place is None:
                self._end_capsules(database, owner, clean.time, with_sessions=True)
                capsule_place = begin_session(database, owner, "", clean.time)
            memory_id, is_new = self._insert_or_repeat(database, clean, capsule_place, owner.agent)
            database.execute(
                "UPDATE sessions SET noted = max(noted, ?) WHERE number = ?", (clean.time, capsule_place.session_id)
            )
            return RecordedMemory(_load_memory(database, memory_id), is_new, masked)

    def summarize(self, capsule: str, text: str, now: int) -> Memory:
        """Replace a summary by a person's words; without words, make a new one from the observations.

        Raises BadRequest for an unknown capsule, or one in which nothing was noted.
        """
        with self._transaction() as database:
            row = database.execute("SELECT number FROM capsules WHERE id = ?", (capsule,)).fetchone()
            if row is None:
                raise BadRequest("of", f"no piece of work is named {capsule}; scry session list names them")
            memory_id = self._summarize(database, row[0], now, clean_text(text)[0])
            if memory_id is None:
                raise BadRequest("of", f"nothing was noted in {capsule} that could be summarized")
            return _load_memory(database, memory_id)

    def set_pinned(self, name: str, *, is_pinned: bool) -> Memory:
        """Pin a memory, so that it does not age, or unpin it. Raises BadRequest for an unknown one."""
        with self._transaction() as database:
            database.execute("UPDATE memories SET pinned = ? WHERE id = ?", (is_pinned, name))
            row = database.execute("SELECT number FROM memories WHERE id = ?", (name,)).fetchone()
            if row is None:
                raise BadRequest("id", f"no memory is named {name}; scry memory list names them")
            return _load_memory(database, row[0])

    # Commits ------------------------------------------------------------------------------------------------------

    def last_seen_commit(self, root: str) -> str | None:
        """Return the commit at which this work tree was last seen."""
        with self._transaction() as database:
            row = database.execute("SELECT sha FROM heads WHERE root = ?", (root,)).fetchone()
            return row[0] if row else None

    def save_last_seen_commit(self, root: str, sha: str) -> None:
        """Store the commit at which a work tree is."""
        with self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO heads VALUES (?, ?)", (root, sha))

    # Inside a transaction -----------------------------------------------------------------------------------------

    def _insert_or_repeat(
        self, database: sqlite3.Connection, clean: Observation, capsule: OpenCapsule, agent: str
    ) -> tuple[int, bool]:
        known = _find_repeated(database, capsule, clean)
        if known is not None:
            database.execute(
                "UPDATE memories SET times = times + 1, time = max(time, ?) WHERE number = ?", (clean.time, known)
            )
            return known, False
        return self._insert(database, clean, capsule, agent), True

    def _insert(self, database: sqlite3.Connection, clean: Observation, capsule: OpenCapsule, agent: str) -> int:
        stems = self._stems_of(clean, capsule.intent)
        scope = clean.scope or default_scope(clean.kind, agent)
        values = (clean.kind, clean.time, scope, agent, clean.text, clean.detail, clean.status, clean.outcome)
        memory_id = database.execute(
            "INSERT INTO memories (id, capsule, kind, time, scope, agent, text, detail, status, outcome, refs, key,"
            " stems) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (rows.new_id(), capsule.capsule_id, *values, json.dumps(clean.refs), clean.key, " ".join(stems)),
        ).lastrowid
        assert memory_id is not None
        add_postings(database, memory_id, stems, captured=clean.kind in CAPTURED_KINDS)
        self._add_to_notes(database, memory_id)
        return memory_id

    def _add_to_notes(self, database: sqlite3.Connection, memory_id: int) -> None:
        memory = _load_memory(database, memory_id)
        if memory.kind in PROSE_KINDS:
            document = self.notes.put([memory_entry(memory)])[0] - self._file.first_doc_key
            database.execute("UPDATE memories SET document = ? WHERE number = ?", (document, memory_id))

    def _stems_of(self, observation: Observation, intent: str) -> list[str]:
        stems = (stem_of(term) for term in observation_terms(observation, intent))
        return list(dict.fromkeys(stem for stem in stems if stem))

    def _end_capsules(
        self, database: sqlite3.Connection, owner: SessionOwner, now: int, *, with_sessions: bool
    ) -> None:
        """End the pieces of work of the owner, each with its summary, and if asked for the sessions."""
        for capsule in list_open_capsules(database, owner):
            end_capsule(database, capsule, now)
            self._summarize(database, capsule, now)
        if with_sessions:
            end_sessions(database, owner, now)

    def _summarize(self, database: sqlite3.Connection, capsule: int, now: int, text: str = "") -> int | None:
        """Write the summary of a piece of work. text: a person's words; without them earlier ones of a person stay."""
        intent, session, ended, by_hand, agent = database.execute(
            "SELECT c.intent, c.session, c.ended, c.by_hand, s.agent FROM capsules c"
            " JOIN sessions s ON s.number = c.session WHERE c.number = ?",
            (capsule,),
        ).fetchone()
        known = _find_by_key(database, capsule, _SUMMARY)
        if by_hand and not text:
            return known
        summary = text or summarize_work(intent, _load_memories(database, capsule))
        if not summary:
            return None
        if known is not None:
            self.remove_memories(database, [known])
        database.execute("UPDATE capsules SET by_hand = ? WHERE number = ?", (bool(text), capsule))
        clean = Observation("summary", clean_text(summary)[0], ended or now, key=_SUMMARY)
        return self._insert(database, clean, OpenCapsule(session, capsule, intent), agent)

    def remove_memories(self, database: sqlite3.Connection, memory_ids: Sequence[int]) -> None:
        """Remove memories with all their words."""
        for memory_id in memory_ids:
            row = database.execute("SELECT id, stems, document FROM memories WHERE number = ?", (memory_id,)).fetchone()
            if row is None:
                continue
            remove_postings(database, memory_id, row[1].split())
            if row[2] is not None:
                self.notes.remove([f"memory:{row[0]}"])
            database.execute("DELETE FROM memories WHERE number = ?", (memory_id,))

    def resummarize(self, database: sqlite3.Connection, capsules: Sequence[int], now: int) -> None:
        """Rewrite the summaries of ended pieces of work, except those that a person wrote."""
        for capsule in capsules:
            known = _find_by_key(database, capsule, _SUMMARY)
            ended, by_hand = database.execute(
                "SELECT ended, by_hand FROM capsules WHERE number = ?", (capsule,)
            ).fetchone()
            if ended is None or (by_hand and known is not None):
                continue
            database.execute("UPDATE capsules SET by_hand = 0 WHERE number = ?", (capsule,))
            self.remove_memories(database, [] if known is None else [known])
            self._summarize(database, capsule, now)

    def _transaction(self) -> _MemoryTransaction:
        return _MemoryTransaction(self._file)


class _MemoryTransaction:
    """A transaction that raises MemoryUnavailable."""

    def __init__(self, file: NoteDatabase) -> None:
        self._inner = file.transaction()

    def __enter__(self) -> sqlite3.Connection:
        try:
            return self._inner.__enter__()
        except IndexUnavailable as error:
            raise MemoryUnavailable(str(error)) from error

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self._inner.__exit__(type(error) if error else None, error, None)
        except IndexUnavailable as failure:
            raise MemoryUnavailable(str(failure)) from failure


def _find_by_key(database: sqlite3.Connection, capsule: int, key: str) -> int | None:
    if not key:
        return None
    row = database.execute("SELECT number FROM memories WHERE capsule = ? AND key = ?", (capsule, key)).fetchone()
    return row[0] if row else None


def _find_repeated(database: sqlite3.Connection, capsule: OpenCapsule, clean: Observation) -> int | None:
    """Return the memory that this observation repeats: in its piece of work, or for acts and contents in its session.

    A client that sends an act again does not know that another piece of work has begun meanwhile.
    """
    if not clean.key.startswith(SESSION_KEY_PREFIXES):
        return _find_by_key(database, capsule.capsule_id, clean.key)
    row = database.execute(
        "SELECT m.number FROM memories m JOIN capsules c ON c.number = m.capsule WHERE c.session = ? AND m.key = ?",
        (capsule.session_id, clean.key),
    ).fetchone()
    return row[0] if row else None


def _load_memory(database: sqlite3.Connection, memory_id: int) -> Memory:
    return rows.read_memory(database.execute(f"{rows.SELECT_MEMORIES} WHERE m.number = ?", (memory_id,)).fetchone())


def _load_memories(database: sqlite3.Connection, capsule: int) -> list[Memory]:
    """Return the memories of a piece of work, in order of time."""
    rows_of_capsule = database.execute(
        f"{rows.SELECT_MEMORIES} WHERE m.capsule = ? ORDER BY m.time, m.number", (capsule,)
    )
    return [rows.read_memory(row) for row in rows_of_capsule]


def _load_session(database: sqlite3.Connection, session_id: int) -> WorkSession:
    return rows.read_session(database.execute(f"{rows.SELECT_SESSIONS} WHERE s.number = ?", (session_id,)).fetchone())
