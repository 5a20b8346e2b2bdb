"""The state that clients see: what the index says of itself, with what its process knows beside that laid over it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from msgspec.structs import replace

from scry.core.types import IndexState
from scry.index.history_state import HistoryState, with_history


def with_vectors(index: IndexState, newer: IndexState) -> IndexState:
    """The state with what a newer one says of the vectors."""
    counts = {"vectors": newer.vectors, "vectors_total": newer.vectors_total, "generation": newer.generation}
    return replace(index, model=newer.model, **counts)


class Status:
    """Put together from parts that several threads set. `listen` hears each change, from their threads."""

    def __init__(self, listen: Callable[[IndexState], None]) -> None:
        """listen: takes the state; must return quickly."""
        self._listen = listen
        self._told: IndexState | None = None
        self._lock = threading.Lock()
        self._index = IndexState()
        self._history = HistoryState()
        self._failure = ""
        self._note = ""
        self._model = ""
        self._paused = False

    def show(self) -> IndexState:
        """The state as of now. A failure hides that the index is paused; a pause hides what the index would do.

        It is never ready while a document lacks a vector among those that answer.
        """
        with self._lock:
            message = self._failure or self._index.message or self._model or self._note
            if self._failure:
                return replace(with_history(self._index, self._history), state="failed", message=message)
            index = with_history(replace(self._index, message=message), self._history)
            if self._paused:
                return replace(index, state="paused")
            lacking = index.state == "ready" and index.vectors < index.vectors_total
            return replace(index, state="indexing" if lacking else index.state)

    def set_index(self, index: IndexState) -> None:
        """What the index says of itself; this ends a failure."""
        with self._lock:
            self._index = index
            self._failure = ""
        self._tell()

    def set_ended(self, index: IndexState) -> None:
        """What the index says of itself when a task has ended; newer counts of vectors, told meanwhile, stay."""
        with self._lock:
            newer = self._index.generation > index.generation
            self._index = with_vectors(index, self._index) if newer else index
            self._failure = ""
        self._tell()

    def set_stage(self, stage: str) -> None:
        """The index's stage (starting, indexing, ready), all counts as they were; this ends a failure."""
        with self._lock:
            self._index = replace(self._index, state=stage)
            self._failure = ""
        self._tell()

    def set_failure(self, words: str) -> None:
        """Why indexing does not go on, and what a person can do, until the index says something again."""
        with self._lock:
            self._failure = words
        self._tell()

    def set_vectors(self, index: IndexState) -> None:
        """What the index says of its vectors; all else stays as it was. This ends a failure."""
        with self._lock:
            self._failure = ""
            self._index = with_vectors(self._index, index)
        self._tell()

    def set_model(self, words: str) -> None:
        """What a person should know of the model that the settings name; empty for nothing."""
        with self._lock:
            self._model = words
        self._tell()

    def set_note(self, words: str) -> None:
        """What a person should know although indexing works; empty for nothing."""
        with self._lock:
            if self._note == words:
                return
            self._note = words
        self._tell()

    def set_history(self, history: HistoryState) -> None:
        """What is to be said of the history."""
        with self._lock:
            self._history = history
        self._tell()

    def set_paused(self, paused: bool) -> None:
        """Whether someone has paused indexing."""
        with self._lock:
            if self._paused == paused:
                return
            self._paused = paused
        self._tell()

    def _tell(self) -> None:
        state = self.show()
        if state != self._told:
            self._told = state
            self._listen(state)
