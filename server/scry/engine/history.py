"""The history of one project, opened when it is first there and read from then on."""

from __future__ import annotations

import threading

from scry.core.errors import IndexUnavailable
from scry.core.types import IndexState
from scry.index.history_state import HISTORY_PENDING, HistoryState, read_history_state, merge_history_state
from scry.index.project import Project
from scry.store.history import HISTORY_FILE, HistoryStore
from scry.store.history_reader import HistoryReader


class HistoryAccess:
    """What questions read of a project's history. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Opens nothing yet."""
        self._project = project
        self._store: HistoryStore | None = None
        self._lock = threading.Lock()

    def read(self) -> HistoryReader | None:
        """The history as of now; None while there is none. Raises IndexUnavailable when it can't be read."""
        with self._lock:
            if self._store is None and (self._project.cache / HISTORY_FILE).exists():
                self._store = HistoryStore.open(self._project.cache, write=False)
            if self._store is not None:
                self._store.refresh()
            return self._store

    def read_if_readable(self) -> HistoryReader | None:
        """The same, for what can do without: None also when it can't be read."""
        try:
            return self.read()
        except IndexUnavailable:
            return None

    def state(self) -> HistoryState:
        """What is to be said of it."""
        try:
            return read_history_state(self._project.root, self.read())
        except IndexUnavailable as error:
            return HistoryState(note=str(error))

    def is_current(self) -> bool:
        """Whether it is that of the commit which is checked out, as far as it can be read at all."""
        return self.state().state != HISTORY_PENDING

    def add_history_state(self, index: IndexState) -> IndexState:
        """The state of the index with that of the history."""
        return merge_history_state(index, self.state())

    def close(self) -> None:
        """Gives it free."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
