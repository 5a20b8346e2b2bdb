"""Where the shelves lie that a question of a project may read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path

from msgspec import Struct

from scry.core.knowledge import MEMORY_SHELF, PERSONA_SHELF, PROJECT_SHELF
from scry.core.places import data_home
from scry.core.text import encodable
from scry.index.project import Project
from scry.store.knowledge_file import KnowledgeFile
from scry.store.knowledge_migrations import PERSONA, PROJECT_KNOWLEDGE
from scry.store.memory.migrations import FILE as MEMORY_FILE
from scry.store.memory.migrations import MEMORY
from scry.store.shelf_file import ShelfFile
from scry.store.shelf_reader import ShelfReader


class ShelfPlace(Struct, frozen=True):
    """Where a shelf lies. migrations: of its file. kind: what its file is, beside a shelf. read: gives what questions
    read of the file.
    """

    name: str
    path: Path
    migrations: Sequence[str]
    kind: type[ShelfFile] = ShelfFile
    read: Callable[[ShelfFile], ShelfReader] = attrgetter("shelf")

    def open(self, *, write: bool) -> ShelfFile:
        """Its file. Raises IndexUnavailable."""
        return self.kind(self.name, self.path, self.migrations, write=write)


def shelf_places(project: Project) -> Iterator[ShelfPlace]:
    """Every shelf that a question of the project may read, whether it is there or not."""
    yield ShelfPlace(PROJECT_SHELF, KnowledgeFile.place(project.cache), PROJECT_KNOWLEDGE, KnowledgeFile)
    yield ShelfPlace(PERSONA_SHELF, persona_path(), PERSONA)
    yield ShelfPlace(MEMORY_SHELF, project.data / MEMORY_FILE, MEMORY, read=partial(_memory_shelf, project))


def _memory_shelf(project: Project, file: ShelfFile) -> ShelfReader:
    from scry.store.memory.sessions import Owner  # most projects have no memory
    from scry.store.memory.shelf import MemoryShelf

    owner = Owner(encodable(str(project.root)))
    return MemoryShelf(file.path.parent, file.connection, file.lock, owner)


def persona_path() -> Path:
    """The file of the person's own notes, of all projects."""
    return data_home() / "persona" / "persona.sqlite"
