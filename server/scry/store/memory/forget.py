"""To forget: takes memories out of every table, index and file for good (M1).

What is removed is overwritten, the file is written anew without it, and its journal emptied; vectors and kept answers
that show it go too. What the file system or the disk keeps of old blocks is beyond this.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from msgspec import Struct

from scry.core.errors import IndexUnavailable, MemoryUnavailable
from scry.store.memory.reader import MemoryFilter, memory_condition
from scry.store.memory.store import MemoryStore


class ForgetResult(Struct, frozen=True):
    """What was taken out: ids of memories, and how many sessions went with all that was in them.

    is_clean: whether nothing of it is left in a journal.
    """

    ids: tuple[str, ...]
    sessions: int
    is_clean: bool = True


_WAL_TIMEOUT_S = 5.0
"""So long the journal's other readers are waited for."""

_SELECT_FORGOTTEN = (
    "SELECT m.number, m.id, m.capsule, c.session, m.kind FROM memories m JOIN capsules c ON c.number = m.capsule"
    " JOIN sessions s ON s.number = c.session"
)


def forget_memories(store: MemoryStore, selection: MemoryFilter, now: int) -> ForgetResult:
    """Takes out what is meant. Summaries that were made of it are made anew, unless a person wrote them.

    A text is looked for in intents too: then all that was noted for such an intent goes. Raises MemoryUnavailable.
    """
    condition, values = memory_condition(selection)
    try:
        with store.database.transaction() as database:
            found = database.execute(f"{_SELECT_FORGOTTEN} WHERE {condition}", values).fetchall()
            store.remove_memories(database, [row[0] for row in found])
            store.resummarize(database, sorted({row[2] for row in found if row[4] != "summary"}), now)
            sessions = _remove_sessions(database, selection, sorted({row[3] for row in found}))
        store.database.erase_removed()
        is_clean = _truncate_wal(store)
    except (IndexUnavailable, sqlite3.Error) as error:
        raise MemoryUnavailable(f"not all could be taken out: {error}") from error
    return ForgetResult(tuple(row[1] for row in found), sessions, is_clean)


def _truncate_wal(store: MemoryStore) -> bool:
    """Empties the journal; False when another process reads in it all the time."""
    deadline = time.monotonic() + _WAL_TIMEOUT_S
    while True:
        with store.database.lock:
            is_busy = bool(store.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        if not is_busy or time.monotonic() > deadline:
            return not is_busy
        time.sleep(0.05)


def _remove_sessions(database: sqlite3.Connection, selection: MemoryFilter, emptied: Sequence[int]) -> int:
    """Sessions that were meant, and ended ones in which nothing is left; returns how many."""
    if selection == MemoryFilter():
        database.execute("DELETE FROM heads")
        return database.execute("DELETE FROM sessions").rowcount
    count = 0
    if selection.text is not None:
        database.execute("DELETE FROM capsules WHERE instr(lower(intent), lower(?)) > 0", (selection.text,))
        count += _rename_sessions(database, selection.text)
    if selection.session is not None and selection == MemoryFilter(session=selection.session):
        count += database.execute("DELETE FROM sessions WHERE id = ?", (selection.session,)).rowcount
    left = "SELECT 1 FROM memories m JOIN capsules c ON c.number = m.capsule WHERE c.session = sessions.number"
    for session in emptied:
        sql = f"DELETE FROM sessions WHERE number = ? AND ended IS NOT NULL AND NOT EXISTS ({left})"
        count += database.execute(sql, (session,)).rowcount
    return count


def _rename_sessions(database: sqlite3.Connection, text: str) -> int:
    """A session is named by its first piece of work; where that went, by the next. Returns how many had none left."""
    there = "instr(lower(intent), lower(?)) > 0"
    next_one = "SELECT c.intent FROM capsules c WHERE c.session = sessions.number ORDER BY c.number LIMIT 1"
    gone = f"DELETE FROM sessions WHERE {there} AND NOT EXISTS ({next_one})"
    count = database.execute(gone, (text,)).rowcount
    database.execute(f"UPDATE sessions SET intent = ({next_one}) WHERE {there}", (text,))
    return count
