"""What is known beside the code, opened when it is first there: the shelves of one project and of the person."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import PERSONA_SHELF, PROJECT_SHELF
from scry.core.places import data_home
from scry.index.project import Project
from scry.store.shelf_file import ShelfFile
from scry.store.shelf_reader import ShelfReader
from scry.store.shelves import Shelves


def knowledge_path(project: Project) -> Path:
    """The file of a project's beliefs, patterns and session notes, as the indexer reads them out of the repository."""
    return project.cache / "knowledge" / "knowledge.sqlite"


def persona_path() -> Path:
    """The file of the person's own notes."""
    return data_home() / "persona" / "persona.sqlite"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a shelf lies. migrations: of its file, asked for late, for most projects have none."""

    name: str
    path: Path
    migrations: Callable[[], Sequence[str]]


class Knowledge:
    """What questions read of the shelves. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Opens nothing yet."""
        self._places = (
            _Place(PROJECT_SHELF, knowledge_path(project), _project_migrations),
            _Place(PERSONA_SHELF, persona_path(), _persona_migrations),
        )
        self._open: dict[str, ShelfFile] = {}
        self._lock = threading.Lock()

    def read(self) -> Shelves | None:
        """The shelves that hold something; None when none does and none is in trouble."""
        shelves: dict[str, ShelfReader] = {}
        troubles: dict[str, str] = {}
        with self._lock:
            for place in self._places:
                try:
                    file = self._file(place)
                    if file is not None and not file.shelf.is_empty:
                        shelves[place.name] = file.shelf
                except IndexUnavailable as error:
                    troubles[place.name] = str(error)
        return Shelves(shelves, troubles) if shelves or troubles else None

    def close(self) -> None:
        """Gives everything free."""
        with self._lock:
            for file in self._open.values():
                file.close()
            self._open.clear()

    def _file(self, place: _Place) -> ShelfFile | None:
        """The shelf's file as it is now; None where there is none."""
        known = self._open.get(place.name)
        if known is not None and known.is_in_place():
            return known
        if known is not None:
            self._open.pop(place.name).close()
        if not place.path.exists():
            return None
        self._open[place.name] = ShelfFile(place.name, place.path, place.migrations(), write=False)
        return self._open[place.name]


def _project_migrations() -> Sequence[str]:
    from scry.store.knowledge_migrations import PROJECT_KNOWLEDGE

    return PROJECT_KNOWLEDGE


def _persona_migrations() -> Sequence[str]:
    from scry.store.knowledge_migrations import PERSONA

    return PERSONA
