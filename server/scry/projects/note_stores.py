"""Locate the note stores that queries of a project may read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from scry.core.files import data_home
from scry.core.knowledge import MEMORY_NOTES, PERSONA_NOTES, PROJECT_NOTES
from scry.core.text import escape_unencodable
from scry.projects.project import Project
from scry.store.memory.schema import MEMORY_FILE, MEMORY_MIGRATIONS
from scry.store.notes.database import NoteDatabase, NoteSchema
from scry.store.notes.project_notes import PROJECT_NOTES_PATH
from scry.store.notes.reader import NoteReader, NoteSource
from scry.store.notes.schema import PERSONA_MIGRATIONS, PROJECT_NOTE_SCHEMA


class NoteStoreLocation(Struct, frozen=True):
    """The location of a note store.

    schema: of its database. read: returns the part of the database that queries read.
    """

    name: str
    path: Path
    schema: NoteSchema
    read: Callable[[NoteDatabase], NoteSource] = NoteReader

    def open(self, *, write: bool) -> NoteDatabase:
        """Open the note store. Raises IndexUnavailable."""
        return NoteDatabase(self.name, self.path, self.schema, write=write)


def note_store_locations(project: Project) -> Iterator[NoteStoreLocation]:
    """Yield the location of every note store that a query of the project may read, whether the store exists or not."""
    yield NoteStoreLocation(PROJECT_NOTES, project.cache / PROJECT_NOTES_PATH, PROJECT_NOTE_SCHEMA)
    yield NoteStoreLocation(PERSONA_NOTES, persona_store_path(), PERSONA_MIGRATIONS)
    yield NoteStoreLocation(
        MEMORY_NOTES, project.data / MEMORY_FILE, MEMORY_MIGRATIONS, read=partial(_memory_note_store, project)
    )


def _memory_note_store(project: Project, file: NoteDatabase) -> NoteSource:
    from scry.store.memory.search import MemoryNoteReader
    from scry.store.memory.sessions import SessionOwner  # most projects have no memory

    owner = SessionOwner(escape_unencodable(str(project.root)))
    return MemoryNoteReader(file, owner)


def persona_store_path() -> Path:
    """Return the file of the person's own notes, shared by all projects."""
    return data_home() / "persona" / "persona.sqlite"
