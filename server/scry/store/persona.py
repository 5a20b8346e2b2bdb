"""The person's own notes, of all projects: what was told, superseded and forgotten, in order, and what stands of it.

Events are only added, but for forget, which empties the note's text wherever it was written.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from scry.core.knowledge import PERSONA, PERSONA_SHELF, Entry
from scry.core.text import terms
from scry.store.knowledge_migrations import PERSONA as MIGRATIONS
from scry.store.shelf_file import ShelfFile

_DIRECT = "persona:direct:"
_TITLE = 80


class Told(msgspec.Struct, frozen=True):
    """What an event holds of a note. supersedes: doc_id of the one that it takes the place of; empty for none."""

    text: str
    domains: tuple[str, ...] = ()
    supersedes: str = ""


class Note(msgspec.Struct, frozen=True):
    """A note that stands: what was told, under which name and when, in milliseconds since the epoch."""

    doc_id: str
    time_ms: int
    told: Told


_read = msgspec.json.Decoder(Told).decode
_COLUMNS = "doc_id, time_ms, body"


class PersonaFile(ShelfFile):
    """The notes. Any process reads and writes them."""

    @classmethod
    def open(cls, path: Path) -> PersonaFile:
        """The notes in a file, which is made where it is missing. Raises IndexUnavailable."""
        return cls(PERSONA_SHELF, path, MIGRATIONS, write=True)

    def add(self, told: Told, time_ms: int) -> Note:
        """Keeps a note. One that it supersedes is never found again. Raises KeyError for one that does not stand."""
        with self.transaction() as db:
            if told.supersedes and not self._stands(told.supersedes):
                raise KeyError(told.supersedes)
            while self._known(note_id(time_ms)):
                time_ms += 1
            note = Note(note_id(time_ms), time_ms, told)
            sql = "INSERT INTO persona_events (time_ms, kind, doc_id, body) VALUES (?, ?, ?, ?)"
            db.execute(sql, (time_ms, "add", note.doc_id, msgspec.json.encode(told).decode()))
            if told.supersedes:
                db.execute(sql, (time_ms, "supersede", told.supersedes, None))
                self.shelf.remove([told.supersedes])
            self.shelf.put([_entry(note)])
            return note

    def forget(self, doc_id: str, time_ms: int) -> None:
        """Takes a note away for good: no file holds its text then. Raises KeyError for one that was never told."""
        with self.transaction() as db:
            if not self._known(doc_id):
                raise KeyError(doc_id)
            db.execute("UPDATE persona_events SET body = NULL WHERE doc_id = ?", (doc_id,))
            sql = "INSERT INTO persona_events (time_ms, kind, doc_id) VALUES (?, 'forget', ?)"
            db.execute(sql, (time_ms, doc_id))
            self.shelf.remove([doc_id])
        self.forget_traces()

    def standing(self, doc_ids: Sequence[str] | None = None) -> list[Note]:
        """The notes that stand, the newest first; of these doc_ids only, in their order."""
        rows = self.shelf.select(
            f"SELECT {_COLUMNS} FROM persona_events e WHERE kind = 'add' AND body IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM persona_events s WHERE s.doc_id = e.doc_id AND s.kind != 'add') ORDER BY time_ms DESC"
        )
        notes = [Note(doc_id, time_ms, _read(body)) for doc_id, time_ms, body in rows]
        if doc_ids is None:
            return notes
        by_id = {note.doc_id: note for note in notes}
        return [by_id[doc_id] for doc_id in doc_ids if doc_id in by_id]

    def _known(self, doc_id: str) -> bool:
        return bool(self.shelf.select("SELECT 1 FROM persona_events WHERE doc_id = ?", (doc_id,)))

    def _stands(self, doc_id: str) -> bool:
        return bool(self.standing([doc_id]))


def note_id(time_ms: int) -> str:
    """The doc_id of a note that was told at a time: `persona:direct:20261121T172812.123Z`."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(time_ms // 1000))
    return f"{_DIRECT}{stamp}.{time_ms % 1000:03}Z"


def _entry(note: Note) -> Entry:
    text = note.told.text
    words = tuple(terms(" ".join((text, *note.told.domains))))
    return Entry(
        doc_id=note.doc_id,
        content_type=PERSONA,
        title=" ".join(text.split())[:_TITLE],
        text=text,
        snippet=" ".join(text.split()),
        terms=words,
        time=note.time_ms // 1000,
        domains=note.told.domains,
    )
