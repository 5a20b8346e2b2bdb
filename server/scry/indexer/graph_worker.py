"""Run the thread that keeps the code graph up to date, so that lexical search, vectors and queries never wait for
it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scry.core.errors import Cancelled
from scry.indexer.schedule import Schedule
from scry.store.sqlite.database import describe_damage_error

if TYPE_CHECKING:
    from scry.index.graph.graph_memory import GraphMemory
    from scry.store.index.store import IndexStore

log = logging.getLogger(__name__)

DEBOUNCE_S = 0.3
"""Time without a finished task before a pass begins: in a storm of changes each pass would be begun for nothing."""

_MAX_DEBOUNCE_S = 10.0
"""Maximum of that wait: a graph made in pieces is better than none."""

RETRY_S = 60.0
"""Delay before a failed pass is tried again; a change of files starts one sooner."""


class GraphWorker(threading.Thread):
    """Updates the graph on request while there is nothing else to do. After a failure the graph is stale, and marked
    so.
    """

    def __init__(self, schedule: Schedule, *, busy: Callable[[], bool], on_updated: Callable[[str], None]) -> None:
        """Take the schedule.

        busy: whether work beside the schedule's tasks goes first. on_updated: called with the state of the graph
        (`IndexState.graph`) after a pass.
        """
        super().__init__(name="graph", daemon=True)
        self._schedule = schedule
        self._busy = busy
        self._on_updated = on_updated
        self._condition = threading.Condition()
        self._store: IndexStore | None = None
        self._memory: tuple[IndexStore, GraphMemory] | None = None
        self._requested = self._aborted = False

    def request_update(self, store: IndexStore) -> None:
        """Request a pass: documents of this index may have changed."""
        with self._condition:
            self._store = store
            self._requested, self._aborted = True, False
            self._condition.notify_all()

    def abort(self) -> None:
        """Cut the current pass short, because the index is being closed."""
        with self._condition:
            self._store = None
            self._requested, self._aborted = False, True
            self._condition.notify_all()

    def close(self) -> None:
        """End the thread soon; called after the schedule was stopped."""
        with self._condition:
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Make the requested passes until the schedule stops."""
        while (store := self._wait_for_request()) is not None:
            try:
                self._update_graph(store)
            except Cancelled:
                continue
            except Exception as error:
                self._memory = None
                if describe_damage_error(error):
                    self._schedule.request_repair()
                self._handle_failure(store)

    def _wait_for_request(self) -> IndexStore | None:
        """Wait for a request and return its index; None at the end."""
        with self._condition:
            while not self._requested and not self._schedule.stopping:
                self._condition.wait(1)
            self._requested = False
            return None if self._schedule.stopping else self._store

    def _update_graph(self, store: IndexStore) -> None:
        self._checkpoint()  # before the import, which would take time from work that goes first
        from scry.index.graph.update import DocumentsChanged, update_graph

        while True:
            self._debounce()
            try:
                update_graph(store, self._checkpoint, self._memory_of(store))
            except DocumentsChanged:
                continue
            store.truncate_wal()
            self._on_updated("ready" if store.graph.is_current else "pending")
            return

    def _memory_of(self, store: IndexStore) -> GraphMemory:
        """Return the memory of the passes over a store; a new one after a failure, and for another store."""
        from scry.index.graph.graph_memory import GraphMemory

        if self._memory is None or self._memory[0] is not store:
            self._memory = store, GraphMemory()
        return self._memory[1]

    def _debounce(self) -> None:
        end = time.monotonic() + _MAX_DEBOUNCE_S
        calm = False
        while not calm:
            self._checkpoint()
            with self._condition:
                disturbed = self._condition.wait_for(lambda: self._requested or self._is_aborted(), DEBOUNCE_S)
                self._requested = False
            calm = not disturbed or time.monotonic() > end
        self._checkpoint()

    def _handle_failure(self, store: IndexStore) -> None:
        with self._condition:
            if self._is_aborted():
                return
            log.exception("the code graph could not be brought up to date")
            if not self._condition.wait_for(lambda: self._requested or self._schedule.stopping, RETRY_S):
                self._requested = self._store is store

    def _checkpoint(self) -> None:
        """Wait while there is other work or indexing is paused. Raises Cancelled when the index is closed."""
        self._schedule.wait_for_turn(self._busy, self._raise_if_aborted)

    def _raise_if_aborted(self) -> None:
        if self._is_aborted():
            raise Cancelled("the index is closed")

    def _is_aborted(self) -> bool:
        return self._aborted or self._schedule.stopping
