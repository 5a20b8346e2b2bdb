"""Store the person's own notes, of all projects, as an append-only list of events.

Events are only added, except that forgetting empties the text of a note in every event.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from scry.core.decoding import json_decoder
from scry.core.knowledge import PERSONA, PERSONA_NOTES, KnowledgeDocument
from scry.core.text import tokenize
from scry.store.notes.database import NoteDatabase
from scry.store.notes.schema import persona_file
from scry.store.notes.store import NoteStore

_DOC_ID_PREFIX = "persona:direct:"
_MAX_TITLE = 80


class PersonaNoteBody(msgspec.Struct, frozen=True):
    """Content of an event. supersedes: doc_id of the note that it replaces; "" for none."""

    text: str
    domains: tuple[str, ...] = ()
    supersedes: str = ""


class StoredPersonaNote(msgspec.Struct, frozen=True):
    """A current note, with its doc_id and time in milliseconds since the epoch."""

    doc_id: str
    time_ms: int
    body: PersonaNoteBody


_decode_body = json_decoder(PersonaNoteBody)
_COLUMNS = "doc_id, time_ms, body"


class PersonaDatabase:
    """The person's notes. Any process reads and writes them.

    store: the note store that holds them. notes: searches it.
    """

    @classmethod
    def open(cls, path: Path) -> PersonaDatabase:
        """Open the notes in a file, created where it is missing. Raises IndexUnavailable."""
        return cls(NoteDatabase(PERSONA_NOTES, path, persona_file(path), write=True))

    def __init__(self, database: NoteDatabase) -> None:
        """Use `open`."""
        self._database = database
        self.store = NoteStore(database)
        self.notes = self.store.reader

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(self, body: PersonaNoteBody, time_ms: int) -> StoredPersonaNote:
        """Store a note. A superseded one is never found again. Raises KeyError where that one is not current."""
        with self._database.transaction() as db:
            if body.supersedes and not self._is_current(body.supersedes):
                raise KeyError(body.supersedes)
            while self._was_added(make_note_id(time_ms)):
                time_ms += 1
            note = StoredPersonaNote(make_note_id(time_ms), time_ms, body)
            sql = "INSERT INTO persona_events (time_ms, kind, doc_id, body) VALUES (?, ?, ?, ?)"
            db.execute(sql, (time_ms, "add", note.doc_id, msgspec.json.encode(body).decode()))
            if body.supersedes:
                db.execute(sql, (time_ms, "supersede", body.supersedes, None))
                self.store.remove([body.supersedes])
            self.store.put([_make_entry(note)])
            return note

    def forget(self, doc_id: str, time_ms: int) -> bool:
        """Erase a note for good; return whether no file holds its text afterwards (`NoteStore.erase_removed`). Raises
        KeyError for one that was never added.
        """
        with self._database.transaction() as db:
            if not self._was_added(doc_id):
                raise KeyError(doc_id)
            db.execute("UPDATE persona_events SET body = NULL WHERE doc_id = ?", (doc_id,))
            sql = "INSERT INTO persona_events (time_ms, kind, doc_id) VALUES (?, 'forget', ?)"
            db.execute(sql, (time_ms, doc_id))
            self.store.remove([doc_id])
        return self.store.erase_removed()

    def current_notes(self, doc_ids: Sequence[str] | None = None) -> list[StoredPersonaNote]:
        """Return the current notes, the newest first; with `doc_ids`, those of them, in their order."""
        rows = self._database.select(
            f"SELECT {_COLUMNS} FROM persona_events e WHERE kind = 'add' AND body IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM persona_events s WHERE s.doc_id = e.doc_id AND s.kind != 'add') ORDER BY time_ms DESC"
        )
        notes = [StoredPersonaNote(doc_id, time_ms, _decode_body(body)) for doc_id, time_ms, body in rows]
        if doc_ids is None:
            return notes
        by_id = {note.doc_id: note for note in notes}
        return [by_id[doc_id] for doc_id in doc_ids if doc_id in by_id]

    def _was_added(self, doc_id: str) -> bool:
        return bool(self._database.select("SELECT 1 FROM persona_events WHERE doc_id = ?", (doc_id,)))

    def _is_current(self, doc_id: str) -> bool:
        return bool(self.current_notes([doc_id]))


def is_valid_event(row: Mapping[str, object]) -> bool:
    """Return whether a row of persona_events can be read."""
    body = row["body"]
    try:
        return body is None or (isinstance(body, str) and bool(_decode_body(body)))
    except msgspec.MsgspecError:
        return False


def rebuild_notes(path: Path) -> None:
    """Make the note store of a file that holds nothing but events."""
    with closing(NoteDatabase(PERSONA_NOTES, path, persona_file(path), write=True)) as file, file.transaction():
        database = PersonaDatabase(file)
        database.store.put([_make_entry(note) for note in database.current_notes()])


def make_note_id(time_ms: int) -> str:
    """Return the doc_id of a note added at a time: `persona:direct:20261121T172812.123Z`."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(time_ms // 1000))
    return f"{_DOC_ID_PREFIX}{stamp}.{time_ms % 1000:03}Z"


def _make_entry(note: StoredPersonaNote) -> KnowledgeDocument:
    text = note.body.text
    words = tuple(tokenize(" ".join((text, *note.body.domains))))
    return KnowledgeDocument(
        doc_id=note.doc_id,
        content_type=PERSONA,
        title=" ".join(text.split())[:_MAX_TITLE],
        text=text,
        snippet=" ".join(text.split()),
        terms=words,
        time=note.time_ms // 1000,
        domains=note.body.domains,
    )
