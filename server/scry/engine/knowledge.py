"""What is known beside the code, opened when it is first there: the shelves of one project and of the person."""

from __future__ import annotations

import threading

from scry.core.errors import IndexUnavailable
from scry.index.project import Project
from scry.index.shelf_places import NoteStoreLocation, note_store_locations
from scry.store.knowledge_file import ProjectNoteDatabase
from scry.store.shelf_file import NoteDatabase
from scry.store.shelf_reader import NoteReader
from scry.store.shelves import NoteStores


class KnowledgeAccess:
    """What questions read of the shelves. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Opens nothing yet."""
        self._places = tuple(note_store_locations(project))
        self._open: dict[str, tuple[NoteDatabase, NoteReader]] = {}
        self._lock = threading.Lock()

    def read(self) -> NoteStores | None:
        """The shelves that hold something; None when none does and none is in trouble."""
        shelves: dict[str, NoteReader] = {}
        troubles: dict[str, str] = {}
        with self._lock:
            for place in self._places:
                try:
                    found = self._open_current(place)
                    if found is not None and not found[1].is_empty:
                        shelves[place.name] = found[1]
                except IndexUnavailable as error:
                    troubles[place.name] = str(error)
        return NoteStores(shelves, troubles) if shelves or troubles else None

    def open_beliefs(self) -> ProjectNoteDatabase | None:
        """The project's beliefs with all that is known of them; None where there are none, or they can't be read."""
        with self._lock:
            try:
                found = self._open_current(self._places[0])
            except IndexUnavailable:
                return None
        return found[0] if found is not None and isinstance(found[0], ProjectNoteDatabase) else None

    def close(self) -> None:
        """Gives everything free."""
        with self._lock:
            for file, _ in self._open.values():
                file.close()
            self._open.clear()

    def _open_current(self, place: NoteStoreLocation) -> tuple[NoteDatabase, NoteReader] | None:
        """A shelf's file as it is now, and what questions read of it; None where there is none."""
        known = self._open.get(place.name)
        if known is not None and known[0].is_in_place():
            return known
        if known is not None:
            self._open.pop(place.name)[0].close()
        if not place.path.exists():
            return None
        file = place.open(write=False)
        self._open[place.name] = file, place.read(file)
        return self._open[place.name]
