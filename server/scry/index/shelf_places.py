"""Where the shelves lie that a question of a project may read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scry.core.knowledge import PERSONA_SHELF, PROJECT_SHELF
from scry.core.places import data_home
from scry.index.project import Project
from scry.store.knowledge_file import KnowledgeFile
from scry.store.knowledge_migrations import PERSONA, PROJECT_KNOWLEDGE
from scry.store.shelf_file import ShelfFile


@dataclass(frozen=True, slots=True)
class ShelfPlace:
    """Where a shelf lies. migrations: of its file. kind: what its file is, beside a shelf."""

    name: str
    path: Path
    migrations: Sequence[str]
    kind: type[ShelfFile] = ShelfFile

    def open(self, *, write: bool) -> ShelfFile:
        """Its file. Raises IndexUnavailable."""
        return self.kind(self.name, self.path, self.migrations, write=write)


def shelf_places(project: Project) -> Iterator[ShelfPlace]:
    """Every shelf that a question of the project may read, whether it is there or not."""
    yield ShelfPlace(PROJECT_SHELF, KnowledgeFile.place(project.cache), PROJECT_KNOWLEDGE, KnowledgeFile)
    yield ShelfPlace(PERSONA_SHELF, persona_path(), PERSONA)


def persona_path() -> Path:
    """The file of the person's own notes, of all projects."""
    return data_home() / "persona" / "persona.sqlite"
