"""Make the words and notes of memories anew, in a file to which the memories of a damaged one were saved."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from scry.core.knowledge import MEMORY_NOTES
from scry.core.memory.types import CAPTURED_KINDS, PROSE_KINDS
from scry.store.memory import schema as rows
from scry.store.memory.postings import add_postings
from scry.store.memory.schema import memory_file
from scry.store.memory.search import memory_entry
from scry.store.notes.database import NoteDatabase
from scry.store.notes.store import NoteStore

_LOST = "its beginning was lost with a damaged file"


def rebuild_words(path: Path) -> None:
    """Make everything that follows from sessions, pieces of work and memories. Raises IndexUnavailable."""
    with (
        closing(NoteDatabase(MEMORY_NOTES, path, memory_file(path), write=True)) as file,
        file.transaction() as database,
    ):
        notes = NoteStore(file)
        _replace_lost_parents(database)
        database.execute("UPDATE memories SET document = NULL")
        found = database.execute("SELECT number, kind, stems FROM memories ORDER BY number").fetchall()
        for number, kind, stems in found:
            add_postings(database, number, stems.split(), captured=kind in CAPTURED_KINDS)
            if kind in PROSE_KINDS:
                _add_to_notes(database, notes, number)


def _replace_lost_parents(database: sqlite3.Connection) -> None:
    """Make a session and a piece of work for what is left of those that were lost."""
    database.execute(
        "INSERT INTO sessions (number, id, root, agent, intent, started, noted, ended)"
        " SELECT session, 'saved-' || session, '', '', ?, min(started), min(started), min(started) FROM capsules"
        " WHERE session NOT IN (SELECT number FROM sessions) GROUP BY session",
        (_LOST,),
    )
    lost = "FROM memories WHERE capsule NOT IN (SELECT number FROM capsules)"
    first = database.execute(f"SELECT min(time) {lost}").fetchone()[0]
    if first is None:
        return
    session = database.execute(
        "INSERT INTO sessions (id, root, agent, intent, started, noted, ended) VALUES ('saved', '', '', ?, ?, ?, ?)",
        (_LOST, first, first, first),
    ).lastrowid
    database.execute(
        "INSERT INTO capsules (number, id, session, intent, started, ended, by_hand)"
        f" SELECT capsule, 'saved-' || capsule, ?, ?, min(time), max(time), 0 {lost} GROUP BY capsule",
        (session, _LOST),
    )


def _add_to_notes(database: sqlite3.Connection, notes: NoteStore, number: int) -> None:
    row = database.execute(f"{rows.SELECT_MEMORIES} WHERE m.number = ?", (number,)).fetchone()
    document = notes.put([memory_entry(rows.read_memory(row))])[0] - notes.database.first_doc_key
    database.execute("UPDATE memories SET document = ? WHERE number = ?", (document, number))
