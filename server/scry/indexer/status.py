"""Combine the state of index, vectors and history into the one that clients see.

What is to be said of a history: whether it is there, all of it, and what a person should know of it.

The state that clients see: what the index says of itself, with what its process knows beside that laid over it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.types import IndexState
from scry.projects.git import find_repository
from scry.projects.project import head_commit
from scry.store.history.reader import HistoryReader

HISTORY_PENDING = "pending"
HISTORY_READY = "ready"
HISTORY_NONE = "none"


class HistoryState(Struct, frozen=True):
    """state: pending, ready or none. generation: of what is published. note: what is wrong, for a person, or empty.

    extent: how much of it is held where that is not all; empty where it is.
    """

    state: str = HISTORY_NONE
    generation: int = 0
    note: str = ""
    extent: str = ""


def read_history_state(root: Path, history: HistoryReader | None) -> HistoryState:
    """The state of a folder's history; `history` is what is held of it, None for nothing.

    It is pending until the commit that is checked out was brought in or could not be; then an older one still answers.
    """
    if history is None:
        return HistoryState(_state_without_history(root))
    head = head_commit(root)
    if head is None:
        return HistoryState(HISTORY_NONE, history.generation)
    if head == history.head:
        return HistoryState(HISTORY_READY, history.generation, extent=history.warning)
    if head != history.last_attempted_head:
        return HistoryState(HISTORY_PENDING, history.generation)
    return HistoryState(HISTORY_READY if history.head else HISTORY_NONE, history.generation, note=history.warning)


def _state_without_history(root: Path) -> str:
    """A folder without git, or before its first commit, has no history to wait for."""
    return HISTORY_NONE if find_repository(root) is None or head_commit(root) is None else HISTORY_PENDING


def merge_history_state(index: IndexState, history: HistoryState) -> IndexState:
    """The state of the index with that of its history laid over it."""
    message = "; ".join(words for words in (index.message, history.note) if words)
    generation = index.generation + history.generation
    return replace(index, history=history.state, history_extent=history.extent, generation=generation, message=message)


def merge_vector_counts(index: IndexState, newer: IndexState) -> IndexState:
    """The state with what a newer one says of the vectors."""
    counts = {"vectors": newer.vectors, "vectors_total": newer.vectors_total, "generation": newer.generation}
    return replace(index, model=newer.model, **counts)


class IndexerStatus:
    """Put together from parts that several threads set. `listen` hears each change, from their threads."""

    def __init__(self, on_change: Callable[[IndexState], None]) -> None:
        """listen: takes the state; must return quickly."""
        self._on_change = on_change
        self._reported: IndexState | None = None
        self._lock = threading.Lock()
        self._index = IndexState()
        self._history = HistoryState()
        self._failure = ""
        self._notice = ""
        self._model_message = ""
        self._paused = False

    def current(self) -> IndexState:
        """The state as of now. A failure hides that the index is paused; a pause hides what the index would do.

        It is never ready while a document lacks a vector among those that answer.
        """
        with self._lock:
            message = self._failure or self._index.message or self._model_message or self._notice
            if self._failure:
                return replace(merge_history_state(self._index, self._history), state="failed", message=message)
            index = merge_history_state(replace(self._index, message=message), self._history)
            if self._paused:
                return replace(index, state="paused")
            lacking = index.state == "ready" and index.vectors < index.vectors_total
            return replace(index, state="indexing" if lacking else index.state)

    def set_index(self, index: IndexState) -> None:
        """What the index says of itself; this ends a failure."""
        with self._lock:
            self._index = index
            self._failure = ""
        self._report_change()

    def set_task_ended(self, index: IndexState) -> None:
        """What the index says of itself when a task has ended; newer counts of vectors, told meanwhile, stay."""
        with self._lock:
            newer = self._index.generation > index.generation
            self._index = merge_vector_counts(index, self._index) if newer else index
            self._failure = ""
        self._report_change()

    def set_stage(self, stage: str) -> None:
        """The index's stage (starting, indexing, ready), all counts as they were; this ends a failure."""
        with self._lock:
            self._index = replace(self._index, state=stage)
            self._failure = ""
        self._report_change()

    def set_failure(self, message: str) -> None:
        """Why indexing does not go on, and what a person can do, until the index says something again."""
        with self._lock:
            self._failure = message
        self._report_change()

    def set_vectors(self, index: IndexState) -> None:
        """What the index says of its vectors; all else stays as it was. This ends a failure."""
        with self._lock:
            self._failure = ""
            self._index = merge_vector_counts(self._index, index)
        self._report_change()

    def set_model_message(self, message: str) -> None:
        """What a person should know of the model that the settings name; empty for nothing."""
        with self._lock:
            self._model_message = message
        self._report_change()

    def set_notice(self, notice: str) -> None:
        """What a person should know although indexing works; empty for nothing."""
        with self._lock:
            if self._notice == notice:
                return
            self._notice = notice
        self._report_change()

    def set_history(self, history: HistoryState) -> None:
        """What is to be said of the history."""
        with self._lock:
            self._history = history
        self._report_change()

    def set_paused(self, paused: bool) -> None:
        """Whether someone has paused indexing."""
        with self._lock:
            if self._paused == paused:
                return
            self._paused = paused
        self._report_change()

    def _report_change(self) -> None:
        state = self.current()
        if state != self._reported:
            self._reported = state
            self._on_change(state)
