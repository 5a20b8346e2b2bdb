"""Forget memories for good (M1).

Forgetting removes memories from every table, index and file: removed content is overwritten, the file is rewritten
without it, and its journal truncated; vectors and stored answers that show it go too. Old blocks that the file system
or the disk keeps are beyond this.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from scry.core.errors import IndexUnavailable, LogUnavailable, MemoryUnavailable
from scry.core.knowledge import MEMORY
from scry.store.answers import ANSWERS_FILE
from scry.store.memory.reader import MemoryFilter, memory_condition
from scry.store.memory.store import MemoryStore
from scry.store.sqlite.database import BUSY_TIMEOUT_S
from scry.store.sqlite.folding import add_folding, holds_text


class ForgetResult(Struct, frozen=True):
    """The result of forgetting: ids of memories, and the number of sessions removed with all their content.

    replaced: ids of the summaries that were written anew. is_clean: whether no removed content is left in a journal.
    """

    ids: tuple[str, ...]
    sessions: int
    replaced: tuple[str, ...] = ()
    is_clean: bool = True


class _Affected(Struct, frozen=True):
    """Memories to be forgotten: row ids, ids, row ids of their sessions, and of the pieces of work to summarize anew.

    replaced: ids of the summaries that take part in that.
    """

    numbers: list[int]
    ids: tuple[str, ...]
    sessions: list[int]
    capsules: list[int]
    replaced: tuple[str, ...]


_SELECT_FORGOTTEN = (
    "SELECT m.number, m.id, m.capsule, c.session, m.kind FROM memories m JOIN capsules c ON c.number = m.capsule"
    " JOIN sessions s ON s.number = c.session"
)
_SELECT_REPLACED = (
    "SELECT m.id FROM memories m JOIN capsules c ON c.number = m.capsule"
    " WHERE m.capsule = ? AND m.kind = 'summary' AND c.ended IS NOT NULL AND NOT c.by_hand"
)


def forget_memories(store: MemoryStore, selection: MemoryFilter, now: int) -> ForgetResult:
    """Remove the selected memories for good. Summaries of them are rewritten, unless a person wrote them.

    A text is also searched for in intents: then everything recorded for such an intent goes. Raises MemoryUnavailable.
    """
    try:
        with store.database.transaction() as database:
            affected = _find_affected(database, selection)
            store.remove_memories(database, affected.numbers)
            store.resummarize(database, affected.capsules, now)
            sessions = _remove_sessions(database, selection, affected.sessions)
        is_clean = store.notes.erase_removed()
    except (IndexUnavailable, sqlite3.Error) as error:
        raise MemoryUnavailable(f"not all could be taken out: {error}") from error
    return ForgetResult(affected.ids, sessions, affected.replaced, is_clean)


def affected_memories(store: MemoryStore, selection: MemoryFilter) -> tuple[str, ...]:
    """Return the ids of the selected memories, and of the summaries that forgetting them replaces."""
    try:
        with store.database.transaction() as database:
            affected = _find_affected(database, selection)
    except (IndexUnavailable, sqlite3.Error) as error:
        raise MemoryUnavailable(f"memory can't be read: {error}") from error
    return (*affected.ids, *affected.replaced)


def _find_affected(database: sqlite3.Connection, selection: MemoryFilter) -> _Affected:
    add_folding(database)
    condition, values = memory_condition(selection)
    rows = database.execute(f"{_SELECT_FORGOTTEN} WHERE {condition}", values).fetchall()
    capsules = sorted({row[2] for row in rows if row[4] != "summary"})
    replaced = [name for capsule in capsules for (name,) in database.execute(_SELECT_REPLACED, (capsule,))]
    ids = tuple(row[1] for row in rows)
    return _Affected(
        [row[0] for row in rows],
        ids,
        sorted({row[3] for row in rows}),
        capsules,
        tuple(name for name in replaced if name not in set(ids)),
    )


def memories_in_answers(data_root: Path, *, own: Path | None = None) -> set[str]:
    """Return the ids of the memories that stored answers show. Raises LogUnavailable.

    data_root: the data folder of all projects. own: data folder of the one project whose memories are wanted, of which
    only the answers to questions about it alone are read.
    """
    paths = sorted(data_root.glob(f"*/{ANSWERS_FILE}")) if own is None else [own / ANSWERS_FILE]
    names: set[str] = set()
    for doc_id in (doc_id for path in paths if path.exists() for doc_id in _shown_doc_ids(path)):
        project, separator, name = doc_id.rpartition(f"{MEMORY}:")
        if separator and not (own and project):
            names.add(name)
    return names


def _shown_doc_ids(path: Path) -> Iterator[str]:
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as database:
            rows = database.execute("SELECT doc_ids FROM answers").fetchall()
    except sqlite3.Error as error:
        raise LogUnavailable(f"the stored answers in {path} can't be read: {error}") from error
    for (doc_ids,) in rows:
        yield from doc_ids.split("\n")


def _remove_sessions(database: sqlite3.Connection, selection: MemoryFilter, emptied: Sequence[int]) -> int:
    """Remove selected sessions, and ended ones that are empty now; return their number."""
    if selection == MemoryFilter():
        database.execute("DELETE FROM heads")
        return database.execute("DELETE FROM sessions").rowcount
    count = 0
    if selection.text is not None:
        text = selection.text.casefold()
        database.execute(f"DELETE FROM capsules WHERE {holds_text('intent')}", (text,))
        count += _rename_sessions(database, text)
    if selection.session is not None and selection == MemoryFilter(session=selection.session):
        count += database.execute("DELETE FROM sessions WHERE id = ?", (selection.session,)).rowcount
    left = "SELECT 1 FROM memories m JOIN capsules c ON c.number = m.capsule WHERE c.session = sessions.number"
    for session in emptied:
        sql = f"DELETE FROM sessions WHERE number = ? AND ended IS NOT NULL AND NOT EXISTS ({left})"
        count += database.execute(sql, (session,)).rowcount
    return count


def _rename_sessions(database: sqlite3.Connection, text: str) -> int:
    """Name each session by its first remaining piece of work; remove sessions without any, and return their number.

    text: as `str.casefold` makes it.
    """
    matches = holds_text("intent")
    next_one = "SELECT c.intent FROM capsules c WHERE c.session = sessions.number ORDER BY c.number LIMIT 1"
    delete_empty = f"DELETE FROM sessions WHERE {matches} AND NOT EXISTS ({next_one})"
    count = database.execute(delete_empty, (text,)).rowcount
    database.execute(f"UPDATE sessions SET intent = ({next_one}) WHERE {matches}", (text,))
    return count
