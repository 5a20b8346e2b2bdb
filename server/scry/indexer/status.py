"""Combine the state of index, vectors and history into the one that clients see."""

from __future__ import annotations

import threading
from collections.abc import Callable

from msgspec.structs import replace

from scry.core.types import IndexState
from scry.store.history.reader import HistoryState, merge_history_state


def merge_vector_counts(index: IndexState, newer: IndexState) -> IndexState:
    """Return the state with the vector counts and the state of the code graph of a newer one."""
    counts = {"vectors": newer.vectors, "vectors_total": newer.vectors_total, "generation": newer.generation}
    return replace(index, model=newer.model, graph=newer.graph, **counts)


class IndexerStatus:
    """The state of an indexer, whose parts several threads set. `on_change` is called in their threads."""

    def __init__(self, on_change: Callable[[IndexState], None]) -> None:
        """Take the callback for each changed state, which must return quickly."""
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
        """Return the current state. A failure hides a pause, and a pause hides the state of the index.

        The state is never ready while a document lacks a vector of the answering model.
        """
        with self._lock:
            message = self._failure or self._index.message or self._model_message or self._notice
            if self._failure:
                return replace(merge_history_state(self._index, self._history), state="failed", message=message)
            index = merge_history_state(replace(self._index, message=message), self._history)
            if self._paused:
                return replace(index, state="paused")
            incomplete = index.state == "ready" and index.vectors < index.vectors_total
            return replace(index, state="indexing" if incomplete else index.state)

    def set_index(self, index: IndexState) -> None:
        """Set the state of the index; this ends a failure."""
        with self._lock:
            self._index = index
            self._failure = ""
        self._report_change()

    def set_task_ended(self, index: IndexState) -> None:
        """Set the state of the index after a task; newer counts of vectors, set meanwhile, stay."""
        with self._lock:
            newer = self._index.generation > index.generation
            self._index = merge_vector_counts(index, self._index) if newer else index
            self._failure = ""
        self._report_change()

    def set_stage(self, stage: str) -> None:
        """Set the stage of the index (starting, indexing, ready) and keep all counts; this ends a failure."""
        with self._lock:
            self._index = replace(self._index, state=stage)
            self._failure = ""
        self._report_change()

    def set_failure(self, message: str) -> None:
        """Set why indexing does not go on, and the remedy, until the next state of the index."""
        with self._lock:
            self._failure = message
        self._report_change()

    def set_vectors(self, index: IndexState) -> None:
        """Set the vector counts of the index and keep all else; this ends a failure."""
        with self._lock:
            self._failure = ""
            self._index = merge_vector_counts(self._index, index)
        self._report_change()

    def set_model_message(self, message: str) -> None:
        """Set the message about the model that the settings name; empty for none."""
        with self._lock:
            self._model_message = message
        self._report_change()

    def set_notice(self, notice: str) -> None:
        """Set a message for a person although indexing works; empty for none."""
        with self._lock:
            if self._notice == notice:
                return
            self._notice = notice
        self._report_change()

    def set_history(self, history: HistoryState) -> None:
        """Set the state of the history."""
        with self._lock:
            self._history = history
        self._report_change()

    def set_graph(self, graph: str) -> None:
        """Set the state of the code graph: pending or ready."""
        with self._lock:
            self._index = replace(self._index, graph=graph)
        self._report_change()

    def set_paused(self, paused: bool) -> None:
        """Set whether someone has paused indexing."""
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
