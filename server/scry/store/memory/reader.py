"""Read sessions, pieces of work and memories without writing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from scry.core.errors import IndexMissing, IndexUnavailable, MemoryUnavailable
from scry.core.knowledge import MEMORY_NOTES
from scry.core.memory.types import Capsule, Memory, WorkSession
from scry.store.memory import schema as rows
from scry.store.memory.cleaning import clean_owner
from scry.store.memory.schema import MEMORY_FILE, memory_file
from scry.store.memory.search import MemoryNoteReader
from scry.store.memory.sessions import SessionOwner
from scry.store.notes.database import NoteDatabase
from scry.store.sqlite.folding import add_folding, holds_text


class MemoryFilter(Struct, frozen=True):
    """A selection of memories. Empty fields restrict nothing.

    since, until: milliseconds since the epoch; the end is excluded. text: memories that hold it in any of their texts,
    the case of ASCII letters ignored.
    """

    ids: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    session: str | None = None
    since: int | None = None
    until: int | None = None
    text: str | None = None
    pinned: bool = False


class MemoryReader:
    """The memory of one project, open for reading. Every method raises MemoryUnavailable."""

    @classmethod
    def open(cls, folder: Path, owner: SessionOwner) -> MemoryReader | None:
        """Open the memory in a data folder; None where nothing was recorded yet.

        owner: whose session `this session` is.
        """
        path = folder / MEMORY_FILE
        if not path.exists():
            return None
        try:
            return cls(NoteDatabase(MEMORY_NOTES, path, memory_file(path), write=False), owner)
        except IndexMissing:
            return None
        except IndexUnavailable as error:
            raise MemoryUnavailable(f"memory can't be read: {error}") from error

    def __init__(self, file: NoteDatabase, owner: SessionOwner) -> None:
        """Use `open`."""
        self._file = file
        self._owner = owner = clean_owner(owner)
        self.notes = MemoryNoteReader(file, owner)

    def recent_sessions(self, limit: int) -> list[WorkSession]:
        """Return the last sessions, the newest first."""
        return [
            rows.read_session(row)
            for row in self._select(f"{rows.SELECT_SESSIONS} ORDER BY s.number DESC LIMIT ?", limit)
        ]

    def find_session(self, name: str) -> WorkSession | None:
        """Return the session with this id."""
        sessions = self._select(f"{rows.SELECT_SESSIONS} WHERE s.id = ?", name)
        return rows.read_session(sessions[0]) if sessions else None

    def capsules_of_session(self, session: str) -> list[Capsule]:
        """Return the pieces of work of a session, in order."""
        return [
            rows.read_capsule(row)
            for row in self._select(f"{rows.SELECT_CAPSULES} WHERE s.id = ? ORDER BY c.number", session)
        ]

    def last_capsule(self) -> Capsule | None:
        """Return the open piece of work of the owner, or else the last one."""
        order = "ORDER BY c.ended IS NULL DESC, c.number DESC LIMIT 1"
        sql = f"{rows.SELECT_CAPSULES} WHERE s.root = ? AND s.agent = ? {order}"
        capsules = self._select(sql, self._owner.root, self._owner.agent)
        return rows.read_capsule(capsules[0]) if capsules else None

    def select_memories(self, wanted: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return the selected memories, the newest first."""
        condition, values = memory_condition(wanted)
        sql = f"{rows.SELECT_MEMORIES} WHERE {condition} ORDER BY m.time DESC, m.number DESC"
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, limit]
        return [rows.read_memory(row) for row in self._select(sql, *values)]

    def iter_memories(self) -> Iterator[Memory]:
        """Yield every memory, in the order of recording."""
        for row in self._select(f"{rows.SELECT_MEMORIES} ORDER BY m.number"):
            yield rows.read_memory(row)

    def count(self) -> int:
        """Return the number of memories."""
        return int(self._select("SELECT held FROM stems WHERE stem = ''")[0][0])

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._file.path

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _select(self, sql: str, *values: object) -> list[Any]:
        try:
            with self._file.lock:
                add_folding(self._file.connection)
                return self._file.connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise MemoryUnavailable(f"{self._file.path} can't be read: {error}") from error


_REFS = """coalesce((
    SELECT group_concat(value, char(10)) FROM json_each(CASE WHEN json_valid(m.refs) THEN m.refs ELSE '[]' END)
), '')"""
"""The references of a memory, one a line; none where the row is damaged."""


def memory_condition(wanted: MemoryFilter) -> tuple[str, list[object]]:
    """Return a condition on memories m, capsules c and sessions s, and its values. The database has `add_folding`."""
    parts: list[str] = []
    values: list[object] = []

    def need(condition: str, *given: object) -> None:
        parts.append(condition)
        values.extend(given)

    if wanted.ids:
        need("m.id IN (SELECT value FROM json_each(?))", json.dumps(wanted.ids))
    if wanted.kinds:
        need("m.kind IN (SELECT value FROM json_each(?))", json.dumps(wanted.kinds))
    if wanted.session is not None:
        need("s.id = ?", wanted.session)
    if wanted.since is not None:
        need("m.time >= ?", wanted.since)
    if wanted.until is not None:
        need("m.time < ?", wanted.until)
    if wanted.text is not None:
        all_texts = f"m.text || char(10) || m.detail || char(10) || {_REFS} || char(10) || c.intent"
        need(holds_text(f"({all_texts})"), wanted.text.casefold())
    if wanted.pinned:
        need("m.pinned")
    return " AND ".join(parts) or "true", values
