"""Run the thread that keeps the code graph up to date.

Keeps the code graph up to date in a thread of its own: words, vectors and questions never wait for it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scry.core.errors import Cancelled, IndexDamaged
from scry.indexer.schedule import Schedule

if TYPE_CHECKING:
    from scry.store.index.store import IndexStore

log = logging.getLogger(__name__)

_POLL_INTERVAL_S = 0.1

DEBOUNCE_S = 0.3
"""No task may have ended for so long before a pass is begun: in a storm of changes each would be begun for nothing, and
take its time from them …"""

_MAX_DEBOUNCE_S = 10.0
"""… but it waits no longer than this: a graph that is made in pieces is better than none."""

RETRY_S = 60.0
"""Edges that could not be written are tried again so much later, or when files change."""


class GraphWorker(threading.Thread):
    """Works when woken, while there is nothing else to do. A graph that can't be made lags behind, and says so."""

    def __init__(self, schedule: Schedule, *, busy: Callable[[], bool]) -> None:
        """busy: whether something beside the schedule's tasks goes first."""
        super().__init__(name="graph", daemon=True)
        self._schedule = schedule
        self._busy = busy
        self._condition = threading.Condition()
        self._store: IndexStore | None = None
        self._requested = self._aborted = False

    def request_update(self, store: IndexStore) -> None:
        """Documents of this index may have changed."""
        with self._condition:
            self._store = store
            self._requested, self._aborted = True, False
            self._condition.notify_all()

    def abort(self) -> None:
        """The index is being closed: what is going on is cut short."""
        with self._condition:
            self._store = None
            self._requested, self._aborted = False, True
            self._condition.notify_all()

    def close(self) -> None:
        """Ends the thread soon; the schedule has been stopped."""
        with self._condition:
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Makes the passes that are asked for until the schedule stops."""
        while (store := self._wait_for_request()) is not None:
            try:
                self._update_graph(store)
            except Cancelled:
                continue
            except IndexDamaged:
                self._schedule.request_full_compare(reset=True)
            except Exception:
                self._handle_failure(store)

    def _wait_for_request(self) -> IndexStore | None:
        """Waits until a pass is asked for; None at the end."""
        with self._condition:
            while not self._requested and not self._schedule.stopping:
                self._condition.wait(_POLL_INTERVAL_S * 10)
            self._requested = False
            return None if self._schedule.stopping else self._store

    def _update_graph(self, store: IndexStore) -> None:
        self._checkpoint()  # before the import, which would take its time from what goes first
        from scry.index.graph.update import DocumentsChanged, update_graph

        while True:
            self._debounce()
            try:
                update_graph(store, self._checkpoint)
            except DocumentsChanged:
                continue
            store.truncate_wal()
            return

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
        """Rests while there is other work or all is paused. Raises Cancelled when the index is closed."""
        while not self._schedule.wait_idle(_POLL_INTERVAL_S) or self._busy():
            self._raise_if_aborted()
            time.sleep(_POLL_INTERVAL_S / 10)
        self._raise_if_aborted()

    def _raise_if_aborted(self) -> None:
        if self._is_aborted():
            raise Cancelled("the index is closed")

    def _is_aborted(self) -> bool:
        return self._aborted or self._schedule.stopping
