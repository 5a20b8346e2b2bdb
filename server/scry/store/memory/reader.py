"""Looking at memory: sessions, pieces of work, what was noted, and questions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from scry.core.errors import IndexUnavailable, MemoryUnavailable
from scry.core.knowledge import MEMORY_SHELF
from scry.core.memory.types import Capsule, Memory, Session
from scry.store.memory import rows
from scry.store.memory.migrations import FILE, MEMORY
from scry.store.memory.sessions import Owner
from scry.store.memory.shelf import MemoryShelf
from scry.store.shelf_file import ShelfFile


class Filter(Struct, frozen=True):
    """Which memories a person means. Empty fields restrict nothing.

    since, until: milliseconds since the epoch; the end is not included. text: those that hold it in any of their texts,
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
    """The memory of one project, for reading alone. Every method raises MemoryUnavailable."""

    @classmethod
    def open(cls, folder: Path, owner: Owner) -> MemoryReader | None:
        """The memory in a data folder; None where nothing was noted yet. owner: whose session `this session` is."""
        path = folder / FILE
        if not path.exists():
            return None
        try:
            return cls(ShelfFile(MEMORY_SHELF, path, MEMORY, write=False), owner)
        except IndexUnavailable as error:
            raise MemoryUnavailable(f"memory can't be read: {error}") from error

    def __init__(self, file: ShelfFile, owner: Owner) -> None:
        """Use `open`."""
        self._file = file
        self._owner = owner
        self.shelf = MemoryShelf(file.path.parent, file.connection, file.lock, owner)

    def sessions(self, limit: int) -> list[Session]:
        """The last sessions, the newest first."""
        return [rows.session_from(row) for row in self._select(f"{rows.SESSION} ORDER BY s.number DESC LIMIT ?", limit)]

    def session(self, name: str) -> Session | None:
        """A session by its name."""
        found = self._select(f"{rows.SESSION} WHERE s.id = ?", name)
        return rows.session_from(found[0]) if found else None

    def capsules(self, session: str) -> list[Capsule]:
        """The pieces of work of a session, in order."""
        return [
            rows.capsule_from(row) for row in self._select(f"{rows.CAPSULE} WHERE s.id = ? ORDER BY c.number", session)
        ]

    def last_capsule(self) -> Capsule | None:
        """The owner's piece of work that is going on, or else the last one."""
        sql = f"{rows.CAPSULE} WHERE s.root = ? AND s.agent = ? ORDER BY c.ended IS NULL DESC, c.number DESC LIMIT 1"
        found = self._select(sql, self._owner.root, self._owner.agent)
        return rows.capsule_from(found[0]) if found else None

    def memories(self, wanted: Filter, limit: int | None = None) -> list[Memory]:
        """What was noted, the newest first."""
        condition, values = condition_of(wanted)
        sql = f"{rows.MEMORY} WHERE {condition} ORDER BY m.time DESC, m.number DESC"
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, limit]
        return [rows.memory_from(row) for row in self._select(sql, *values)]

    def all(self) -> Iterator[Memory]:
        """Everything, in the order in which it was noted."""
        for row in self._select(f"{rows.MEMORY} ORDER BY m.number"):
            yield rows.memory_from(row)

    def count(self) -> int:
        """How much was noted."""
        return int(self._select("SELECT held FROM stems WHERE stem = ''")[0][0])

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    def close(self) -> None:
        """Gives the file free."""
        self._file.close()

    def _select(self, sql: str, *values: object) -> list[Any]:
        try:
            with self._file.lock:
                return self._file.connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise MemoryUnavailable(f"{self._file.path} can't be read: {error}") from error


def condition_of(wanted: Filter) -> tuple[str, list[object]]:
    """A condition on memories m, capsules c and sessions s, and its values."""
    parts: list[str] = []
    values: list[object] = []

    def need(condition: str, *given: object) -> None:
        parts.append(condition)
        values.extend(given)

    if wanted.ids:
        need(f"m.id IN ({_marks(wanted.ids)})", *wanted.ids)
    if wanted.kinds:
        need(f"m.kind IN ({_marks(wanted.kinds)})", *wanted.kinds)
    if wanted.session is not None:
        need("s.id = ?", wanted.session)
    if wanted.since is not None:
        need("m.time >= ?", wanted.since)
    if wanted.until is not None:
        need("m.time < ?", wanted.until)
    if wanted.text is not None:
        told = "m.text || char(10) || m.detail || char(10) || m.refs || char(10) || c.intent"
        need(f"instr(lower({told}), lower(?)) > 0", wanted.text)
    if wanted.pinned:
        need("m.pinned")
    return " AND ".join(parts) or "true", values


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
